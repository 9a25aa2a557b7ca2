package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/summary"
	"tenfold/token"
)

// The parts that the JSON of several results has in common. Field names are
// stable; new fields may be added.
type (
	sourceJSON struct {
		Path   string `json:"path"`
		Format string `json:"format"`
	}
	tokensJSON struct {
		Before int `json:"before"`
		After  int `json:"after"`
		// Method is "calibrated" where the figures of the object are what the
		// provider counts, by what it reported before, else the counter's name.
		Method string `json:"method"`
		// Ratio is the provider's count by the counter's, and Outside what each
		// request holds that is not in the conversation; both where calibrated.
		Ratio   float64 `json:"ratio,omitzero"`
		Outside int     `json:"outside,omitzero"`
		// counter is the counter's name in any case.
		counter string
	}
	// keptJSON is a setting that a conversation keeps; without a value it is
	// no longer kept.
	keptJSON struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	// partedJSON says why a transcript became a conversation of its own.
	partedJSON struct {
		// From is the conversation that it no longer continues.
		From string `json:"from"`
		// Why is "cut" where the transcript is a prefix, else "differs".
		Why  string `json:"why"`
		Turn int    `json:"turn"`
	}
	overlayJSON struct {
		ID       string       `json:"id"`
		FromTurn int          `json:"from_turn"`
		ToTurn   int          `json:"to_turn"`
		ToStep   *int         `json:"to_step,omitzero"`
		Slots    []string     `json:"slots"`
		Profile  string       `json:"profile,omitzero"`
		Strategy string       `json:"strategy,omitzero"`
		Source   string       `json:"source,omitzero"`
		Live     bool         `json:"live"`
		Before   int          `json:"tokens_before,omitzero"`
		After    int          `json:"tokens_after,omitzero"`
		Reason   string       `json:"reason,omitzero"`
		Summary  *writtenJSON `json:"summary,omitzero"`
		// Command is shared by the overlays of one command: they are undone
		// together.
		Command string `json:"command,omitzero"`
	}
	// writtenJSON says who wrote a summary, and what that cost.
	writtenJSON struct {
		Model     string         `json:"model,omitzero"`
		Placement string         `json:"placement,omitzero"`
		Entries   int            `json:"entries,omitzero"`
		Tokens    int            `json:"tokens,omitzero"`
		Usage     *paidJSON      `json:"usage,omitzero"`
		Artifacts *artifactsJSON `json:"artifacts,omitzero"`
	}
	paidJSON struct {
		Model      string `json:"model,omitzero"`
		Input      int    `json:"input"`
		Output     int    `json:"output"`
		CacheRead  int    `json:"cache_read"`
		CacheWrite int    `json:"cache_write"`
		// Cost is in US dollars, left out where it is unknown.
		Cost *float64 `json:"cost,omitzero"`
	}
	artifactsJSON struct {
		Input   string `json:"input,omitzero"`
		Summary string `json:"summary,omitzero"`
	}
	// quoteJSON is a summary that a dry run would have requested (C8).
	quoteJSON struct {
		FromTurn int      `json:"from_turn"`
		ToTurn   int      `json:"to_turn"`
		ToStep   *int     `json:"to_step,omitzero"`
		Model    string   `json:"model,omitzero"`
		Input    int      `json:"input"`
		Cost     *float64 `json:"cost,omitzero"`
	}
)

func keptsJSON(all []config.Setting) []keptJSON {
	var out []keptJSON
	for _, s := range all {
		if !s.Table {
			out = append(out, keptJSON{s.Key(), s.Value})
		}
	}
	return out
}

// settingsOf are the settings that entries set or remove.
func settingsOf(entries []tenfold.Entry) []config.Setting {
	var all []config.Setting
	for _, e := range entries {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok {
			all = append(all, config.SettingsOf(d.Extra)...)
		}
	}
	return all
}

func newPartedJSON(p *session.Parting) *partedJSON {
	if p == nil {
		return nil
	}
	why := "differs"
	if p.Cut {
		why = "cut"
	}
	return &partedJSON{p.From, why, p.Turn}
}

// printParted says why a file became a conversation of its own.
func (a *app) printParted(path, id string, p *partedJSON, dryRun bool) {
	if p == nil {
		return
	}
	how, now := p.Why, "It is now conversation "
	if p.Why == "cut" {
		how = "is cut"
	}
	if dryRun {
		now = "It would become conversation "
	}
	a.fold("Parted", terminal.VisibleLine(path)+" no longer continues conversation "+terminal.VisibleLine(p.From)+": it "+how+" from turn "+
		strconv.Itoa(p.Turn)+" on. "+now+terminal.VisibleLine(id)+".")
}

