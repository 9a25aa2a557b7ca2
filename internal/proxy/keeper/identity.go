package keeper

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/wire"
)

// An identity says whose history a request has (live X2).
type identity struct {
	// key groups histories in memory. It is made of the session that the client
	// names, or else of its credentials.
	key string
	// origin finds the conversations of the same client in the store, after a
	// restart. Credentials are not part of it, whatever form they have: where the
	// client names no session, the history's first message takes their place.
	origin string
	// tool is the agent, as package transcript calls it; empty where nobody says.
	tool string
	// class is what Claude Code says of a request.
	class class
}

// A class is what Claude Code calls a kind of request, so that no prompt need be
// known by its phrases.
type class string

// The classes that matter here; the others are parts of a conversation.
const (
	classCompaction class = "compaction"
	classAuxiliary  class = "auxiliary"  // titles, suggestions, summaries for itself
	classSideReply  class = "side_reply" // a question beside the conversation
)

// beside tells of requests that do not belong to a conversation: they pass
// unrecorded.
func (c class) beside() bool { return c == classAuxiliary || c == classSideReply }

// asksJSON tells of what Gemini CLI asks for itself in the midst of a conversation:
// which model to take, who speaks next, whether it runs in circles. Its own requests
// for an answer never want JSON.
func asksJSON(in proxy.Incoming) bool {
	return in.Protocol.Name() == "gemini" && bytes.Contains(in.Body, []byte(`"responseMimeType":"application/json"`))
}

// classHeader is sent where CLAUDE_CODE_GATEWAY_HINT_HEADERS=1 is set.
const classHeader = "X-Claude-Code-Request-Class"

// sessionHeaders name a client's session: all that a row names stand together, and
// the first row of which any is there counts.
var sessionHeaders = []struct {
	tool  string
	names []string
}{
	{"claude-code", []string{"X-Claude-Code-Session-Id", "X-Claude-Code-Agent-Id"}},
	{"codex", []string{"Session-Id", "Thread-Id", "Session_id", "Conversation_id"}},
	{"opencode", []string{"X-Session-Id"}},
	{"opencode", []string{"X-Opencode-Session"}},
}

// tools are the agents that can be started through us, by what they are called there.
var tools = map[string]string{"claude-code": "claude-code", "codex": "codex", "gemini-cli": "gemini-cli", "opencode": "opencode", "pi": "pi"}

// credentialHeaders are where clients put what tells one of them from another.
var credentialHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Chatgpt-Account-Id"}

// longestName bounds what is taken for the name of a session: headers are a
// stranger's.
const longestName = 200

// identify says whose a request is. The secret is that of this process, so that
// what is made of credentials says nothing anywhere else.
func identify(in proxy.Incoming, first wire.Sum, secret []byte) identity {
	id := identity{tool: tools[in.Client], class: class(in.Header.Get(classHeader))}
	named, tool := sessionOf(in.Header)
	id.tool = cmp.Or(id.tool, tool)
	name := in.Protocol.Name()
	if named != "" {
		id.key = hashed("session", name, tool, named)
		id.origin = id.key
		return id
	}
	mac := hmac.New(sha256.New, secret)
	for _, h := range credentialHeaders {
		for _, v := range in.Header.Values(h) {
			_, _ = mac.Write([]byte(h + "\x00" + v + "\x00"))
		}
	}
	id.key = hashed("credentials", name, in.Client, in.Dir, string(mac.Sum(nil)))
	id.origin = hashed("history", name, in.Client, in.Dir, string(first[:]))
	return id
}

// sessionOf gives what a client calls its session; empty where it does not.
func sessionOf(h http.Header) (named, tool string) {
	for _, row := range sessionHeaders {
		var all []string
		found := false
		for _, name := range row.names {
			v := h.Get(name)
			if len(v) > longestName {
				v = hashed(v)
			}
			found = found || v != ""
			all = append(all, v)
		}
		if found {
			return strings.Join(all, "\x00"), row.tool
		}
	}
	return "", ""
}

// hashed is a name made of parts, which says nothing of them.
func hashed(parts ...string) string {
	h := sha256.New()
	_, _ = h.Write([]byte("proxy\x00"))
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		_, _ = h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
