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
// unsigned. That is the history that it left, whose cache may be cold by then.
func TestX2GeminiResumesOneConversation(t *testing.T) {
	t.Parallel()
	d := dialects["gemini"]
	d.client = "gemini-cli"
	d.call = func(n int) string {
		return fmt.Sprintf(`{"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"call_%d","name":"read_file","args":{}},"thoughtSignature":"c2lnbmVk"}]}`, n)
	}
	d.check = func([]byte) []body.Violation { return nil } // what the client doubles is its own affair
	s := newSpeaker(t, "", d, func() bool { return false })
	s.live.Turns = 12 // room for them is worth making early
	result := regexp.MustCompile(`^(\{"role":"user","parts":\[)(\{"functionResponse".*\})(\]\})$`)
	doubled := 0
	for n := range 8 {
		s.messages = append(s.messages, s.user(fmt.Sprintf("Look at file_%d.go, please.", n)))
		s.takes(s.call(n))
		s.messages = append(s.messages, s.result(n, strings.Repeat(fmt.Sprintf("the line of file %d that nobody needs\n", n), 40)))
		s.takes(s.said(n))
		for i, m := range s.messages {
			if i >= doubled {
				m = result.ReplaceAllString(m, "$1$2,$2$3")
			}
			s.messages[i] = strings.Replace(m, "c2lnbmVk", "skip_thought_signature_validator", 1)
		}
		doubled = len(s.messages)
		s.restart()
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
	for e := range s.open(all[0]).Log().Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Compaction:
			reasons = append(reasons, p.Reason)
		case tenfold.ToolResult:
			results++
		}
	}
	if results != 8 || len(reasons) != 1 || !strings.HasPrefix(reasons[0], "the prompt cache is cold") {
		t.Errorf("%d results, compactions %q", results, reasons)
	}
	if last := s.sent[len(s.sent)-1]; strings.Contains(last, "the line of file 0") || strings.Count(last, "the line of file 6") != 80 {
		t.Errorf("the first result is not shortened, or the newest is: %.3000s", last)
	}
}
