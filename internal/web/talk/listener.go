package talk

import (
	"io"
	"slices"
	"strings"
	"time"

	"tenfold/internal/web/shape"
)

// A piece is a text that is being written: by the model, or by a call. It is kept as
// long as it is written, and each listener is told what it has not been told of it,
// so that neither the slow nor the late need a queue of their own.
type piece struct {
	n         int // it is the n-th of the talk
	reasoning bool
	call      string // whose output it is; empty for a text of the model
	branch    string
	after     int64
	text      []byte
	dropped   int // bytes before text that are not kept
}

// mostOutput is how many bytes of the output of a running call are kept: the last.
const mostOutput = 16 << 10

// textEvery is how often listeners are told of what is written, about two frames: so
// that a model that writes fast costs a redraw per batch and not per word.
const textEvery = 30 * time.Millisecond

// A Listener is told what happens in a conversation beside its log.
type Listener struct {
	talk  *Talk
	texts chan struct{} // a token: next may have more
	state chan struct{} // a token: the status may be another one
	given map[int]int   // bytes that it was told of pieces, by their n
}

// Listen gives a listener of a conversation; end it with [Listener.Leave].
func (t *Talks) Listen(id string) *Listener {
	c := t.Use(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &Listener{talk: c, texts: make(chan struct{}, 1), state: make(chan struct{}, 1), given: map[int]int{}}
	c.listeners[l] = struct{}{}
	return l
}

// Leave ends it.
func (l *Listener) Leave() {
	l.talk.mu.Lock()
	delete(l.talk.listeners, l)
	l.talk.mu.Unlock()
	l.talk.Release()
}

// Written has a token where [Listener.Tell] may have more.
func (l *Listener) Written() <-chan struct{} { return l.texts }

// Stated has one where the status may be another one: it is asked about less often than
// a model writes.
func (l *Listener) Stated() <-chan struct{} { return l.state }

// next gives what was written since: to who has just come, all that is kept.
func (l *Listener) next() []shape.Event {
	c := l.talk
	c.mu.Lock()
	defer c.mu.Unlock()
	var events []shape.Event
	given := make(map[int]int, len(c.pieces))
	for _, p := range c.pieces {
		at, some := l.given[p.n]
		end := p.dropped + len(p.text)
		given[p.n] = end
		if at == end {
			continue
		}
		out := &shape.Piece{After: p.after, Call: p.call, Branch: p.branch, Begins: !some || at < p.dropped}
		out.Text = string(p.text[max(at-p.dropped, 0):])
		e := shape.Event{Text: out}
		switch {
		case p.call != "":
			e = shape.Event{Output: out}
		case p.reasoning:
			e = shape.Event{Reasoning: out}
		}
		events = append(events, e)
	}
	l.given = given
	return events
}

// Tell writes what next gives, as a stream has it.
func (l *Listener) Tell(w io.Writer) (some bool, err error) {
	for _, e := range l.next() {
		data, err := e.Encoded(0)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return some, err
		}
		some = true
	}
	return some, nil
}

// write takes in what the model has written.
func (c *Talk) write(reasoning bool, text string) {
	i := slices.IndexFunc(c.pieces, func(p *piece) bool { return p.call == "" })
	if i < 0 || c.pieces[i].reasoning != reasoning {
		c.forget(func(p *piece) bool { return p.call == "" })
		i = c.add(&piece{reasoning: reasoning})
	}
	c.pieces[i].text = append(c.pieces[i].text, text...)
	c.wakeSoon()
}

// print takes in what a call has printed.
func (c *Talk) print(branch, call, text string) {
	i := slices.IndexFunc(c.pieces, func(p *piece) bool { return p.call == call && p.branch == branch })
	if i < 0 {
		i = c.add(&piece{call: call, branch: branch})
	}
	p := c.pieces[i]
	p.text = append(p.text, strings.ToValidUTF8(text, "\uFFFD")...)
	if over := len(p.text) - mostOutput; over > 0 {
		for over < len(p.text) && p.text[over]&0xc0 == 0x80 { // not in the middle of a character
			over++
		}
		p.text, p.dropped = slices.Clone(p.text[over:]), p.dropped+over
	}
	c.wakeSoon()
}

func (c *Talk) add(p *piece) int {
	c.made++
	p.n, p.after = c.made, c.newest
	c.pieces = append(c.pieces, p)
	return len(c.pieces) - 1
}

func (c *Talk) forget(which func(*piece) bool) { c.pieces = slices.DeleteFunc(c.pieces, which) }

// changed wakes who follows the status. It is called with the lock held, as soon is.
func (c *Talk) changed() {
	for l := range c.listeners {
		nudge(l.state)
	}
}

// wakeSoon wakes who follows the texts, in a moment.
func (c *Talk) wakeSoon() {
	if c.waking || len(c.listeners) == 0 {
		return
	}
	c.waking = true
	time.AfterFunc(textEvery, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.waking = false
		for l := range c.listeners {
			nudge(l.texts)
		}
	})
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has not heard the last word yet
	}
}
