package cli

import (
	"testing"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/corpustest"
	"tenfold/purpose"
	"tenfold/transcript"
)

func TestL11TheTitleIsTheFirstRequest(t *testing.T) {
	say := func(text string) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}
	}
	note := func(is tenfold.Purpose, text string) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: is, Synthetic: true}}
	}
	agent := say("look around")
	agent.Branch = "scout"
	for name, c := range map[string]struct {
		entries []tenfold.Entry
		want    string
	}{
		"after what the host says": {[]tenfold.Entry{note(tenfold.Context, "Use tabs."), note(tenfold.Notice, "<command-name>/clear</command-name>"), say("Fix the build.")}, "Fix the build."},
		"after a command":          {[]tenfold.Entry{say("/review"), say("Fix the build.")}, "Fix the build."},
		"a command alone":          {[]tenfold.Entry{say("/review")}, "/review"},
		"not an agent's prompt":    {[]tenfold.Entry{agent, say("Fix the build.")}, "Fix the build."},
		"without its reminder":     {[]tenfold.Entry{say("Fix it.\n\n<system-reminder>\nBe brief.\n</system-reminder>")}, "Fix it."},
		"none":                     {[]tenfold.Entry{note(tenfold.Context, "Use tabs.")}, ""},
	} {
		l := tenfold.NewLog()
		if _, err := l.Append(c.entries...); err != nil {
			t.Fatal(err)
		}
		if got := transcripts.FirstWords(l); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Titles of real sessions are one line of a request's words.
func TestL11CorpusTitles(t *testing.T) {
	corpustest.Unraced(t)
	titled := 0
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		file, err := transcript.Open(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var k transcript.Collector
		err = transcript.Import(t.Context(), file.Source, "", &k)
		_ = file.Close()
		if err != nil {
			continue // a file beside a transcript
		}
		for _, c := range k.Conversations {
			l := tenfold.NewLog()
			if _, err := l.Append(c.Entries...); err != nil {
				t.Fatal(err)
			}
			title := transcripts.FirstWords(l)
			if title != "" {
				titled++
			}
			if utf8.RuneCountInString(title) > purpose.TitleWidth || purpose.OfText(title) != tenfold.Request {
				t.Errorf("%s: title %q", f.Name, title)
			}
		}
	}
	if titled < 20 {
		t.Errorf("only %d titles", titled)
	}
}
