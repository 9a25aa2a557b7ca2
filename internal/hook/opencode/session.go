package opencode

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/session"
	"tenfold/transcript"
)

// messages answers what is to be sent: the view of the epoch, or that a new one
// is due.
func (e *event) messages(ctx context.Context, h *hook.Host) (*answer, error) {
	settings, err := h.Configure(e.Dir)
	if err != nil {
		return nil, err
	}
	due := e.epochReason(settings, h.Now())
	ep := readEpoch(h, e.Session)
	if ep == nil {
		if due != "" {
			return &answer{Send: due}, nil
		}
		return &answer{Raw: true}, nil
	}
	if due != "" && ep.Tried != e.newest("user") && !ep.precedes(e) {
		return &answer{Send: due}, nil
	}
	if len(ep.View) > 0 && (!ep.holds(e) || ep.over(ctx, h, e.Session)) {
		return &answer{Send: whyChanged}, nil
	}
	return ep.answer(e), nil
}

// session begins an epoch with a session that opencode sent whole.
func (e *event) session(ctx context.Context, h *hook.Host) (*answer, error) {
	d, err := e.document(e.newest(""))
	if err != nil {
		return nil, err
	}
	v, err := e.compact(ctx, h, d)
	if err != nil {
		return nil, e.tried(h, err)
	}
	var asked []string
	for _, m := range e.Messages {
		if m.Compaction {
			asked = append(asked, m.ID)
		}
	}
	ep, err := e.begin(h, d, v, e.Messages, e.newest(""), asked)
	if err != nil {
		return nil, err
	}
	a := ep.answer(e)
	a.Line = v.Line
	return a, nil
}

// compacting answers a compaction that opencode makes by itself: the view as a
// text, for which the model is not asked. Where there is nothing to compact,
// opencode goes on as without us.
func (e *event) compacting(ctx context.Context, h *hook.Host) (*answer, error) {
	d, err := e.document("")
	if err != nil {
		return nil, err
	}
	// The newest message asks for the compaction.
	last := len(d.messages) - 1
	if last < 1 {
		return nil, nil
	}
	asks := d.messages[last].info.ID
	e.Why = whyManual
	if slices.ContainsFunc(d.messages[last].parts, func(p part) bool { return p.Type == "compaction" && p.Auto }) {
		e.Why = whyAuto
	}
	d.messages = d.messages[:last]
	v, err := e.compact(ctx, h, d)
	if err != nil {
		return nil, err
	}
	// What opencode will have at hand afterwards is not known yet.
	ep, err := e.begin(h, d, v, nil, d.messages[last-1].info.ID, []string{asks})
	if err != nil || len(ep.View) == 0 {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString(v.Line)
	if v.Line == "" {
		text.WriteString(unchanged + v.ID())
	}
	text.WriteString("\n\n")
	view := transcript.View{Conversation: transcript.Conversation{ID: v.ID(), Title: v.Title()}, Projection: v.Projection(), Compacted: true}
	if _, err := transcript.Export(&text, transcript.Markdown, view); err != nil {
		return nil, err
	}
	return &answer{Prompt: tinyPrompt, Text: text.String(), Line: v.Line}, nil
}

const (
	// tinyPrompt is what the model is asked in place of a summary: opencode calls
	// it whatever a plug-in says.
	tinyPrompt = "Reply with the single word: ok"
	// unchanged begins the text that is stored where an earlier compaction was
	// enough. The importer knows such texts by their first line.
	unchanged = "Tenfold: compacted before; undo: tenfold conversation undo "
)

// compact brings the session into the store, and compacts it as the event wants.
func (e *event) compact(ctx context.Context, h *hook.Host, d *document) (*hook.View, error) {
	ask := hook.Ask{Format: transcript.OpenCode, Data: d.export(), Dir: e.Dir, Trigger: e.Why, Person: e.Why == whyManual, Window: e.Model.Context}
	switch e.Why {
	case whyChanged:
		s, err := h.Import(ctx, ask)
		if err != nil {
			return nil, err
		}
		return &hook.View{Session: s, Outcome: session.Nothing}, nil
	case whyCold:
		return h.Advance(ctx, ask)
	}
	if ep := readEpoch(h, e.Session); ep == nil || len(ep.View) == 0 {
		ask.Used = e.tokens() // an earlier view may have been lost
	}
	return h.Compact(ctx, ask)
}

// tried notes that a compaction came to nothing, so that the next request of the
// turn does not try again (A3).
func (e *event) tried(h *hook.Host, cause error) error {
	ep := readEpoch(h, e.Session)
	ep = cmp.Or(ep, &epoch{})
	ep.Tried = e.newest("user")
	return errors.Join(cause, ep.write(h, e.Session))
}

// begin draws the view, and keeps it as what the epoch begins with.
func (e *event) begin(h *hook.Host, d *document, v *hook.View, known []told, upto string, asked []string) (*epoch, error) {
	view, err := draw(v.Projection(), d, known)
	if err != nil {
		return nil, err
	}
	ep := &epoch{Conversation: v.ID(), Version: v.Log().Version(), Mark: mark(v.Log()), Upto: upto, Asked: asked}
	// What was thought in an epoch is bound to its view: once there was one, what
	// opencode has is not to be sent as it is any more (B1).
	before := readEpoch(h, e.Session)
	if shortened(v.Projection()) || before != nil && len(before.View) > 0 {
		ep.View = view
	}
	if v.Outcome != session.Applied {
		ep.Tried = e.newest("user")
	}
	return ep, ep.write(h, e.Session)
}

// shortened tells whether anything but opencode's own compactions shortens the
// conversation: those opencode shows itself.
func shortened(p *tenfold.Projection) bool {
	for o := range p.Overlays() {
		if o.Live && o.Compaction.Source != tenfold.SourceImport {
			return true
		}
	}
	return false
}

// tool shortens a tool's result before a model sees it (V3).
func (e *event) tool(ctx context.Context, h *hook.Host) (*answer, error) {
	t, err := h.Trim(ctx, hook.Born{Session: e.Session, Dir: e.Dir, Call: e.Call, Tool: e.Tool, Arguments: string(e.Args), Text: e.Output})
	if err != nil || t == nil {
		return nil, err
	}
	return &answer{Output: t.Text}, nil
}
