package memory

import (
	"slices"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/record"
)

// kept gives a payload as the store keeps it: what a store on disk would give
// back, with no slice that the caller has. One of strings alone is kept as it
// is, one of a single text with a slice of its own, any other as its record.
func kept(p tenfold.Payload) (tenfold.Payload, error) {
	switch q := p.(type) {
	case tenfold.TurnStart:
		return p, nil
	case tenfold.AssistantMessage:
		if valid(q.Phase, q.Signature) {
			return p, nil
		}
	case tenfold.Reasoning:
		if valid(q.Provider, q.Signature, q.Encrypted, q.ItemID, q.CallID) {
			return p, nil
		}
	case tenfold.ToolCall:
		if valid(q.CallID, q.Name) {
			return p, nil
		}
	case tenfold.ToolResult:
		if isText(q.Parts) && valid(q.CallID, string(q.Outcome)) {
			return ownText(p), nil
		}
	case tenfold.UserMessage:
		if isText(q.Parts) && q.Attachments == nil && valid(string(q.Purpose)) {
			return ownText(p), nil
		}
	}
	r, err := record.New(p)
	return held{r}, err
}

// handedOut gives a payload that was kept; its slices belong to the caller.
func handedOut(p tenfold.Payload) (tenfold.Payload, error) {
	switch p := p.(type) {
	case held:
		return p.Payload()
	case packed:
		return p.payload()
	}
	return ownText(p), nil
}

// held is a payload as a store on disk keeps it.
type held struct{ record.Record }

// Kind implements [tenfold.Payload].
func (r held) Kind() tenfold.Kind { return r.Record.Kind }

// ownText gives a message or a result of one text a slice of its own.
func ownText(p tenfold.Payload) tenfold.Payload {
	switch q := p.(type) {
	case tenfold.ToolResult:
		q.Parts = tenfold.Text(q.Parts[0].Text)
		return q
	case tenfold.UserMessage:
		q.Parts = tenfold.Text(q.Parts[0].Text)
		return q
	}
	return p
}

func isText(parts []tenfold.Part) bool {
	return len(parts) == 1 && parts[0].File == nil && parts[0].Text != ""
}

// valid reports whether the short strings of a payload come back from a record
// as they are; long texts always do.
func valid(list ...string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !utf8.ValidString(s) })
}
