package transcript

import "tenfold"

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
	eachMember(&o.scan, func(name []byte) {
		switch string(name) {
		case `"messageID"`:
			o.revert.message = o.scan.text()
		case `"partID"`:
			o.revert.part = o.scan.text()
		default:
			o.scan.value()
		}
	})
}

// reverted notes that a message came from which on all is taken back: with its
// turn, if it opens one, or else from the next turn on, for only whole turns can
// be hidden. It reports whether this is that message.
func (o *openCodeSession) reverted(m *openCodeMessage, opens bool) bool {
	r := &o.revert
	if r.reached || r.message == "" || m.id != r.message {
		return false
	}
	r.reached, r.turn = true, o.em.place.turn
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
	id := "session/revert/" + digest([]byte(r.message+"/"+r.part))
	for i, target := range r.summaries {
		if err := o.emit(tenfold.Entry{ID: id + "/" + itoa(i), Payload: tenfold.CompactionRevoked{Target: target}}); err != nil {
			return err
		}
	}
	if r.turn > o.em.place.turn {
		return nil
	}
	return o.emit(tenfold.Entry{ID: id, Payload: tenfold.Compaction{
		FromTurn: r.turn, ToTurn: o.em.place.turn, Turns: tenfold.Omit, Source: "import", Reason: "reverted in opencode",
	}})
}
