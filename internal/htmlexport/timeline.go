package htmlexport

import (
	"cmp"
	"strings"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/tool"
)

// row is a line of the timeline.
type row struct {
	seq           int64
	kind, tool    string
	branch        string
	text, seen    string // redacted; seen is what a model sees instead of it
	fate          string
	why           string
	before, after int // tokens, not scaled
	bad           bool
	compaction    bool
}

// entries writes all that was said, and what became of it.
func (p *page) entries() {
	p.additions(0, 0)
	for e := range p.log.Entries() {
		turn, _, ok := p.log.Where(e.Seq)
		if !ok {
			turn = max(p.turn, 0)
		}
		p.openTurn(turn)
		if !e.Payload.Kind().Visible() {
			p.note(e)
			continue
		}
		r := p.rowOf(e.Seq, e.Branch, e.Payload)
		if p.view.Reads(e.Seq) {
			fate, by, after := p.view.Fate(e.Seq)
			r.before, r.after = e.Tokens, after
			r.fate = fate.String()
			if fate != tenfold.Kept {
				r.why = r.fate + ": " + p.view.Why(e.Seq).String()
				if by != "" {
					r.why += ", " + terminal.Tag(by)
				}
				if seen, ok := p.shown[e.Seq]; ok {
					if r.seen = p.textOf(seen); r.seen == r.text {
						r.seen = ""
					}
				}
			}
		}
		p.row(r)
		p.additions(e.Seq, turn)
	}
	p.closeTurn()
}

// items writes what a model sees, with a line for what it does not.
func (p *page) items() {
	last := int64(0)
	for it := range p.view.Items() {
		if it.Seq > last {
			p.gap(last+1, it.Seq)
			last = it.Seq
		}
		p.openTurn(it.Turn)
		p.row(p.item(it))
	}
	p.gap(last+1, p.log.Version()+1)
	p.closeTurn()
}

// item is something that a model sees.
func (p *page) item(it tenfold.Item) row {
	r := p.rowOf(it.Seq, it.Branch, it.Payload)
	r.before, r.after = it.Tokens, it.Tokens
	switch {
	case it.Added != 0:
		r.fate, r.before = "added", 0
		r.why = "put in by the projection: " + it.Added.String()
		if it.By != "" {
			r.why += ", " + terminal.Tag(it.By)
		}
	default:
		r.fate = it.Fate.String()
		if it.Fate != tenfold.Kept && it.By != "" {
			r.why = r.fate + ", " + terminal.Tag(it.By)
		}
	}
	return r
}

// gap writes how many entries before another a model does not see.
func (p *page) gap(first, before int64) {
	hidden, tokens, by := 0, 0, ""
	flush := func() {
		if hidden > 0 {
			did := ""
			if by != "" {
				did = ", " + terminal.Tag(by)
			}
			p.raw(`<p class="gap">× `, number.CountOf(hidden, "entry", "entries"), ", ", number.Thousands(p.scale.Tokens(tokens)), " tokens, that a model does not see", p.safe(did), "</p>\n")
		}
		hidden, tokens = 0, 0
	}
	for seq := first; seq < before; seq++ {
		e, ok := p.log.Entry(seq)
		if !ok || p.listed[seq] || !e.Payload.Kind().Visible() || !p.view.Reads(seq) {
			continue
		}
		turn, _, _ := p.log.Where(seq)
		_, who, _ := p.view.Fate(seq)
		if turn > p.turn || who != by {
			flush()
			p.openTurn(turn)
		}
		by = who
		hidden++
		tokens += e.Tokens
	}
	flush()
}

// additions writes what the projection put in after an entry.
func (p *page) additions(seq int64, turn int) {
	for _, it := range p.added[seq] {
		p.openTurn(turn)
		p.row(p.item(it))
	}
}

// note writes an entry that no model sees, where it says something.
func (p *page) note(e tenfold.Entry) {
	kind, text := note(e.Payload)
	if kind == "" {
		return
	}
	_, isCompaction := e.Payload.(tenfold.Compaction)
	p.row(row{seq: e.Seq, kind: kind, branch: e.Branch, text: p.without(text), compaction: isCompaction, bad: kind == "failed"})
}

