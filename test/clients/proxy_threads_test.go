package clients

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"tenfold/test/modelserver"
)

// withThreads has a client let its vendor keep the conversation, and say only what is new, as
// Anthropic's message threads have it; false for one that cannot.
func (f *front) withThreads() bool {
	switch f.Client.Name {
	case "claude-code":
		f.extra = append(f.extra, "CLAUDE_CODE_TETHER_LIVE=1")
	case "pi":
		f.Write(filepath.Join(f.Home, ".pi", "agent", "models.json"), `{"providers":{"anthropic":{"baseUrl":"`+f.URL+`","compat":{"supportsMessageThreads":true}}}}`)
	default:
		return false
	}
	return true
}

// asksForAll holds that a client went on with a thread, and that its vendor saw whole
// conversations alone (live X2).
func (f *front) asksForAll(t *testing.T) {
	t.Helper()
	create, goOn := []byte(`"thread":{"type":"create"`), []byte(`"thread":{"type":"continue"`)
	f.mu.Lock()
	said := false
	for _, body := range f.sent {
		said = said || bytes.Contains(body, goOn)
	}
	f.mu.Unlock()
	reaches := func(what []byte) bool {
		return slices.ContainsFunc(f.Server.Requests(), func(r modelserver.Request) bool { return bytes.Contains(r.Body, what) })
	}
	if !said || reaches(goOn) || !reaches(create) {
		t.Errorf("the client goes on with a thread: %v; that reaches the model: %v, its beginning: %v", said, reaches(goOn), reaches(create))
	}
}
