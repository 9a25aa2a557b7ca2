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
		switch key := visibleLine(s.Key()); {
		case s.Table:
		case s.Gone:
			a.printf("%s   %s is no longer kept with the conversation\n", a.paint(bold, "Settings"), key)
		default:
			a.printf("%s   %s is kept with the conversation; --cfg %s= takes it back\n", a.paint(bold, "Settings"), visibleLine(s.Key()+" = "+s.TOML()), key)
		}
	}
}