// rowOf is the line of a payload, without its fate.
func (p *page) rowOf(seq int64, branch string, payload tenfold.Payload) row {
	r := row{seq: seq, kind: kindWord(payload), branch: branch}
	if v, ok := payload.(tenfold.ToolResult); ok {
		call, _ := p.log.CallOf(seq)
		name := call.Name
		r.tool = p.without(name)
		if o := tool.OutcomeOf(name, v); o.Bad() {
			r.bad, r.kind = true, string(o)
		}
	}
	r.text = p.textOf(payload)
	return r
}

// textOf is the text of an entry, redacted.
func (p *page) textOf(payload tenfold.Payload) string {
	if call, ok := payload.(tenfold.ToolCall); ok {
		call.Arguments = p.without(call.Arguments) // where a name in quotes tells that its value is a secret
		payload = call
	}
	return p.without(textOf(payload))
}

// groupSize is how many lines a browser lays out at once, or not at all.
const groupSize = 100

// openTurn closes the turn before and begins one, unless it is open, or over: a
// result that came late stands where it came.
func (p *page) openTurn(turn int) {
	if turn <= p.turn || turn >= len(p.turns) {
		return
	}
	p.closeTurn()
	p.turn, p.group = turn, 0
	t := p.turns[turn]
	open := ""
	if len(p.turns) == 1 {
		open = " open"
	}
	p.raw(`<details class="turn"`, open, `><summary><h2>Turn `, number.Thousands(turn), `</h2><span class="x">`)
	found := p.redact.Counts // of the entry, which is counted where it stands
	asked, _ := line(p.without(cmp.Or(t.asked, t.said)))
	p.redact.Counts = found
	p.raw(asked, `</span><span class="facts">`, number.CountOf(t.entries, "entry", "entries"))
	if t.errors > 0 {
		p.raw(` · <span class="bad">`, number.CountOf(t.errors, "error", "errors"), "</span>")
	}
	if !t.at.IsZero() {
		p.raw(" · ", when(t.at))
	}
	before, after := p.scale.Tokens(t.tokens.Before), p.scale.Tokens(t.tokens.After)
	p.raw("</span>", bar(t.tokens.Before, t.tokens.After, p.fullTurn), `<span class="tk">`, arrow(before, after), `</span></summary><div class="g">`, "\n")
}

func (p *page) closeTurn() {
	if p.turn >= 0 {
		p.raw("</div></details>\n")
	}
	p.turn = -1
}

func (p *page) row(r row) {
	if p.group == groupSize {
		p.raw(`</div><div class="g">`, "\n")
		p.group = 0
	}
	p.group++
	begin, whole := line(r.text)
	class := "e"
	for _, c := range []struct {
		set  bool
		name string
	}{{r.bad, " bad"}, {r.kind == "user", " user"}, {r.compaction, " cmp"}, {r.branch != "", " sub"}, {r.fate != "", " f-" + r.fate}} {
		if c.set {
			class += c.name
		}
	}
	id := ""
	if r.seq > 0 {
		id = ` id="e` + numeral(r.seq) + `"`
	}
	short := whole && r.why == "" && r.seen == ""
	if short {
		p.raw(`<div class="`, class, ` l"`, id, ">")
	} else {
		p.raw(`<details class="`, class, `"`, id, "><summary>")
	}
	seq := ""
	if r.seq > 0 {
		seq = numeral(r.seq)
	}
	p.raw(`<span class="n">`, seq, `</span><b>`, p.safe(r.kind), "</b>")
	p.raw(`<span class="x">`)
	if r.branch != "" {
		p.raw("<i>", p.safe(r.branch), "</i> ")
	}
	if r.tool != "" {
		name, _ := line(r.tool)
		p.raw("<i>", name, "</i> ")
	}
	p.raw(begin, "</span>")
	if r.fate != "" {
		p.raw(bar(r.before, r.after, p.full), `<span class="tk">`, arrow(p.scale.Tokens(r.before), p.scale.Tokens(r.after)),
			`</span><span class="ft">`, r.fate, "</span>")
	}
	if short {
		p.raw("</div>\n")
		return
	}
	p.raw("</summary>\n")
	if r.why != "" {
		p.raw(`<p class="why">`, p.safe(r.why), "</p>\n")
	}
	if r.seen != "" {
		p.raw(`<p class="lb">What was said</p>`, "\n")
	}
	p.pre("", strings.Trim(r.text, "\n"))
	if r.seen != "" {
		p.raw(`<p class="lb">What a model sees</p>`, "\n")
		p.pre(` class="seen"`, strings.Trim(r.seen, "\n"))
	}
	p.raw("</details>\n")
}
