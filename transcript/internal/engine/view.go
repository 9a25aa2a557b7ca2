package engine

import (
	"iter"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// A View is a conversation as it is to be written.
type View struct {
	intake.Conversation
	// Projection gives the conversation's log, and what a model sees of it.
	Projection *tenfold.Projection
	// Compacted asks for what a model sees; else all that was said is
	// written, and compactions where the format has a form for them.
	Compacted bool
	// Copied says that the session of the original records goes on elsewhere, so that
	// what is written needs an id of its own beside it.
	Copied bool
}

// Entries gives what is to be written as the entries of a log: all there are,
// or those of the projection, which stand for themselves.
func (v View) Entries() iter.Seq[tenfold.Entry] {
	if v.Compacted {
		return v.Projection.Entries()
	}
	return v.Projection.Log().Entries()
}

// ForClient gives the entries for a client that brings a system prompt of its own:
// what summaries add to the system prompt (P4) comes as a message in front.
func (v View) ForClient() iter.Seq[tenfold.Entry] {
	text := ""
	if v.Compacted {
		text = v.Projection.Continuation()
	}
	if text == "" {
		return v.Entries()
	}
	return func(yield func(tenfold.Entry) bool) {
		told := false
		tell := func() bool {
			was := told
			told = true
			return was || yield(tenfold.Entry{ID: "continuation", Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: true}})
		}
		for e := range v.Entries() {
			if d, ok := e.Payload.(tenfold.ConfigDelta); !ok {
				if !tell() {
					return
				}
			} else if d.System != nil {
				own := strings.TrimRight(strings.TrimSuffix(*d.System, text), "\n")
				if d.System = &own; own == "" {
					d.System = nil
				}
				e.Payload = d
			}
			if !yield(e) {
				return
			}
		}
		tell()
	}
}

// Shown gives what a model sees of the view: the projection, or what it would
// be had nothing been compacted.
func (v View) Shown() (*tenfold.Projection, error) {
	if v.Compacted {
		return v.Projection, nil
	}
	bare := tenfold.NewLog()
	for e := range v.Projection.Log().Entries() {
		switch e.Payload.Kind() {
		case tenfold.KindCompaction, tenfold.KindCompactionRevoked:
			continue
		}
		if _, err := bare.Append(e); err != nil {
			return nil, err
		}
	}
	return tenfold.Project(bare), nil
}

// LiveOverlays tells which compactions of a log count (C7).
func LiveOverlays(log *tenfold.Log) map[string]bool {
	live := map[string]bool{}
	target := map[string]string{}
	for e := range log.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Compaction:
			live[e.ID], target[e.ID] = true, e.ID
		case tenfold.CompactionRevoked:
			if o, ok := target[p.Target]; ok {
				target[e.ID], live[o] = o, !live[o]
			}
		}
	}
	return live
}

// EndBefore ends the range of a compaction on the step before a place, or on the
// turn, for a range can only end on those (L6); false where nothing stands before.
func EndBefore(c *tenfold.Compaction, turn, step int) bool {
	switch {
	case step > 0:
		step--
		c.ToTurn, c.ToStep = turn, &step
	case turn > 0:
		c.ToTurn = turn - 1
	default:
		return false
	}
	return true
}

// Summarised is a compaction of another tool: a summary stands for all turns up to
// one, as the message of a user that the tool sends it in.
func Summarised(toTurn int, reason, text string) tenfold.Compaction {
	return tenfold.Compaction{
		ToTurn: toTurn, Source: tenfold.SourceImport, Reason: reason,
		Summary: &tenfold.Summary{Text: text, Placement: tenfold.PlaceMessage},
	}
}

// Hidden is what another tool took out of a conversation: whole turns.
func Hidden(fromTurn, toTurn int, reason string) tenfold.Compaction {
	return tenfold.Compaction{FromTurn: fromTurn, ToTurn: toTurn, Turns: tenfold.Omit, Source: tenfold.SourceImport, Reason: reason}
}

// Groups gives the entries of a log in groups that came from one record.
func Groups(entries iter.Seq[tenfold.Entry]) iter.Seq[[]tenfold.Entry] {
	return func(yield func([]tenfold.Entry) bool) {
		var group []tenfold.Entry
		for e := range entries {
			if len(group) > 0 && intake.RecordID(e.ID) != intake.RecordID(group[0].ID) {
				if !yield(group) {
					return
				}
				group = nil
			}
			group = append(group, e)
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}

// WithoutSigned gives the view of another tool's conversation for a client that
// goes on with it: what providers signed of its reasoning is bound to the system
// prompt and the tools of the tool that it comes from (live B1), and goes. Its text
// stays, for those who read it. It says how many blocks that are shown lose a signature.
func (v View) WithoutSigned(to intake.Format) (_ View, signed int, _ error) {
	if v.Format == "" || v.Format == intake.Tenfold || v.Format == to {
		return v, 0, nil
	}
	changed := false
	bare, err := v.rewritten(func(e *tenfold.Entry) {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok && m.Signature != "" {
			m.Signature = ""
			e.Payload, changed = m, true
		}
		r, ok := e.Payload.(tenfold.Reasoning)
		if !ok || r.Signature == "" && r.Encrypted == "" {
			return
		}
		if fate, _, _ := v.Projection.Fate(e.Seq); !v.Compacted || fate == tenfold.Kept {
			signed++
		}
		e.Payload, changed = tenfold.Reasoning{Text: r.Text}, true
	})
	if err != nil || !changed {
		return v, 0, err
	}
	return bare, signed, nil
}

// rewritten gives the view of a log of which each entry is changed.
func (v View) rewritten(change func(e *tenfold.Entry)) (View, error) {
	log := v.Projection.Log()
	other := tenfold.NewLog(tenfold.WithCounter(log.Counter()), tenfold.WithForeignPayloads())
	for e := range log.Entries() {
		change(&e)
		e.Seq = 0
		if _, err := other.Append(e); err != nil {
			return v, err
		}
	}
	v.Projection = tenfold.ProjectBranch(other, v.Projection.Branch())
	return v, nil
}
