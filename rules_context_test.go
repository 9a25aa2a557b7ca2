package tenfold_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
)

func context(text string) tenfold.Entry {
	return entry(tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: tenfold.Context, Synthetic: true})
}

// rules and cwd are versions of two standing instructions.
func rules(n int) tenfold.Entry {
	return context("# AGENTS.md instructions for /src\n\nrule " + strconv.Itoa(n))
}

func cwd(n int) tenfold.Entry {
	return context("<environment_context>\n<cwd>/src/" + strconv.Itoa(n) + "</cwd>\n</environment_context>")
}

// briefed is three turns with standing instructions at the start, and a newer
// version of one in turn 1.
func briefed() []tenfold.Entry {
	return []tenfold.Entry{
		start(), rules(1), cwd(1), user("ask 0"), say("told 0"),
		start(), cwd(2), user("ask 1"), say("told 1"),
		start(), user("ask 2"), say("told 2"),
	}
}

const (
	rules1 = "user: # AGENTS.md instructions for /src\n\nrule 1"
	rules2 = "user: # AGENTS.md instructions for /src\n\nrule 2"
	cwd1   = "user: <environment_context>\n<cwd>/src/1</cwd>\n</environment_context>"
	cwd2   = "user: <environment_context>\n<cwd>/src/2</cwd>\n</environment_context>"
)

func TestP8aTheNewestVersionOfAContextStays(t *testing.T) {
	tail := []string{"user: ask 2", "assistant: told 2"}
	omit := func(id string, to int) tenfold.Entry {
		return overlay(id, tenfold.Compaction{ToTurn: to, Turns: tenfold.Omit})
	}
	foreign := func(to int) tenfold.Entry {
		return overlay("f", tenfold.Compaction{ToTurn: to, Turns: tenfold.Omit, Source: "import"})
	}
	pair := []string{heading, "assistant: S"}
	for name, c := range map[string]struct {
		after []tenfold.Entry
		want  []string
	}{
		"a summary":               {[]tenfold.Entry{summary("s", 0, 1, "S")}, flat([]string{rules1, cwd2}, pair, tail)},
		"an omission":             {[]tenfold.Entry{omit("o", 1)}, flat([]string{rules1, cwd2}, tail)},
		"the newest in no range":  {[]tenfold.Entry{summary("s", 0, 0, "S")}, flat([]string{rules1}, pair, []string{cwd2, "user: ask 1", "assistant: told 1"}, tail)},
		"a policy for texts":      {[]tenfold.Entry{overlay("x", tenfold.Compaction{ToTurn: 1, Texts: &tenfold.TextPolicy{Rest: tenfold.Omit}})}, flat([]string{rules1, "user: ask 0", cwd2, "user: ask 1"}, tail)},
		"undone":                  {[]tenfold.Entry{omit("o", 1), revoke("r", "o")}, flat([]string{rules1, cwd1, "user: ask 0", "assistant: told 0", cwd2, "user: ask 1", "assistant: told 1"}, tail)},
		"a version after it":      {[]tenfold.Entry{omit("o", 1), start(), rules(2)}, flat([]string{rules1, cwd2}, tail, []string{rules2})},
		"and compacted again":     {[]tenfold.Entry{omit("o", 1), start(), rules(2), omit("p", 2)}, []string{cwd2, rules2}},
		"another tool's":          {[]tenfold.Entry{foreign(1)}, tail},
		"ours over another's":     {[]tenfold.Entry{foreign(0), omit("o", 1)}, flat([]string{cwd2}, tail)},
		"a newer one that it hid": {[]tenfold.Entry{overlay("f", tenfold.Compaction{FromTurn: 1, ToTurn: 1, Turns: tenfold.Omit, Source: "import"}), omit("o", 1)}, flat([]string{rules1, cwd1}, tail)},
	} {
		t.Run(name, func(t *testing.T) { sees(t, project(t, append(briefed(), c.after...)...), c.want...) })
	}
}

func TestP8aAContextSaysWhyItStays(t *testing.T) {
	p := project(t, append(briefed(), summary("s", 0, 1, "S"))...)
	for seq, want := range map[int64]tenfold.Reason{
		2: tenfold.ReasonContext, 3: tenfold.ReasonSummary, 4: tenfold.ReasonSummary, 7: tenfold.ReasonContext,
	} {
		if got := p.Why(seq); got != want {
			t.Errorf("entry %d: %q, want %q", seq, got, want)
		}
	}
}

func TestP8aWhatAContextIsAbout(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"the file of one place":     {"# AGENTS.md instructions for /a\n\nx", "# AGENTS.md instructions for /a\n\ny", true},
		"of another":                {"# AGENTS.md instructions for /a\n\nx", "# AGENTS.md instructions for /b\n\nx", false},
		"the one environment":       {"<environment_context>\n<cwd>/a</cwd>", "<environment_context>\n<cwd>/b</cwd>", true},
		"reminders of one file":     {"<system-reminder>\nContents of /a.md:\nx", "<system-reminder>\nContents of /a.md:\ny", true},
		"of two files":              {"<system-reminder>\nContents of /a.md:\nx", "<system-reminder>\nContents of /b.md:\nx", false},
		"two skills":                {"<skill>\n<name>a</name>", "<skill>\n<name>b</name>", false},
		"heads of documents differ": {"---\nname: a\n", "---\nname: b\n", false},
		"tags with attributes":      {"<doc name=\"a\">\nx", "<doc name=\"b\">\nx", false},
		"nothing but signs":         {"---", "***", false},
	} {
		if a, b := tenfold.ContextSubject(c.a), tenfold.ContextSubject(c.b); (a == b) != c.same {
			t.Errorf("%s: %q and %q", name, a, b)
		}
	}
}

// P8a over generated logs: a compaction of ours leaves of each standing instruction
// the newest version that was shown.
func TestP8aNoContextIsLost(t *testing.T) {
	checked, runs := 0, 0
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		runs++
		for _, reader := range readers() {
			l := tenfold.NewLog()
			p := tenfold.ProjectBranch(l, reader)
			for i, e := range entries {
				if brief := [...]tenfold.Entry{rules(i), cwd(i)}; i%3 == 0 {
					if _, err := l.Append(brief[i%2]); err != nil {
						t.Fatal(err)
					}
					p.Advance()
				}
				before := contexts(p)
				if _, err := l.Append(e); err != nil {
					t.Fatal(err)
				}
				p.Advance()
				last, _ := l.Entry(l.Version())
				if c, ok := last.Payload.(tenfold.Compaction); !ok || c.Source == "import" || last.ID != e.ID {
					continue
				}
				after := contexts(p)
				for subject, seq := range before {
					checked++
					if after[subject] < seq {
						t.Fatalf("%s: entry %d was shown, now %d", subject, seq, after[subject])
					}
				}
			}
		}
	})
	if checked < runs {
		t.Fatalf("only %d contexts met a compaction", checked)
	}
}

// contexts gives the newest entry that a projection shows of each context.
func contexts(p *tenfold.Projection) map[string]int64 {
	shown := map[string]int64{}
	for it := range p.Items() {
		raw, _ := p.Log().Entry(it.Seq)
		m, ok := raw.Payload.(tenfold.UserMessage)
		if !ok || m.Purpose != tenfold.Context {
			continue
		}
		for _, part := range m.Parts {
			if part.File == nil && strings.TrimSpace(part.Text) != "" {
				subject := it.Branch + ": " + tenfold.ContextSubject(part.Text)
				shown[subject] = max(shown[subject], it.Seq)
			}
		}
	}
	return shown
}
