package tenfold

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// ErrPayloadType says that a payload is not of a type of this package: a type
// that embeds one of them, or that only implements [Payload], is kept by no log.
var ErrPayloadType = errors.New("not a payload type of package tenfold")

// isValue reports whether a payload is one of the structs of this package, which
// is what everything else here knows.
func isValue(p Payload) bool {
	switch p.(type) {
	case TurnStart, UserMessage, AssistantMessage, Reasoning, ToolCall, ToolResult, ProviderItem,
		Approval, Usage, ConfigDelta, Compaction, CompactionRevoked, CompactionFailed, Pin, Unpin, Unknown:
		return true
	}
	return false
}

// value gives the payload that p is or points to. A nil pointer is
// ErrNoPayload, a type of somebody else's ErrPayloadType.
func value(p Payload) (Payload, error) {
	if isValue(p) {
		return p, nil
	}
	switch p := p.(type) {
	case nil:
		return nil, ErrNoPayload
	case *TurnStart:
		return pointed(p)
	case *UserMessage:
		return pointed(p)
	case *AssistantMessage:
		return pointed(p)
	case *Reasoning:
		return pointed(p)
	case *ToolCall:
		return pointed(p)
	case *ToolResult:
		return pointed(p)
	case *ProviderItem:
		return pointed(p)
	case *Approval:
		return pointed(p)
	case *Usage:
		return pointed(p)
	case *ConfigDelta:
		return pointed(p)
	case *Compaction:
		return pointed(p)
	case *CompactionRevoked:
		return pointed(p)
	case *CompactionFailed:
		return pointed(p)
	case *Pin:
		return pointed(p)
	case *Unpin:
		return pointed(p)
	case *Unknown:
		return pointed(p)
	}
	return nil, fmt.Errorf("%T: %w", p, ErrPayloadType)
}

func pointed[T Payload](p *T) (Payload, error) {
	if p == nil {
		return nil, fmt.Errorf("a nil %T: %w", p, ErrNoPayload)
	}
	return *p, nil
}

// values gives entries whose payloads are values: the slice given, or a copy of
// it where some are pointers.
func values(entries []Entry) ([]Entry, error) {
	out := entries
	for i := range entries {
		if isValue(entries[i].Payload) {
			continue
		}
		p, err := value(entries[i].Payload)
		if err != nil {
			return nil, fmt.Errorf("append entry %q: %w", entries[i].ID, err)
		}
		if &out[0] == &entries[0] {
			out = slices.Clone(entries)
		}
		out[i].Payload = p
	}
	return out, nil
}

// Canonical gives a payload as every store gives it back: the value where p is a
// pointer, and what stands in JSON as JSON has it. A payload that could not be
// read back is an error. Writers of logs append what Canonical gives, so that a
// log in memory and the same log reopened are equal.
func Canonical(p Payload) (Payload, error) {
	p, err := value(p)
	if err != nil || survives(p) {
		return p, err
	}
	r, err := NewRecord(p)
	if err == nil {
		p, err = r.Payload()
	}
	if err != nil {
		return nil, fmt.Errorf("the %s could not be read back: %w", r.Kind, err)
	}
	return p, nil
}

// survives reports whether a payload is known to come back as it is without
// writing it: so is nearly all that a conversation is made of.
func survives(p Payload) bool {
	switch p := p.(type) {
	case TurnStart, AssistantMessage:
		return true
	case UserMessage:
		return isPlain(p.Parts) && p.Attachments == nil && utf8.ValidString(p.Role) && utf8.ValidString(p.Provider)
	case ToolCall:
		return utf8.ValidString(p.CallID) && utf8.ValidString(p.Name)
	case ToolResult:
		return isPlain(p.Parts) && utf8.ValidString(p.CallID)
	case Reasoning:
		return utf8.ValidString(p.Provider) && utf8.ValidString(p.Signature) && utf8.ValidString(p.Encrypted) &&
			utf8.ValidString(p.ItemID) && utf8.ValidString(p.CallID)
	}
	return false
}
