package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	text "text/template"
	"time"
)

// A Report is a run as a document.
type Report struct {
	Result  *Result
	Summary Summary
	// Command is the command line that made it, Made when.
	Command string
	Made    time.Time
	// Excluded are the sources that were left out.
	Excluded []string
}

// measures says what the columns mean, in the order of the tables.
func measures() [][2]string {
	return [][2]string{
		{"kept", "tokens of the view over those of the raw prefix, with all stubs, marks and summaries counted; system prompt and tool definitions left out of both"},
		{"CUR", "contextual carried-use recall: of the names that later tool calls use, and that nothing showed again before, the share by weight that stands in a line of its own source, with at least 30 % of that line's other words"},
		{"strict", "the same with 60 % of the other words, and half of the line's words its source's"},
		{"present", "the same anywhere in the view, even in a list of names"},
		{"results", "CUR of the names that only tool results held"},
		{"p10", "nine sessions in ten do better"},
		{"dense", "share of the characters that stand in lines which are more than 60 % names"},
		{"user", "share of the typed messages of up to 500 tokens that stand whole"},
		{"trail", "share of the changed files whose last change is told"},
		{"stale", "share of the tokens that show files as they no longer are"},
		{"invalid", "what the four provider profiles would refuse, counted over all views"},
	}
}

// method says how the figures came to be.
func (r *Report) method() []string {
	o := r.Result.Options
	var cuts []string
	for _, c := range o.Cuts {
		cuts = append(cuts, percentWords(c))
	}
	lines := []string{
		"Each session is cut after " + strings.Join(cuts, ", ") + " of its requests. What stands before the cut is compacted; what the agent did in " + horizonWords(o.Main()) + " tells what it needed.",
		"A session's figure is the mean over its cuts, a source's the mean over its sessions, and what stands here the mean over sources. Intervals are of 95 %, by drawing sessions anew within each source.",
	}
	if len(r.Excluded) > 0 {
		lines = append(lines, "Left out: "+strings.Join(r.Excluded, ", ")+".")
	}
	return append(lines, Caution)
}

// worst are the cases of the policy that matters most.
func (r *Report) worst() []Case {
	focus := r.Result.Options.Focus()
	return slices.DeleteFunc(slices.Clone(r.Summary.Worst), func(c Case) bool { return c.Policy != focus })
}

// The report's templates, as Markdown and as a page, over the same data.
var (
	//go:embed report.md.tmpl
	reportMarkdown string
	//go:embed report.html
	reportHTML string
)

// functions are those of both templates.
func functions() map[string]any {
	return map[string]any{
		"show": printable, "percent": percent, "fenced": fenced, "text": markdownText,
		"cell":     func(s string) string { return strings.TrimSpace(markdownText(s)) },
		"indented": func(s string) bool { return strings.HasPrefix(s, "  ") },
	}
}

// data is what the templates are filled with.
func (r *Report) data() map[string]any {
	return map[string]any{
		"Scope":    r.Result.Scope(r.Summary),
		"Method":   r.method(),
		"Command":  r.Command,
		"Made":     r.Made.UTC().Format("2006-01-02 15:04 MST"),
		"Measures": measures(),
		"Tables":   r.Result.Tables(r.Summary),
		"Focus":    r.Result.Options.Focus(),
		"Worst":    r.worst(),
		"Rivals":   Baselines(),
	}
}

// Markdown writes the report as Markdown, with the plot beside it.
func (r *Report) Markdown(w io.Writer) error {
	page, err := text.New("report").Funcs(functions()).Parse(reportMarkdown)
	if err != nil {
		return fmt.Errorf("read the report's template: %w", err)
	}
	return page.Execute(w, r.data())
}

// HTML writes the report as one page that needs nothing else and runs nothing.
func (r *Report) HTML(w io.Writer) error {
	page, err := template.New("report").Funcs(functions()).Parse(reportHTML)
	if err != nil {
		return fmt.Errorf("read the report's template: %w", err)
	}
	plot, err := r.Result.Plot(r.Summary)
	if err != nil {
		return err
	}
	data := r.data()
	data["Plot"] = template.HTML(plot) //nolint:gosec // made here, names escaped
	return page.Execute(w, data)
}

// fenced is a block of code whose fence is longer than any in it.
func fenced(indent, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return indent + fence + "sh\n" + indent + printable(text) + "\n" + indent + fence
}

// markdownText makes a text fit to stand in Markdown.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`, "#", `\#`).Replace(printable(s))
}
