package clients

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// TestRunClaudeCodeTellsWhatItDoes holds that what the newest models say to the user between calls,
// which Claude Code asks for in a terminal and gets as signed thinking, is kept as what they said. The
// model server refuses it as thinking under another prefix, such as that of an epoch which has begun.
func TestRunClaudeCodeTellsWhatItDoes(t *testing.T) {
	t.Parallel()
	const most = 16
	f := proxied(t, ClaudeCode(), nil, func(p *Place) modelserver.Script {
		var steps []modelserver.Reply
		for n := 1; n <= most; n++ {
			command := fmt.Sprintf("seq %d %d", 10_000*n, 10_000*n+1200)
			steps = append(steps, modelserver.Thinking(fmt.Sprintf("Part %d of the ledger is in order.", n), modelserver.Calls(p.Client.Runs(command))))
			if n > 6 {
				steps = append(steps, modelserver.Text(fmt.Sprintf("I counted to part %d.", n)))
			}
		}
		return modelserver.Sequence(steps...)
	})
	f.Write(filepath.Join(f.Home, ".claude.json"), fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark",
		"customApiKeyResponses":{"approved":["test"],"rejected":[]},"projects":{%q:{"hasTrustDialogAccepted":true}}}`, f.Dir))
	term := f.sit(t, append([]string{"--model", "claude-opus-5-5"}, claudeFlags[2:]...)...)
	term.await("a prompt", func() bool {
		return strings.Contains(term.shown(), "shortcuts") || strings.Contains(term.shown(), "Try")
	})
	says := func(text string) func() bool {
		return func() bool { return len(f.Sessions()) > 0 && strings.Contains(f.read(f.Sessions()[0].Path), text) }
	}
	counted := 7
	term.enter("Count with care.")
	term.await("an answer", says("I counted to part 7."))
	for ; f.keeper.Status()[0].Edited == 0 && counted < most; counted++ { // a compaction is made beside it
		term.enter("Count on.")
		term.await("another answer", says(fmt.Sprintf("I counted to part %d.", counted+1)))
	}
	if s := f.holds(t); s.edited == 0 {
		t.Fatalf("%+v of %+v", s, f.keeper.Status())
	}
	last := string(f.last().Body)
	if thinking := strings.Count(last, `"thinking":"Part `); !strings.Contains(last, `"display":"updates"`) || thinking >= counted {
		t.Errorf("%d of %d are sent as thinking: %s", thinking, counted, regexp.MustCompile(`.{60}Part \d+ of.{40}`).FindAllString(last, -1))
	}
	id := f.keeper.Status()[0].ID
	f.close()
	log, _ := f.tenfold("conversation", "export", id, "--to", "tenfold")
	if n := len(regexp.MustCompile(`"text":"Part \d+ of [^"]*","signature":"`).FindAllString(log, -1)); n != counted {
		t.Errorf("%d of %d are kept as what the model said: %s", n, counted, log)
	}
}
