package cli

import (
	"tenfold"
	"tenfold/internal/config"
)

// keptJSON is a setting that a conversation keeps; without a value it keeps it
// no longer.
type keptJSON struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

func keptsJSON(all []config.Setting) []keptJSON {
	var out []keptJSON
	for _, s := range all {
		if !s.Table {
			out = append(out, keptJSON{s.Key(), s.Value})
		}
	}
	return out
}

// settingsOf are the settings that entries have a conversation keep, or take
// back.
func settingsOf(entries []tenfold.Entry) []config.Setting {
	var all []config.Setting
	for _, e := range entries {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok {
			all = append(all, config.SettingsOf(d.Extra)...)
		}
	}
	return all
}

// tellSettings says which settings of --cfg the conversation keeps from now on,
// and which no longer.
func (a *app) tellSettings(r *report) {
	for _, s := range r.kept {
		if s.Table {
			continue
		}
		key := visibleLine(s.Key())
		pair, words := key, "no longer kept with the conversation"
		if !s.Gone {
			pair, words = visibleLine(s.Key()+" = "+s.TOML()), "kept with the conversation; --cfg "+key+"= takes it back"
		}
		a.twoParts(a.paint(bold, "Settings")+"   "+pair, words, func(s string) string { return s })
	}
}