func newOverlayJSON(o tenfold.Overlay, scale token.Scale) overlayJSON {
	c := o.Compaction
	return overlayJSON{
		ID: o.ID, FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Slots: slots(c), Profile: c.Profile,
		Strategy: c.Strategy, Source: c.Source, Live: o.Live, Before: scale.Tokens(c.TokensBefore), After: scale.Tokens(c.TokensAfter),
		Reason: c.Reason, Summary: newWrittenJSON(c.Summary), Command: c.Command,
	}
}

// slots names what an overlay changes.
func slots(c tenfold.Compaction) []string {
	names := []string{}
	for _, slot := range []struct {
		name string
		set  bool
	}{
		{"summary", c.Summary != nil},
		{"turns", c.Turns != ""},
		{"reasoning", c.Reasoning != nil},
		{"tool_calls", c.ToolCalls != nil},
		{"texts", c.Texts != nil},
		{"attachments", c.Attachments != nil},
		{"tool_definitions", c.ToolDefinitions != nil},
	} {
		if slot.set {
			names = append(names, slot.name)
		}
	}
	return names
}

// overlayWhere names the turns that an overlay covers.
func overlayWhere(c tenfold.Compaction) string {
	where := turnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + thousands(*c.ToStep)
	}
	return where
}

// words are what an overlay changes and who made it, for a line about it.
func (o overlayJSON) words() []string {
	parts := []string{slotWords(o.Slots)}
	switch {
	case o.Profile != "":
		parts = append(parts, "profile "+terminal.VisibleLine(o.Profile))
	case o.Strategy != "":
		parts = append(parts, terminal.VisibleLine(o.Strategy))
	}
	if o.Source != "" {
		parts = append(parts, "by "+terminal.VisibleLine(o.Source))
	}
	if by := o.Summary.paid(); by != "" {
		parts = append(parts, "summary by "+terminal.VisibleLine(by))
	}
	return parts
}

// overlayWhy describes an overlay in one phrase.
func overlayWhy(c tenfold.Compaction) string {
	why := strings.Join(newOverlayJSON(tenfold.Overlay{Compaction: c}, token.Scale{}).words(), ", ")
	if c.Reason != "" {
		why += ": " + terminal.VisibleLine(c.Reason)
	}
	return why
}

// newWrittenJSON is nil without a summary.
func newWrittenJSON(s *tenfold.Summary) *writtenJSON {
	if s == nil {
		return nil
	}
	out := &writtenJSON{
		Model: s.Model, Placement: string(s.Placement), Entries: s.Covers.Entries, Tokens: s.Covers.Tokens,
	}
	if u := s.Usage; u != nil {
		out.Usage = &paidJSON{u.Model, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Cost}
	}
	if a := s.Artifacts; a != nil {
		out.Artifacts = &artifactsJSON{a.Input, a.Summary}
	}
	return out
}

// paid is who was paid for the summary; empty where nobody was.
func (w *writtenJSON) paid() string {
	if w == nil {
		return ""
	}
	u := w.Usage
	switch {
	case u == nil && w.Model == summary.DigestName:
		return ""
	case u == nil:
		return w.Model
	}
	by := w.Model
	if u.Model != "" && u.Model != w.Model {
		by += " after " + u.Model
	}
	return by + ", " + figures(u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost)
}

// figures are tokens read and written, and the price where it is known.
func figures(input, output int, cost *float64) string {
	text := count(input, "token", "tokens") + " in, " + thousands(output) + " out"
	if cost != nil {
		text += ", " + dollars(*cost)
	}
	return text
}

// printArtifacts names the files of a summary.
func (a *app) printArtifacts(w *writtenJSON) {
	if w == nil || w.Artifacts == nil {
		return
	}
	for _, f := range []string{w.Artifacts.Input, w.Artifacts.Summary} {
		if f != "" {
			a.Printf("    %s\n", a.Paint(terminal.Faint, terminal.VisibleLine(nearPath(f))))
		}
	}
}

// nearPath makes a path relative to the working directory, if it is below it.
func nearPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	near, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(near) {
		return path
	}
	return near
}
