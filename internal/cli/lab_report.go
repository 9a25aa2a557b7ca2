package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tenfold/eval"
)

// tell writes what came of a run.
func (k *lab) tell(r *eval.Result) error {
	for _, f := range r.Failures {
		k.warn(f.Name + ": " + f.Err.Error())
	}
	s := r.Summarise()
	if s.Sessions == 0 {
		return k.nothing(r)
	}
	if k.out != "" {
		report := &eval.Report{Result: r, Summary: s, Command: k.command, Made: k.now(), Excluded: k.exclude}
		if err := k.write(report); err != nil {
			return err
		}
	}
	if k.json {
		return k.tellJSON(r, s)
	}
	k.prose(r.Scope(s) + k.left())
	for _, t := range r.Tables(s) {
		k.printf("\n")
		k.figures(t)
	}
	k.lost(r)
	k.worst(r, s)
	k.printf("\n")
	k.prose(eval.Caution)
	return nil
}

// nothing is the error of a run that measured no session.
func (k *lab) nothing(r *eval.Result) error {
	if len(r.Sessions) == 1 {
		return hinted(fmt.Errorf("%s: nothing to measure: %s", r.Sessions[0].Name, r.Sessions[0].Skipped), "nothing_to_measure",
			"a session is measured by the names that its tool calls use again")
	}
	return hinted(fmt.Errorf("nothing to measure: %s and %s left out", count(len(r.Sessions), "session", "sessions"),
		count(len(r.Failures), "file", "files")), "nothing_to_measure", "--min-requests 0 takes in the shortest ones")
}

// left names the sources that were left out.
func (k *lab) left() string {
	if len(k.exclude) == 0 {
		return ""
	}
	return " Sources left out: " + strings.Join(k.exclude, ", ") + "."
}

// prose writes a text in lines.
func (k *lab) prose(text string) {
	width := proseWidth
	if k.width > 0 {
		width = min(width, k.width)
	}
	k.printf("%s\n", fill(visibleLine(text), width))
}

// lostMost is how many lost atoms are listed.
const lostMost = 12

// lost lists what a single policy lost of a single session: what a worst case
// is looked at for.
func (k *lab) lost(r *eval.Result) {
	if len(r.Options.Policies) > 1 || len(r.Sessions) > 1 {
		return
	}
	for _, c := range r.Sessions[0].Cells {
		t := eval.Table{
			Title:   fmt.Sprintf("Lost at %d %%: %s", c.Cut, count(len(c.Lost), "name", "names")),
			Columns: []string{"used after", "weight", "stands", "held by"},
		}
		for _, l := range c.Lost[:min(lostMost, len(c.Lost))] {
			stands, by := "nowhere", "calls and texts too"
			if l.Present {
				stands = "out of context"
			}
			if l.ResultOnly {
				by = "results alone"
			}
			t.Rows = append(t.Rows, eval.TableRow{Name: l.Atom, Cells: []string{
				count(l.After, "request", "requests"), fmt.Sprintf("%.2f", l.Weight), stands, by,
			}})
		}
		if len(t.Rows) > 0 {
			k.printf("\n")
			k.figures(t)
		}
	}
}

// worst names where the policy that matters most recalls the least.
func (k *lab) worst(r *eval.Result, s eval.Summary) {
	if len(r.Sessions) == 1 && len(r.Options.Cuts) == 1 {
		return // it is the case itself
	}
	focus := r.Options.Focus()
	k.printf("\n%s\n", k.paint(bold, "Where "+visibleLine(focus)+" recalls least"))
	for _, c := range s.Worst {
		if c.Policy != focus {
			continue
		}
		k.printf("CUR %.3f, kept %.1f %%, cut at %d %%\n", c.CUR, c.Kept*100, c.Cut)
		k.printf("%s\n", k.commandLines(c.Words()))
	}
}

// commandLines writes a command so that it can be copied from a narrow terminal
// too: broken between words, as a shell takes it.
func (k *lab) commandLines(words []string) string {
	text, at := " ", 1
	for i, word := range words {
		word = visibleLine(word)
		wide := ansi.StringWidth(word)
		if i > 0 && k.width > 0 && at+1+wide+len(" \\") > k.width {
			text, at = text+" \\\n   ", len("   ")
		}
		text, at = text+" "+word, at+1+wide
	}
	return text
}
