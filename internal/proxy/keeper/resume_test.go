package keeper_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/body"
)

// X2, V2c: Gemini CLI resumes a session with its results doubled and its calls
// unsigned. That is the history that it left, whose cache may be cold by then: through a
// proxy of its own each time, and through one that goes on, whether what was answered
// is in the store by then or not.
func TestX2GeminiResumesOneConversation(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ anew, hasty, stopped bool }{
		"anew": {anew: true}, "late": {}, "soon": {hasty: true}, "stopped": {hasty: true, stopped: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			geminiResumes(t, one.anew, one.hasty, one.stopped)
		})
	}
}

func geminiResumes(t *testing.T, anew, hasty, stopped bool) {
	t.Helper()
	d := dialects["gemini"]
	d.client = "gemini-cli"
	d.call = func(n int) string {
		return fmt.Sprintf(`{"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"call_%d","name":"read_file","args":{}},"thoughtSignature":"c2lnbmVk"}]}`, n)
	}
	answer := d.response
	d.response = func(message string, input, cached int) string { // with a thought, which the client keeps for itself
		return answer(strings.Replace(message, `"parts":[`, `"parts":[{"text":"hm","thought":true},`, 1), input, cached)
	}
	d.check = func([]byte) []body.Violation { return nil } // what the client doubles is its own affair
	s := newSpeaker(t, "", d, func() bool { return false })
	s.hasty = hasty
	s.live.Turns = 12 // room for them is worth making early
	result := regexp.MustCompile(`^(\{"role":"user","parts":\[)(\{"functionResponse".*\})(\]\})$`)
	doubled := 0
	for n := range 8 {
		s.messages = append(s.messages, s.user(fmt.Sprintf("Look at file_%d.go, please.", n)))
		s.takes(s.call(n))
		s.messages = append(s.messages, s.result(n, file(n, 1600)))
		s.takes(s.said(n))
		if n == 3 && stopped { // it is stopped before the model answers, and forgets what was asked
			s.ask(s.user("Look at everything.")).Done(200, true)
		}
		for i, m := range s.messages {
			if i >= doubled {
				m = result.ReplaceAllString(m, "$1$2,$2$3")
			}
			s.messages[i] = strings.Replace(m, "c2lnbmVk", "skip_thought_signature_validator", 1)
		}
		doubled = len(s.messages)
		if anew {
			s.restart()
		}
		if n == 5 {
			s.pass(time.Hour)
		}
	}
	s.close()
	all := s.conversations()
	if len(all) != 1 || len(s.failures()) > 0 {
		t.Fatalf("%d conversations, failures: %q", len(all), s.failures())
	}
	for c, err := range s.service().List(t.Context()) {
		if err != nil || c.Origin.Tool != "gemini-cli" {
			t.Errorf("the tool is %q, %v", c.Origin.Tool, err)
		}
	}
	var reasons []string
	results := 0
	p := s.open(all[0]).Projection()
	if said := strings.Join(texts(s.open(all[0]), true), "; "); !strings.Contains(said, "file 7 is read") || strings.Contains(said, "everything") {
		t.Errorf("the view says %q", said)
	}
	for e := range p.Log().Entries() {
		if p.Rewound(e.Seq) {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.Compaction:
			if p.Rewinds() {
				continue
			}
			reasons = append(reasons, p.Reason)
		case tenfold.ToolResult:
			results++
		}
	}
	if results != 8 || len(reasons) != 1 || !strings.HasPrefix(reasons[0], "the prompt cache is cold") {
		t.Errorf("%d results, compactions %q", results, reasons)
	}
	if last := s.sent[len(s.sent)-1]; strings.Contains(last, "a line of file 0") || strings.Count(last, "a line of file 6") != 80 {
		t.Errorf("the first result is not shortened, or the newest is: %.3000s", last)
	}
}
