package summary

import (
	"context"

	"tenfold"
)

// prefix tells whether the model is to be asked at the end of the conversation
// itself rather than shown its text. That is so when all of this holds:
//
//   - the caller says that the conversation's beginning lies in this model's
//     cache ([Model.Warm]);
//   - the model sees all entries up to the end of the range as they stand in
//     the log, so that it reads raw entries and no earlier summary (C5);
//   - view, request and answer fit the window;
//   - by the price table, the view from the cache and the request at the full
//     price cost less than the text at the full price. Without prices it is
//     the text: nothing is guessed.
func (w *writing) prefix() bool {
	view := w.request.View
	if w.Warm == nil || w.Cost == nil || view == nil || len(w.request.Prior) > 0 || len(w.request.Entries) == 0 {
		return false
	}
	tokens, ask := view.Tokens(), w.askTokens()
	if tokens+ask+w.maxTokens+w.track.makeRoom(0) > w.window()-w.window()/20 || !w.rawUpTo(view) || !w.Warm(view) {
		return false
	}
	text := 0
	for _, c := range w.chunks(w.budget()) {
		text += c.tokens + w.overhead
	}
	name := w.Provider.Name()
	cached, ok := w.Cost(name, tenfold.Usage{Model: name, CacheRead: tokens, Input: ask})
	full, known := w.Cost(name, tenfold.Usage{Model: name, Input: text})
	return ok && known && cached < full
}

// rawUpTo reports whether a view shows the log as it is up to the end of the
// range; entries that nobody is ever shown aside (P10).
func (w *writing) rawUpTo(view *tenfold.Projection) bool {
	entries := w.request.Entries
	last := entries[len(entries)-1].Seq
	if last > view.Version() {
		return false
	}
	for e := range view.Log().Entries() {
		if e.Seq > last {
			break
		}
		if !e.Payload.Kind().Visible() || !view.Reads(e.Seq) {
			continue
		}
		if fate, by, _ := view.Fate(e.Seq); fate != tenfold.Kept && (fate != tenfold.Omitted || by != "") && view.Why(e.Seq) != tenfold.ReasonUnsigned {
			return false
		}
	}
	// A summary of nothing but hidden entries would still be shown.
	for o := range view.Overlays() {
		if o.Live && o.Compaction.Summary != nil && o.First <= last && o.First <= o.Last {
			return false
		}
	}
	return true
}

// inPlace asks at the end of the conversation.
func (w *writing) inPlace(ctx context.Context) (answer, error) {
	w.track.at(Reading, 1)
	// The model sees what comes before the range too, and may name it.
	last := w.request.Entries[len(w.request.Entries)-1].Seq
	w.source.Entries = nil
	for e := range w.request.Log.Entries() {
		if e.Seq <= last {
			w.source.Entries = append(w.source.Entries, e)
		}
	}
	view := func(messages ...tenfold.Payload) *tenfold.Projection {
		entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}}
		for _, m := range messages {
			entries = append(entries, tenfold.Entry{Payload: m})
		}
		return w.request.View.Preview(entries...)
	}
	return w.askChecked(ctx, w.maxTokens, view, func(most int) string { return w.wording.inPlace(w.request, most) })
}
