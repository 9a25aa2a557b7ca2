package wire

import (
	"bytes"
	"strconv"
	"strings"

	"tenfold"
)

// Codex asks for its own compaction by a last item of this type, and takes one
// item of the type compaction for an answer: it knows nothing of what that holds,
// and sends it back in place of all that came before, the user's own words aside
// (live X4, seen with 0.169).
const (
	triggerType    = "compaction_trigger"
	compactionType = "compaction"
)

// A Handle stands in Codex's history for what we compacted: it names the epoch
// whose view that is. It is a claim, and a client can write any: expand one only
// in the conversation that it names, for whom that conversation belongs to.
type Handle struct{ Conversation, Epoch string }

// handlePrefix tells our handles from what OpenAI encrypts; a later form of them
// has another number.
const handlePrefix = "tenfold.1."

// maxHandleID bounds each of the ids in a handle.
const maxHandleID = 128

// String writes the handle; empty for one whose ids cannot stand in it.
func (h Handle) String() string {
	if !plainID(h.Conversation) || !plainID(h.Epoch) {
		return ""
	}
	return handlePrefix + strconv.Itoa(len(h.Conversation)) + "." + h.Conversation + "." + h.Epoch
}

// ParseHandle reads what [Handle.String] wrote. It is false for all else: what a
// vendor encrypted, and handles that were cut or made up.
func ParseHandle(text string) (Handle, bool) {
	rest, ok := strings.CutPrefix(text, handlePrefix)
	if !ok {
		return Handle{}, false
	}
	length, rest, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 || n >= len(rest) || rest[n] != '.' {
		return Handle{}, false
	}
	h := Handle{rest[:n], rest[n+1:]}
	return h, h.String() == text
}

// plainID reports whether an id is made of characters that mean nothing to
// anybody: to JSON, a terminal, a path, a query.
func plainID(id string) bool {
	if id == "" || len(id) > maxHandleID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && id[0] != '.':
		default:
			return false
		}
	}
	return true
}

// Triggered reports whether a request asks for Codex's own compaction: its last
// item is the trigger. The rest is the history as it stands.
func Triggered(r *Request) bool {
	n := len(r.Messages)
	return n > 0 && itemType(r, n-1) == triggerType
}

func itemType(r *Request, i int) string {
	f, err := fieldsAt(r.Body, Span{r.Messages[i].From, r.Messages[i].To})
	if err != nil {
		return ""
	}
	kind, _ := f.get("type")
	return kind.text(r.Body)
}

// AnswerHandle writes the answer to a trigger: the one item that may answer it,
// and the usage by which Codex tells how full its context is.
func AnswerHandle(r *Request, h Handle, usage tenfold.Usage) (contentType string, body []byte) {
	text := h.String()
	id := r.answerID(text)
	return responsesAnswer(r, id, `{"type":"`+compactionType+`","id":"cmp_`+id+`","encrypted_content":`+string(quote(text))+`}`, usage)
}

// A Placed is a handle and the message of a request that it stands in.
type Placed struct {
	Handle  Handle
	Message int
}

// Handles finds our handles in a request, the first of them first: what stands for
// the history before the last of them is what to look up.
func Handles(r *Request) (list []Placed) {
	for i, m := range r.Messages {
		at := Span{m.From, m.To}
		// Most messages are passed over unread.
		if !m.Model || m.To-m.From > mostHandleItem || !bytes.Contains(at.of(r.Body), []byte(handlePrefix)) || itemType(r, i) != compactionType {
			continue
		}
		f, _ := fieldsAt(r.Body, at)
		text, _ := f.get("encrypted_content")
		if h, ok := ParseHandle(text.text(r.Body)); ok {
			list = append(list, Placed{h, i})
		}
	}
	return list
}

// mostHandleItem bounds an item that holds a handle, whatever a client adds to it.
const mostHandleItem = 1 << 10
