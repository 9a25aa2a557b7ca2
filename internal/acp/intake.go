package acp

import (
	"bufio"
	"bytes"
	"encoding/json" // as the SDK reads messages: what it takes for a prompt is one here
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"

	sdk "github.com/coder/acp-go-sdk"
)

// The SDK ends the connection at a longer message, and all sessions with it.
const (
	mostMessage = 10<<20 - 64<<10
	mostRefused = 256 << 20 // is read, to be answered by its id
)

// intake gives the SDK the editor's messages, a line at a time. It answers those
// that are too long for it, and holds a cancellation back until the prompts before
// it have begun: the SDK begins each by itself, and the two would overtake.
type intake struct {
	in      *bufio.Reader
	out     *closingWriter
	ended   func()          // at the end: the SDK answers nothing any more once it has seen that
	prompts *sync.WaitGroup // as the handler ends it for each prompt
	open    <-chan struct{} // nothing is read before

	line, rest []byte
	prompted   map[string]sdk.SessionId // by the id of a session's newest prompt
}

// cancelRequest cancels any request by its id. That of a prompt is the cancellation of
// its session: the SDK's would end the context of the request, which is not the run's.
const cancelRequest = "$/cancel_request"

// Read implements [io.Reader].
func (r *intake) Read(p []byte) (int, error) {
	<-r.open
	for len(r.rest) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads the next message into rest, or answers it and leaves rest empty.
func (r *intake) next() error {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.line = append(r.line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(r.line) > 0:
		case errors.Is(err, bufio.ErrBufferFull) && len(r.line) <= mostRefused:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return bufio.ErrTooLong
		default:
			r.ended()
			return err
		}
		break
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	known := json.Unmarshal(bytes.TrimSpace(r.line), &m) == nil // the SDK reports what is not
	if len(r.line) > mostMessage {
		r.line = nil
		r.out.asked.Add(1)
		return r.refuse(m.ID)
	}
	if known && m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" {
		r.out.asked.Add(1)
	}
	switch {
	case !known:
	case m.Method == sdk.AgentMethodSessionPrompt:
		var p sdk.PromptRequest
		if json.Unmarshal(m.Params, &p) == nil && p.Validate() == nil { // else it never begins
			r.prompts.Add(1)
			maps.DeleteFunc(r.prompted, func(_ string, s sdk.SessionId) bool { return s == p.SessionId })
			r.prompted[string(m.ID)] = p.SessionId
		}
	case m.Method == cancelRequest:
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &p) // one without an id is the SDK's to report
		if session, ok := r.prompted[string(p.ID)]; ok {
			quoted, err := json.Marshal(session)
			if err != nil {
				return err
			}
			r.line = fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"sessionId":%s}}`+"\n", sdk.AgentMethodSessionCancel, quoted)
			r.prompts.Wait()
		}
	case m.Method == sdk.AgentMethodSessionCancel:
		r.prompts.Wait()
	}
	r.rest = r.line
	return nil
}

// refuse answers a message that is too long.
func (r *intake) refuse(id json.RawMessage) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": invalid("the message is larger than 10 MB: name the file instead, or make it smaller"),
	})
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(line, '\n'))
	return err
}
