package tenfold

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// codecOptions take what real transcripts hold: repeated names, and strings
// that are not quite UTF-8 (lone surrogates become U+FFFD).
var codecOptions = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
)

// AppendEntry appends the entry's JSON form to dst: one object on one line,
// without the line's end. The form is stable: members may be added, none is
// renamed or removed. Payload members stand beside the envelope's:
//
//	{"seq":3,"time":"2026-01-02T15:04:05Z","id":"…","kind":"tool_call",
//	 "branch":"root.scout","message_id":"msg_1","tokens":12,
//	 "call_id":"c1","name":"read","arguments":{"path":"a.go"},"origin":{…}}
//
// Arguments that are no JSON on one line stand in "arguments_text" instead.
// Text that is not UTF-8 is written with U+FFFD in place of the bad bytes.
func AppendEntry(dst []byte, e Entry) ([]byte, error) {
	body, err := MarshalPayload(e.Payload)
	if err != nil {
		return dst, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	dst = append(dst, '{')
	if e.Seq != 0 {
		dst = append(dst, `"seq":`...)
		dst = strconv.AppendInt(dst, e.Seq, 10)
		dst = append(dst, ',')
	}
	if !e.Time.IsZero() {
		dst = append(dst, `"time":"`...)
		dst = e.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
		dst = append(dst, `",`...)
	}
	dst = append(dst, `"id":`...)
	dst = appendString(dst, e.ID)
	dst = append(dst, `,"kind":`...)
	dst = appendString(dst, string(e.Payload.Kind()))
	for _, m := range [...]struct{ name, value string }{{"branch", e.Branch}, {"message_id", e.MessageID}} {
		if m.value != "" {
			dst = append(dst, `,"`+m.name+`":`...)
			dst = appendString(dst, m.value)
		}
	}
	if e.Tokens != 0 {
		dst = append(dst, `,"tokens":`...)
		dst = strconv.AppendInt(dst, int64(e.Tokens), 10)
	}
	if len(body) > len(`{}`) {
		dst = append(dst, ',')
		dst = append(dst, body[1:len(body)-1]...)
	}
	if e.Source != "" {
		if isLine(e.Source) {
			dst = append(dst, `,"origin":`...)
			dst = append(dst, e.Source...)
		} else {
			dst = append(dst, `,"origin_text":`...)
			dst = appendString(dst, e.Source)
		}
	}
	return append(dst, '}'), nil
}

// ParseEntry reads the JSON form of one entry. Members it does not know are
// kept when the kind is unknown (L4).
func ParseEntry(line []byte) (Entry, error) {
	var e Entry
	var kind Kind
	rest := append(make([]byte, 0, len(line)), '{')
	dec := jsontext.NewDecoder(bytes.NewBuffer(line), codecOptions)
	tok, err := dec.ReadToken()
	if err != nil {
		return e, fmt.Errorf("read entry: %w", err)
	}
	if tok.Kind() != '{' {
		return e, fmt.Errorf("an entry is a JSON object, this is %v", tok.Kind())
	}
	for dec.PeekKind() != '}' {
		rawName, err := dec.ReadValue()
		if err != nil {
			return e, fmt.Errorf("read entry: %w", err)
		}
		rawName = rawName.Clone()
		value, err := dec.ReadValue()
		if err != nil {
			return e, fmt.Errorf("read entry: %w", err)
		}
		name := string(rawName[1 : len(rawName)-1])
		if target := e.envelope(name, &kind); target != nil {
			if err := json.Unmarshal(value, target, codecOptions); err != nil {
				return e, fmt.Errorf("read entry: %s: %w", name, err)
			}
			continue
		}
		if name == "origin" {
			e.Source = string(value)
			continue
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(rest, rawName...), ':'), value...)
	}
	if _, err := dec.ReadToken(); err != nil {
		return e, fmt.Errorf("read entry: %w", err)
	}
	if left := bytes.TrimSpace(line[dec.InputOffset():]); len(left) > 0 {
		return e, fmt.Errorf("read entry: %d bytes follow the object at column %d", len(left), dec.InputOffset()+1)
	}
	if e.ID == "" || kind == "" {
		return e, errors.New("an entry has an id and a kind")
	}
	e.Time = e.Time.UTC()
	e.Payload, err = UnmarshalPayload(kind, append(rest, '}'))
	if err != nil {
		return e, fmt.Errorf("entry %s: %w", e.ID, err)
	}
	return e, nil
}

// envelope gives the place of an envelope member, nil for any other.
func (e *Entry) envelope(name string, kind *Kind) any {
	switch name {
	case "seq":
		return &e.Seq
	case "time":
		return &e.Time
	case "id":
		return &e.ID
	case "kind":
		return kind
	case "branch":
		return &e.Branch
	case "message_id":
		return &e.MessageID
	case "tokens":
		return &e.Tokens
	case "origin_text":
		return &e.Source
	}
	return nil
}

// isLine reports whether text is one JSON value that may stand on a line.
func isLine(text string) bool {
	return !strings.ContainsAny(text, "\n\r") && jsontext.Value(text).IsValid(codecOptions)
}

func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst, _ = jsontext.AppendQuote(dst, s) // cannot fail on UTF-8
	return dst
}
