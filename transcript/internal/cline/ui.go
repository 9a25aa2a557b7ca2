package cline

import (
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/walk"
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
func (d *cline) readUI(c *chatapi.Chat) {
	raw, err := c.Src.Sibling("ui_messages.json")
	if raw == nil && err == nil {
		return
	}
	s := walk.Scanner{Cost: walk.BlockCost}
	s.Reset(raw)
	walk.EachItem(&s, func() { d.uiMessage(&s) })
	if err != nil || s.Err != nil {
		c.Warn.Add(0, "sibling file, ui_messages.json, could not be read as a whole: usage is missing", "")
	}
}

func (d *cline) uiMessage(s *walk.Scanner) {
	var ts float64
	var say, text, id string
	var k clineShrink
	cost := 0.0
	walk.Shape{
		"ts", &ts,
		"say", &say,
		"text", &text,
		"contextCondense", walk.Inner("prevContextTokens", &k.before, "newContextTokens", &k.after, "cost", &cost, "condenseId", &id),
	}.Read(s)
	if cost > 0 {
		k.cost = &cost
	}
	switch say {
	case "api_req_started":
		b := clineBill{ts: ts}
		var in walk.Scanner
		in.Reset([]byte(text))
		readUsage(&in, &b.usage)
		if in.Err == nil && (b.usage.Input+b.usage.Output+b.usage.CacheRead+b.usage.CacheWrite > 0 || b.usage.Cost != nil) {
			d.bills = append(d.bills, b)
		}
	case "condense_context":
		if id != "" {
			d.shrunk[id] = k
		}
	}
}

// addUsage emits what an answer cost: what it says itself, and the requests that
// the window shows up to it; without times, one request an answer.
func (d *cline) addUsage(c *chatapi.Chat, t *clineTags, id string) {
	if t.counted {
		t.usage.Model = t.model
		_ = c.Emit(tenfold.Entry{ID: id + "/metrics", Payload: t.usage})
	}
	for n := 0; len(d.bills) > 0; n++ {
		b := d.bills[0]
		if t.ts > 0 && b.ts > t.ts || t.ts == 0 && n > 0 {
			return
		}
		d.pay(c, b)
	}
}

func (d *cline) pay(c *chatapi.Chat, b clineBill) {
	d.bills = d.bills[1:]
	id := c.Ids.Unique("request:" + strconv.FormatFloat(b.ts, 'f', -1, 64))
	_ = c.Emit(tenfold.Entry{ID: id, Time: chatapi.UnixTime(b.ts), Payload: b.usage})
}

// Close emits the requests that no answer followed.
func (d *cline) Close(c *chatapi.Chat) error {
	for len(d.bills) > 0 && d.any {
		d.pay(c, d.bills[0])
	}
	if d.prefix.count > 0 {
		c.Warn.Add(0, "compaction covers more messages than there are: nothing is hidden", "")
	}
	return nil
}
