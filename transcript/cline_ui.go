package transcript

import (
	"strconv"

	"tenfold"
)

// clineBill is what the task's window showed of one request.
type clineBill struct {
	ts    float64
	usage tenfold.Usage
}

// clineShrink is what it showed of a condensation, in tokens.
type clineShrink struct {
	before, after int
	cost          *float64
}

// readUI reads ui_messages.json, which has what requests cost.
func (d *cline) readUI(c *chat) {
	raw, err := c.src.sibling("ui_messages.json")
	if raw == nil && err == nil {
		return
	}
	s := scanner{cost: blockCost}
	s.reset(raw)
	if s.kind() == '[' {
		s.token()
		for s.more() {
			if s.kind() != '{' {
				s.value()
				continue
			}
			d.uiMessage(&s)
		}
		s.token()
	}
	if err != nil || s.err != nil {
		c.warn.add(0, "sibling file, ui_messages.json, could not be read as a whole: usage is missing", "")
	}
}

func (d *cline) uiMessage(s *scanner) {
	var ts float64
	var say, text, id string
	var k clineShrink
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"ts"`:
			ts = s.float()
		case `"say"`:
			say = s.text()
		case `"text"`:
			text = s.text()
		case `"contextCondense"`:
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"prevContextTokens"`:
					k.before = s.number(s.value())
				case `"newContextTokens"`:
					k.after = s.number(s.value())
				case `"cost"`:
					if f := s.float(); f > 0 {
						k.cost = &f
					}
				case `"condenseId"`:
					id = s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	})
	switch say {
	case "api_req_started":
		b := clineBill{ts: ts}
		var in scanner
		in.reset([]byte(text))
		eachMember(&in, func(name []byte) { clineCount(&in, &b.usage, string(name)) })
		if in.err == nil && (b.usage.Input+b.usage.Output+b.usage.CacheRead+b.usage.CacheWrite > 0 || b.usage.Cost != nil) {
			d.bills = append(d.bills, b)
		}
	case "condense_context":
		if id != "" {
			d.shrunk[id] = k
		}
	}
}

// bill emits what an answer cost: what it says itself, and the requests that
// the window shows up to it; without times, one request an answer.
func (d *cline) bill(c *chat, t *clineTags, id string) error {
	if t.counted {
		t.usage.Model = t.model
		if err := c.emit(tenfold.Entry{ID: id + "/metrics", Payload: t.usage}); err != nil {
			return err
		}
	}
	for n := 0; len(d.bills) > 0; n++ {
		b := d.bills[0]
		if t.ts > 0 && b.ts > t.ts || t.ts == 0 && n > 0 {
			return nil
		}
		if err := d.pay(c, b); err != nil {
			return err
		}
	}
	return nil
}

func (d *cline) pay(c *chat, b clineBill) error {
	d.bills = d.bills[1:]
	id := c.ids.unique("request:" + strconv.FormatFloat(b.ts, 'f', -1, 64))
	return c.emit(tenfold.Entry{ID: id, Time: unixTime(b.ts), Payload: b.usage})
}

// close emits the requests that no answer followed.
func (d *cline) close(c *chat) error {
	for len(d.bills) > 0 && d.any {
		if err := d.pay(c, d.bills[0]); err != nil {
			return err
		}
	}
	if d.prefix.count > 0 {
		c.warn.add(0, "compaction covers more messages than there are: nothing is hidden", "")
	}
	return nil
}
