package transcript

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"tenfold"
)

// This file proves losslessness for formats whose records are of many shapes:
// what was cut from a record is held by the payloads of the entries that came
// from it, and nothing else differs.

// A group is what came from one record: its Source and what its payloads hold.
type group struct {
	source  any
	entries []tenfold.Entry
}

// recordsIn parts entries by the records they came from. Those of the kinds named
// are frames: records that hold other records.
func recordsIn(tb testing.TB, entries []tenfold.Entry, frames ...tenfold.Kind) (records []group, framed []any) {
	tb.Helper()
	for _, e := range entries {
		frame := false
		for _, k := range frames {
			frame = frame || e.Payload.Kind() == k
		}
		switch {
		case frame:
			framed = append(framed, decodeJSON(tb, []byte(e.Source)))
		case e.Source != "":
			records = append(records, group{source: decodeJSON(tb, []byte(e.Source)), entries: []tenfold.Entry{e}})
		case len(records) > 0 && strings.HasPrefix(e.ID, records[len(records)-1].entries[0].ID+"#"):
			g := &records[len(records)-1]
			g.entries = append(g.entries, e)
		}
	}
	return records, framed
}

// cutOut gives what stands in a document where its frame has null, in order, and
// checks that nothing else differs.
func cutOut(tb testing.TB, document, frame any, at string) []any {
	tb.Helper()
	if frame == nil && document != nil {
		return []any{document}
	}
	var out []any
	switch d := document.(type) {
	case map[string]any:
		f, ok := frame.(map[string]any)
		if !ok || len(f) != len(d) {
			tb.Fatalf("%s: the frame is another", at)
		}
		for _, k := range sortedKeys(d) {
			out = append(out, cutOut(tb, d[k], f[k], at+"."+k)...)
		}
	case []any:
		f, ok := frame.([]any)
		if !ok || len(f) != len(d) {
			tb.Fatalf("%s: the frame is another", at)
		}
		for i := range d {
			out = append(out, cutOut(tb, d[i], f[i], at+"[]")...)
		}
	default:
		if !reflect.DeepEqual(document, frame) {
			tb.Fatalf("%s: %v in the file, %v in the frame", at, document, frame)
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// textsHeld lists the texts that the payloads of a record hold.
func textsHeld(entries []tenfold.Entry) []string {
	var out []string
	parts := func(list []tenfold.Part) {
		for _, p := range list {
			out = append(out, p.Text)
			if p.File != nil {
				out = append(out, p.File.URI, p.File.Detail)
			}
		}
	}
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			parts(p.Parts)
		case tenfold.AssistantMessage:
			out = append(out, p.Text)
		case tenfold.Reasoning:
			out = append(out, p.Text, p.Signature, p.Encrypted, p.ItemID)
		case tenfold.ToolCall:
			out = append(out, p.Arguments)
		case tenfold.ToolResult:
			parts(p.Parts)
		case tenfold.ProviderItem:
			out = append(out, p.Data)
		case tenfold.ConfigDelta:
			if p.System != nil {
				out = append(out, *p.System)
			}
		case tenfold.Compaction:
			if p.Summary != nil {
				out = append(out, p.Summary.Text)
			}
		case tenfold.Approval:
			out = append(out, p.Reason)
		}
	}
	return out
}

// checkCovered checks that a record is its source, with what the payloads hold
// in the place of what was cut. A text may be held with its speaker in front,
// or with more after it.
func checkCovered(tb testing.TB, record any, source any, texts []string, at string) {
	tb.Helper()
	if reflect.DeepEqual(record, source) {
		return
	}
	switch r := record.(type) {
	case string:
		if source == "" {
			for _, t := range texts {
				if t == r || strings.HasSuffix(t, ": "+r) || strings.HasPrefix(t, r+"\n") {
					return
				}
			}
		}
	case map[string]any:
		if s, ok := source.(map[string]any); ok && len(s) == len(r) {
			for k := range r {
				checkCovered(tb, r[k], s[k], texts, at+"."+k)
			}
			return
		}
	case []any:
		if s, ok := source.([]any); ok && len(s) == len(r) {
			for i := range r {
				checkCovered(tb, r[i], s[i], texts, at+"[]")
			}
			return
		}
	}
	if source == nil {
		for _, t := range texts {
			if json.Valid([]byte(t)) && reflect.DeepEqual(decodeJSON(tb, []byte(t)), record) {
				return
			}
		}
	}
	tb.Errorf("%s is lost (%d texts held)", at, len(texts))
}

// checkRecords checks records against the groups that came from them.
func checkRecords(tb testing.TB, records []any, got []group) {
	tb.Helper()
	if len(records) != len(got) {
		tb.Fatalf("%d records have %d sources", len(records), len(got))
	}
	for i, r := range records {
		checkCovered(tb, r, got[i].source, textsHeld(got[i].entries), "record")
	}
}

// rebuildText gives the text that the pieces of entries make.
func rebuildText(tb testing.TB, entries []tenfold.Entry) string {
	tb.Helper()
	var b strings.Builder
	for i, e := range entries {
		if e.Source == "" || !strings.HasPrefix(e.Source, "[") {
			continue
		}
		pieces := decodeJSON(tb, []byte(e.Source)).([]any)
		var texts []string
		for _, x := range entries[i:] {
			if x.ID == e.ID || strings.HasPrefix(x.ID, e.ID+"#") {
				texts = append(texts, pieceTexts(x.Payload)...)
			}
		}
		for _, p := range pieces {
			switch p := p.(type) {
			case string:
				b.WriteString(p)
			case nil:
				b.WriteString(texts[0])
				texts = texts[1:]
			case map[string]any:
				for line := range strings.SplitSeq(texts[0], "\n") {
					b.WriteString(p["prefix"].(string) + line + p["suffix"].(string) + "\n")
				}
				texts = texts[1:]
			}
		}
	}
	return b.String()
}

// pieceTexts are the texts that stand in the holes of a piece.
func pieceTexts(p tenfold.Payload) []string {
	switch p := p.(type) {
	case tenfold.UserMessage:
		return []string{p.Parts[0].Text}
	case tenfold.AssistantMessage:
		return []string{p.Text}
	case tenfold.Reasoning:
		return []string{p.Text}
	case tenfold.ConfigDelta:
		if p.System != nil {
			return []string{*p.System}
		}
	case tenfold.ToolResult:
		if len(p.Parts) > 0 {
			return []string{p.Parts[0].Text}
		}
	}
	return nil
}

// counts sums entries up by the records they came from.
func counts(got []group) (n struct{ user, assistant, calls, results, reasoning, images, errors int }) {
	for _, g := range got {
		user, assistant := 0, 0
		for _, e := range g.entries {
			switch p := e.Payload.(type) {
			case tenfold.UserMessage:
				user = 1
				for _, part := range p.Parts {
					if part.File != nil {
						n.images++
					}
				}
			case tenfold.AssistantMessage:
				assistant = 1
			case tenfold.Reasoning:
				assistant = 1
				n.reasoning++
			case tenfold.ToolCall:
				assistant = 1
				n.calls++
			case tenfold.ToolResult:
				n.results++
				if p.IsError {
					n.errors++
				}
			}
		}
		n.user += user
		n.assistant += assistant
	}
	return n
}
