package opencode

import (
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// openCodeRevert is what a person took back. opencode keeps the messages from
// there on until the next prompt, and sends none of them.
type openCodeRevert struct {
	message, part string
	// reached says that the message has come; turn is the first that is hidden.
	reached bool
	turn    int
	// summaries are the overlays of compactions that were taken back too.
	summaries []string
}

// readRevert reads what the session says of it.
func (o *openCodeSession) readRevert() {
	walk.Shape{"messageID", &o.revert.message, "partID", &o.revert.part}.Read(&o.scan)
}

// reverted notes that a message came from which on all is taken back: with its
// turn, if it opens one, or else from the next turn on, for only whole turns can
// be hidden. It reports whether this is that message.
func (o *openCodeSession) reverted(m *openCodeMessage, opens bool) bool {
	r := &o.revert
	if r.reached || r.message == "" || m.id != r.message {
		return false
	}
	r.reached, r.turn = true, o.em.Place.Turn
	if !opens {
		r.turn++
	}
	return true
}

// takeBack hides what was taken back, and with it the compactions that came
// after.
func (o *openCodeSession) takeBack() error {
	r := &o.revert
	if !r.reached {
		return nil
	}
	id := "session/revert/" + intake.Digest([]byte(r.message+"/"+r.part))
	for i, target := range r.summaries {
		_ = o.emit(tenfold.Entry{ID: id + "/" + strconv.Itoa(i), Payload: tenfold.CompactionRevoked{Target: target}})
	}
	if r.turn > o.em.Place.Turn {
		return nil
	}
	return o.emit(tenfold.Entry{ID: id, Payload: engine.Hidden(r.turn, o.em.Place.Turn, "reverted in opencode")})
}

// cleanUp does what opencode does before it goes on with a session of which a
// part is taken back: it removes that part and the note of it. Otherwise it
// would remove what came after, too.
func (x *openCodeExport) cleanUp(session string, messages []*openCodeRecord) (string, []*openCodeRecord) {
	var o openCodeSession
	var note walk.Span
	o.scan.Reset([]byte(session))
	walk.Shape{"info", walk.Inner("revert", func() {
		note.From = int(o.scan.Offset()) - len(`"revert"`)
		o.readRevert()
		note.To = int(o.scan.Offset())
	})}.Read(&o.scan)
	if o.scan.Err != nil || o.revert.message == "" {
		return session, messages
	}
	for i, r := range messages {
		m := &openCodeMessage{raw: []byte(r.source)}
		if m.parse(&x.scan); m.id != o.revert.message {
			continue
		}
		if !r.whole {
			i++ // the projection shows it whole
		}
		messages = messages[:i]
		break
	}
	switch {
	case session[note.To] == ',':
		note.To++
	case session[note.From-1] == ',':
		note.From--
	}
	return session[:note.From] + session[note.To:], messages
}
