package cli

import (
	"os"
	"path/filepath"
	"strconv"

	"tenfold"
	"tenfold/summary"
)

// The words and the machine form of who wrote a summary, and what that took.
type (
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
		// Cost is in US dollars, left out where it is not known.
		Cost *float64 `json:"cost,omitzero"`
	}
	artifactsJSON struct {
		Input   string `json:"input,omitzero"`
		Summary string `json:"summary,omitzero"`
	}
	// quoteJSON is a summary that a dry run would have asked for (C8).
	quoteJSON struct {
		FromTurn int      `json:"from_turn"`
		ToTurn   int      `json:"to_turn"`
		ToStep   *int     `json:"to_step,omitzero"`
		Model    string   `json:"model,omitzero"`
		Input    int      `json:"input"`
		Cost     *float64 `json:"cost,omitzero"`
	}
)

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
	switch {
	case w == nil || (w.Usage == nil && (w.Model == summary.DigestName || w.Model == "")):
		return ""
	case w.Usage == nil:
		return w.Model
	case w.Usage.Model != "" && w.Usage.Model != w.Model:
		return w.Model + " after " + w.Usage.Model + ", " + w.Usage.words()
	}
	return w.Model + ", " + w.Usage.words()
}

func (p *paidJSON) words() string { return figures(p.Input+p.CacheRead+p.CacheWrite, p.Output, p.Cost) }

func usageWords(u tenfold.Usage) string {
	return figures(u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost)
}

// figures are tokens read and written, and the price where it is known.
func figures(input, output int, cost *float64) string {
	text := count(input, "token", "tokens") + " in, " + thousands(output) + " out"
	if cost != nil {
		text += ", " + dollars(*cost)
	}
	return text
}

// dollars writes a price, to a hundredth of a cent where it is small.
func dollars(cost float64) string {
	if cost > 0 && cost < 0.0001 {
		return "under $0.0001"
	}
	places := 2
	if cost > 0 && cost < 1 {
		places = 4
	}
	return "$" + strconv.FormatFloat(cost, 'f', places, 64)
}

// tellWritten says who wrote the summaries of a compaction, where a model was
// asked.
func (a *app) tellWritten(r *report) {
	for _, c := range r.plan.Compactions {
		w := newWrittenJSON(c.Summary)
		if w.paid() == "" {
			continue
		}
		a.fold("Summary", "by "+visibleLine(w.paid()))
		if w.Artifacts != nil && w.Artifacts.Summary != "" && !r.dryRun {
			a.fold("", visibleLine(nearPath(w.Artifacts.Summary)))
		}
	}
}

// fold writes a line of the report whose text goes on below itself where the
// terminal is narrow.
func (a *app) fold(label, text string) {
	const indent = 11
	head := a.paint(bold, label) + pad("", indent-len(label))
	if a.width <= indent+20 {
		a.printf("%s%s\n", head, text)
		return
	}
	for _, line := range wrap(text, a.width-indent) {
		a.printf("%s%s\n", head, line)
		head = pad("", indent)
	}
}

// showArtifacts says where the files of a summary lie.
func (a *app) showArtifacts(w *writtenJSON) {
	if w == nil || w.Artifacts == nil {
		return
	}
	for _, f := range []string{w.Artifacts.Input, w.Artifacts.Summary} {
		if f != "" {
			a.printf("    %s\n", a.paint(faint, visibleLine(nearPath(f))))
		}
	}
}

// nearPath is a file's path from where the program runs, where the file lies
// below that.
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
