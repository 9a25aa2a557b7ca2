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

// legend says what the columns of the first table mean, in its order.
func (r *Report) legend() [][2]string {
	var out [][2]string
	for _, m := range Measures() {
		out = append(out, [2]string{m.info().column, m.info().about})
		switch m {
		case CUR:
			out = append(out, [2]string{"p10", "nine sessions in ten have a higher CUR"})
		case EDR:
			out = append(out, [2]string{"edits", "such edits over all cuts, and how many of them the views are ready for"})
		}
	}
	return append(out, [2]string{"invalid", "what the four provider profiles would refuse, counted over all views"})
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
		"Measures": r.legend(),
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
