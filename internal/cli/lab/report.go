package lab

import (
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/eval"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/number"
)

// print prints the results of a run.
func (k *lab) print(r *eval.Result) error {
	for _, f := range r.Failures {
		k.Warn(f.Name + ": " + strings.TrimPrefix(f.Err.Error(), f.Name+": "))
	}
	s := r.Summarise()
	if s.Sessions == 0 {
		return k.nothing(r)
	}
	if k.out != "" {
		report := &eval.Report{Result: r, Summary: s, Command: k.command, Made: k.Now(), Excluded: k.exclude}
		if err := k.write(report); err != nil {
			return err
		}
	}
	if k.JSON {
		return k.printJSON(r, s)
	}
	k.prose(r.Scope(s) + k.left())
	for _, t := range r.Tables(s) {
		k.Printf("\n")
		display.PrintTable(k.App, t)
	}
	k.lost(r)
	k.worst(r, s)
	k.Printf("\n")
	k.prose(eval.Caution)
	return nil
}

// nothing is the error of a run that measured no session.
func (k *lab) nothing(r *eval.Result) error {
	if len(r.Sessions) == 1 {
		return command.Hinted(fmt.Errorf("%s: nothing to measure: %s", r.Sessions[0].Name, r.Sessions[0].Skipped), "nothing_to_measure",
			"a session is measured by the names that its tool calls reuse")
	}
	if len(r.Sessions) == 0 {
		return command.Hinted(errors.New("nothing to measure: no file could be read"), "nothing_to_measure",
			"known formats: "+strings.Join(transcripts.ReadableFormats(), ", "))
	}
	return command.Hinted(fmt.Errorf("nothing to measure: skipped %s and %s", number.Count(len(r.Sessions), "session"),
		number.Count(len(r.Failures), "file")), "nothing_to_measure", "use --min-requests 0 to include short sessions")
}

// left names the excluded sources.
func (k *lab) left() string {
	if len(k.exclude) == 0 {
		return ""
	}
	return " Excluded sources: " + strings.Join(k.exclude, ", ") + "."
}

// prose prints wrapped text.
func (k *lab) prose(text string) {
	width := display.ProseWidth
	if k.Width > 0 {
		width = min(width, k.Width)
	}
	k.Printf("%s\n", terminal.Fill(terminal.VisibleLine(text), width))
}

// lostMost is how many lost atoms are listed.
const lostMost = 12

// lost lists what a single policy lost of a single session.
func (k *lab) lost(r *eval.Result) {
	if len(r.Options.Policies) > 1 || len(r.Sessions) > 1 {
		return
	}
	for _, c := range r.Sessions[0].Cells {
		t := eval.Table{
			Title:   fmt.Sprintf("Lost at %d %%: %s", c.Cut, number.Count(len(c.Lost), "name")),
			Columns: []string{"used after", "weight", "visible", "found in"},
		}
		for _, l := range c.Lost[:min(lostMost, len(c.Lost))] {
			stands, by := "no", "results, calls, texts"
			if l.Present {
				stands = "out of context"
			}
			if l.ResultOnly {
				by = "results only"
			}
			t.Rows = append(t.Rows, eval.TableRow{Name: l.Atom, Cells: []string{
				number.Count(l.After, "request"), fmt.Sprintf("%.2f", l.Weight), stands, by,
			}})
		}
		if len(t.Rows) > 0 {
			k.Printf("\n")
			display.PrintTable(k.App, t)
		}
	}
}

// worst lists where the main policy recalls the least.
func (k *lab) worst(r *eval.Result, s eval.Summary) {
	if len(s.Worst) == 0 || len(r.Sessions) == 1 && len(r.Options.Cuts) == 1 {
		return // it is the case itself
	}
	focus := r.Options.Focus()
	k.Printf("\n%s\n", k.Paint(terminal.Bold, "Lowest recall of "+terminal.VisibleLine(focus)))
	for _, c := range s.Worst {
		if c.Policy != focus {
			continue
		}
		k.Printf("CUR %.3f, kept %.1f %%, cut at %d %%\n", c.CUR, c.Kept*100, c.Cut)
		k.Printf("%s\n", k.commandLines(c.Words()))
	}
}

// commandLines breaks a command between words so that it can be copied from a
// narrow terminal.
func (k *lab) commandLines(words []string) string {
	text, at := " ", 1
	for i, word := range words {
		word = terminal.VisibleLine(word)
		wide := ansi.StringWidth(word)
		if i > 0 && k.Width > 0 && at+1+wide+len(" \\") > k.Width {
			text, at = text+" \\\n   ", len("   ")
		}
		text, at = text+" "+word, at+1+wide
	}
	return text
}
