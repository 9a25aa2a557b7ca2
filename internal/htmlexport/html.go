package htmlexport

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/runes"
)

// raw writes markup of ours: never a text of the conversation.
func (p *page) raw(parts ...string) {
	for _, s := range parts {
		_, _ = p.out.WriteString(s) // the first error stays, and Flush tells it
	}
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// safe is a text of the conversation, redacted, as it may stand in an element or in
// an attribute in quotes. What controls a terminal or turns the direction of text is
// shown as its number.
func (p *page) safe(text string) string {
	return escapes.Replace(terminal.Visible(strings.ReplaceAll(p.without(text), "\r\n", "\n")))
}

// without is a text redacted.
func (p *page) without(text string) string {
	if p.Unredacted {
		return text
	}
	return p.redact.Text(text)
}

// pre writes a text with its line breaks, cut where it is too long. It is redacted
// already.
func (p *page) pre(class, text string) {
	rest := 0
	if len(text) > LongestText {
		end := runes.Last(text, LongestText)
		rest, text = len(text)-end, text[:end]
		p.cut++
	}
	// A parser drops a line break right after the tag.
	p.raw("<pre", class, ">\n")
	_, _ = escapes.WriteString(p.out, terminal.Visible(strings.ReplaceAll(text, "\r\n", "\n")))
	p.raw("</pre>\n")
	if rest > 0 {
		p.raw(`<p class="cut">… `, number.Thousands(rest), " bytes more are not in this file</p>\n")
	}
}

// lineWidth is how many characters of a text stand on an entry's line.
const lineWidth = 180

// line is the beginning of a text on one line, escaped; whole if that is all of it.
func line(text string) (begin string, whole bool) {
	head := text
	if len(head) > 8*lineWidth {
		head = strings.ToValidUTF8(head[:8*lineWidth], "")
	}
	one := strings.Join(strings.Fields(head), " ")
	if n := utf8.RuneCountInString(one); n > lineWidth || len(head) < len(text) {
		end := 0
		for i := range one {
			if end++; end > lineWidth {
				one = one[:i]
				break
			}
		}
		return escapes.Replace(terminal.Visible(one)) + "…", false
	}
	return escapes.Replace(terminal.Visible(one)), one == strings.TrimSpace(text)
}

// when writes a moment; the script shows it in the reader's zone.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC()
	return `<time datetime="` + t.Format(time.RFC3339) + `">` + t.Format("2006-01-02 15:04") + " UTC</time>"
}

// arrow is a count of tokens before and after, or one number where nothing changed.
func arrow(before, after int) string {
	if before == after {
		return number.Thousands(before)
	}
	return number.Thousands(before) + " → " + number.Thousands(after)
}

// barSteps is how many lengths a bar has.
const barSteps = 30

// bar draws tokens before and after, the whole width for full or more. It is one
// element, whose classes say how long, because a page has one for each entry.
func bar(before, after, full int) string {
	step := func(n int) string {
		if n <= 0 {
			return "0"
		}
		return strconv.Itoa(max(1, min(barSteps, n*barSteps/full)))
	}
	return `<i class="bar w` + step(before) + " a" + step(after) + `"></i>`
}

// bars is the style of these classes.
func bars() string {
	var b strings.Builder
	for i := range barSteps + 1 {
		n, length := strconv.Itoa(i), strconv.Itoa(2*i)
		b.WriteString(".w" + n + "{--w:" + length + "px}.a" + n + "{--a:" + length + "px}\n")
	}
	return b.String()
}
