package trigger

import (
	"cmp"

	"tenfold"
	"tenfold/token"
)

// A View is what triggers look at: counts of what a model would see.
type View struct {
	// Turns is how many complete turns somebody asked for: turns of the root
	// that show a message of a person (L7). The turn under way is none yet.
	Turns int
	// Tokens is the total, with the system prompt and the tool definitions (T4):
	// calibrated, with what the log does not hold of them, if Calibrated says so,
	// else estimated (T3).
	Tokens     int
	Calibrated bool
	// Reported is what the provider counted for the last response, prompt and
	// answer; 0 when it did not, or when the conversation was compacted since, or
	// given another system prompt, so that the figure is no longer true.
	Reported int
	// Since is the same for what came after that response.
	Since int
	// Window is how many tokens the model's context holds; 0 when unknown.
	Window int
	// Cache is what a plan would do to the provider's prompt cache. No
	// projection knows it: whoever has a plan fills it in.
	Cache Cache
}

// Used is the figure that thresholds of the window go by, in tokens, and where it
// comes from: what the provider reported and what came since, else the total.
func (v View) Used() (int, token.Source) {
	if v.Reported > 0 {
		return v.Reported + v.Since, token.Provider
	}
	if v.Calibrated {
		return v.Tokens, token.Calibrated
	}
	return v.Tokens, token.Estimate
}

// Room is how many tokens the model's context holds; where that is not known, the
// fallback of T5.
func (v View) Room() int { return cmp.Or(max(v.Window, 0), token.FallbackWindow) }

// Look makes the view of a projection, with the window of the model in its
// configuration. It reads the whole log once; a [Watcher] does not.
func Look(p *tenfold.Projection) View {
	var w Watcher
	return w.Look(p)
}

// A Watcher makes the views of one projection as it grows, each at the cost of
// what was appended since the last; after a compaction, an undo or a pin it
// counts anew. The zero Watcher is ready. It is for one goroutine at a time.
type Watcher struct {
	// Windows are the windows that are known; the zero value has those that
	// come with the program.
	Windows token.Windows

	of      *tenfold.Projection
	version int64
	turns   int  // shown turns that somebody asked for
	last    int  // the newest of them; -1 for none
	open    int  // calls of the root without a result
	answer  bool // the newest visible entry of the root is the model's text
	usage   int  // what the last response took
	since   int  // what came after it, estimated
	window  int  // of the model in the configuration; 0 until looked up

	calibration token.Calibration
}

// Scale is what the log says of how its provider counts, read as far as it goes.
func (w *Watcher) Scale(l *tenfold.Log) token.Scale { return w.calibration.Scale(l) }

// Next is the scale of a log that goes on from the one that was read last, such as one
// that a store has not accepted yet. It takes nothing in.
func (w *Watcher) Next(l *tenfold.Log) token.Scale { return w.calibration.Next(l) }

// Look makes the view of the projection as it stands.
func (w *Watcher) Look(p *tenfold.Projection) View {
	l := p.Log()
	fresh := w.of != p || p.Version() < w.version
	for seq := w.version + 1; !fresh && seq <= p.Version(); seq++ {
		e, _ := l.Entry(seq)
		fresh = ChangesView(e)
	}
	if fresh {
		*w = Watcher{Windows: w.Windows, of: p, last: -1, calibration: w.calibration}
	}
	for ; w.version < p.Version(); w.version++ {
		if e, _ := l.Entry(w.version + 1); e.Branch == "" {
			w.add(p, e)
		}
	}
	if w.window == 0 {
		w.window, _ = w.Windows.Window(p.Config().Model)
	}
	scale := w.Scale(l)
	v := View{Turns: w.turns, Tokens: scale.Tokens(p.Tokens()) + scale.Outside, Reported: w.usage, Window: w.window}
	v.Calibrated = scale.Source() == token.Calibrated
	if w.usage > 0 {
		v.Since = scale.Tokens(w.since)
	}
	// The last turn is complete once the model has said its last word on it:
	// until then it is under way. A turn after it, asked for or not, ends it.
	if w.last >= 0 && w.last == l.Turns()-1 && (!w.answer || w.open > 0) {
		v.Turns--
	}
	return v
}

// ChangesView reports whether an entry changes how earlier ones are seen, so that
// another epoch begins with it.
func ChangesView(e tenfold.Entry) bool {
	switch p := e.Payload.(type) {
	case tenfold.Compaction:
		return !p.AtBirth()
	case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
		return true
	}
	return false
}

// add counts an entry of the root.
func (w *Watcher) add(p *tenfold.Projection, e tenfold.Entry) {
	if ChangesView(e) {
		w.usage = 0
	}
	switch payload := e.Payload.(type) {
	case tenfold.ConfigDelta:
		w.window = 0
		if payload.System != nil {
			w.usage = 0 // the provider counted another system prompt, and other tools
		}
	case tenfold.Usage:
		w.usage = payload.Prompt() + payload.Output
		w.since = 0
	}
	if !e.Payload.Kind().Visible() {
		return
	}
	fate, _, tokens := p.Fate(e.Seq)
	w.since += tokens
	w.answer = false
	switch m := e.Payload.(type) {
	case tenfold.AssistantMessage:
		w.answer = true
	case tenfold.ToolCall:
		w.open++
	case tenfold.ToolResult:
		if p.Log().Pair(e.Seq) > 0 {
			w.open--
		}
	case tenfold.UserMessage:
		turn, _, _ := p.Log().Where(e.Seq)
		if m.IsRequest() && fate != tenfold.Omitted && fate != tenfold.Summarised && turn != w.last {
			w.turns++
			w.last = turn
		}
	}
}
