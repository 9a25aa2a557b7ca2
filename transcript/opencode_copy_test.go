package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// A copy of a session that goes on elsewhere has ids of its own: opencode would import
// what has those of the original into that. Their order is the original's.
func TestOpenCodeTakesACopyBack(t *testing.T) {
	const (
		session = "ses_ddc0948c0ffehEqxB9c26PDIYG"
		one     = "msg_223f6b9780018NLIkxvOZO1BRH"
		two     = "msg_223f6bb15001FAZPaK4DZ19eAK"
		part    = "prt_223f6bb15002aaaaaaaaaaaaaa"
	)
	original := `{"info":{"id":"` + session + `","title":"t","directory":"/demo","time":{"created":1,"updated":1}},"messages":[` +
		`{"info":{"id":"` + one + `","sessionID":"` + session + `","role":"user","time":{"created":1}},"parts":[{"id":"prt_223f6b978002bbbbbbbbbbbbbb","messageID":"` + one + `","sessionID":"` + session + `","type":"text","text":"what is \"` + one + `\"?"}]},` +
		`{"info":{"id":"` + two + `","parentID":"` + one + `","sessionID":"` + session + `","role":"assistant","time":{"created":1},"modelID":"m","providerID":"p"},"parts":[{"id":"` + part + `","messageID":"` + two + `","sessionID":"` + session + `","type":"text","text":"ok"}]}]}`
	got, err := importText(t, "session.json", original)
	if err != nil {
		t.Fatal(err)
	}
	entries := append(slices.Clone(got.Entries), tenfold.Entry{ID: "x1", Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}})
	view := View{Conversation: got.Conversation, Projection: projected(t, entries), Copied: true}
	view.ID = "01a223f6-cef7-71f7-ae3f-6922fc2eec65"
	var b bytes.Buffer
	if _, err := Export(&b, OpenCode, view); err != nil {
		t.Fatal(err)
	}
	for id, times := range map[string]int{session: 0, one: 1, two: 0, part: 0} { // once in what was said
		if n := strings.Count(b.String(), id); n != times {
			t.Errorf("%s stands %d times in\n%s", id, n, b.String())
		}
	}
	again, err := importText(t, "session.json", b.String())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(again.ID, "ses_ddc0948c0ffe") || again.ID == session {
		t.Errorf("the session is %s", again.ID)
	}
	if said, want := allSaid(t, again), allSaid(t, Collected{Entries: entries}); !slices.Equal(said, want) {
		t.Errorf("it says %q, not %q", said, want)
	}
}
