package client

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// A LogEntry is an entry of a log. To append one give its payload, and what else is
// known of it: id, branch, message id, time. The server gives it its place and its
// tokens.
type LogEntry struct{ tenfold.Entry }

// Log makes entries of payloads, one after the other.
func Log(payloads ...tenfold.Payload) []LogEntry {
	entries := make([]LogEntry, len(payloads))
	for i, p := range payloads {
		entries[i].Payload = p
	}
	return entries
}

// MarshalJSONTo implements [json.MarshalerTo].
func (e LogEntry) MarshalJSONTo(enc *jsontext.Encoder) error {
	if e.Payload == nil {
		return errors.New("an entry has a payload")
	}
	line, err := tenfold.AppendEntry(nil, e.Entry)
	if err != nil {
		return err
	}
	if e.ID == "" { // the server makes one
		line = bytes.Replace(line, []byte(`"id":"",`), nil, 1)
	}
	return enc.WriteValue(line)
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (e *LogEntry) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	line, err := dec.ReadValue()
	if err != nil {
		return err
	}
	e.Entry, err = tenfold.ParseEntry(line)
	return err
}

// A PlannedCompaction is a compaction of a plan.
type PlannedCompaction struct{ tenfold.Compaction }

// MarshalJSONTo implements [json.MarshalerTo].
func (o PlannedCompaction) MarshalJSONTo(enc *jsontext.Encoder) error {
	value, err := tenfold.MarshalPayload(o.Compaction)
	if err != nil {
		return err
	}
	return enc.WriteValue(value)
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (o *PlannedCompaction) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	payload, err := tenfold.UnmarshalPayload(tenfold.KindCompaction, value)
	if err != nil {
		return err
	}
	c, ok := payload.(tenfold.Compaction)
	if !ok {
		return errors.New("this is not a compaction as docs/json.md describes it, or one of a newer version")
	}
	o.Compaction = c
	return nil
}
