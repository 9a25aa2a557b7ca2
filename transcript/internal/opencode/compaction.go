package opencode

import (
	"cmp"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// openCodeCompaction is a compaction that was asked for and has no summary yet.
type openCodeCompaction struct {
	tail string
	auto bool
}

// openCodePruned is a call whose result opencode cleared, and when.
type openCodePruned struct {
	call string
	at   int
}

func (o *openCodeSession) warnNoSummary() {
	o.em.Warn.Add(0, "compaction came without a summary: nothing is hidden", "compactions came without a summary: nothing is hidden")
	o.pend = nil
}

// summary makes an overlay of a compaction's answer. opencode goes on with its
// own question, this text, and the messages from the tail on; the text is
// nowhere else, so that undo leaves no stray summary behind (C7). What else
// the answer holds is kept and not shown. False leaves the message to be read
// as any other.
func (o *openCodeSession) summary(m *openCodeMessage, id string) (bool, error) {
	pend := o.pend
	o.pend = nil
	pend = cmp.Or(pend, &openCodeCompaction{}) // older versions only mark the answer
	w := engine.Finder{Scan: &o.scan, Raw: m.raw}
	var texts []string
	last := -1
	for i := range m.list {
		if p := &m.list[i]; p.typ == "text" && w.IsString(p.text) {
			text, _ := o.scan.UnquoteIn(p.text, m.raw)
			texts, last = append(texts, text), i
		}
	}
	text := strings.Join(texts, "\n\n")
	finished := m.finish != "" && m.errorName == "" && strings.TrimSpace(text) != ""
	if finished && viewOfOurs(text) {
		for i := range m.list {
			p := &m.list[i]
			_ = o.keep(o.partID(p, id, i), tenfold.Kind("opencode."+p.typ), p.Of(m.raw))
		}
		return true, nil
	}
	if finished && (!o.em.Place.Opened || o.branch != "") {
		o.em.Warn.Add(0, "compaction covers nothing of this conversation: its summary is kept as a message",
			"compactions cover nothing of this conversation: their summaries are kept as messages")
		return false, nil
	}
	for i := range m.list {
		p := &m.list[i]
		pid := o.partID(p, id, i)
		var err error
		switch {
		case finished && i == last:
			e := tenfold.Entry{ID: pid + "/compaction", Payload: o.overlay(m, pend, text)}
			if len(texts) == 1 {
				w.Text(p.text)
			}
			e.Source = walk.SpliceIn(m.raw, p.Span, w.Cuts)
			err = o.emit(e)
			if o.revert.reached {
				o.revert.summaries = append(o.revert.summaries, e.ID)
			}
		case p.typ == "step-finish":
			o.step = id
			err = o.usage(m, p, pid)
		default:
			err = o.keep(pid, tenfold.Kind("opencode."+p.typ), p.Of(m.raw))
		}
		if err != nil {
			return true, err
		}
	}
	switch {
	case finished && pend.tail == "":
		o.opened = intake.TurnOver
	case finished:
	case m.errorName != "":
		return true, o.emit(tenfold.Entry{ID: id + "/failed", Payload: tenfold.CompactionFailed{Error: strings.TrimSuffix(m.errorName+": "+m.errorText, ": ")}})
	default:
		o.warnNoSummary()
	}
	return true, nil
}

// viewOfOurs tells a text that our plug-in put in the place of a summary: it shows
// a view of the conversation whose overlays are in our store. As a summary it
// would hide what they keep, and what the model reported for it is not of the
// conversation (C5, V6).
func viewOfOurs(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, "Tenfold: ") && strings.Contains(line, "undo: tenfold conversation undo ")
}

func (o *openCodeSession) overlay(m *openCodeMessage, pend *openCodeCompaction, text string) tenfold.Compaction {
	c := tenfold.Compaction{
		ToTurn: o.em.Place.Turn, Source: tenfold.SourceImport, Reason: "manual",
		Summary: &tenfold.Summary{Text: text, Heading: SummaryQuery, Model: m.model},
	}
	if pend.auto {
		c.Reason = "auto"
	}
	if pend.tail == "" {
		return c
	}
	// A range can only end on a step (L6); the request above the tail stays
	// visible with it (P9).
	if at, ok := o.places[pend.tail]; !ok || !engine.EndBefore(&c, at.Turn, at.Step) {
		pend.tail = ""
		o.em.Warn.Add(0, "compaction kept messages that cannot be told apart: its summary covers them too",
			"compactions kept messages that cannot be told apart: their summaries cover them too")
	}
	return c
}

// prune makes an overlay that clears the results opencode cleared up to a time.
func (o *openCodeSession) prune(until int) {
	var due, later []openCodePruned
	for _, p := range o.pruned {
		if p.at <= until {
			due = append(due, p)
		} else {
			later = append(later, p)
		}
	}
	if o.pruned = later; len(due) == 0 {
		return
	}
	if o.branch != "" {
		o.em.Warn.Add(0, "sub-agent had results cleared, which are shown whole", "sub-agents had results cleared, which are shown whole")
		return
	}
	calls := make(map[string]tenfold.CallPolicy, len(due))
	var names strings.Builder
	for _, p := range due {
		calls[p.call] = tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
		names.WriteString(p.call + "@" + strconv.Itoa(p.at) + "\n")
	}
	_ = o.emit(tenfold.Entry{ID: o.em.Ids.Unique("prune:" + intake.Digest([]byte(names.String()))), Payload: tenfold.Compaction{
		ToTurn: o.em.Place.Turn, Source: tenfold.SourceImport, Reason: "pruned in opencode",
		ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: calls},
	}})
}
