package eval

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/atom"
)

// A Fault is something that a view says and the log does not, or that it must
// say and does not. It is found by comparing what a model would read with the
// raw entries, and by nothing that made the view.
type Fault struct {
	Kind FaultKind
	// Seq is the entry that it is about.
	Seq int64
	// Text is what the view says, or lacks.
	Text string
}

// FaultKind is a promise that a view breaks.
type FaultKind string

// The kinds of faults, with the rules of the semantics that they break.
const (
	// FaultOutcome is a stub that contradicts the record: its outcome or its
	// count of lines (P5, L12).
	FaultOutcome FaultKind = "outcome"
	// FaultArguments is a value in a call's arguments that the call did not
	// have, such as a mark, or arguments emptied of short values (P5).
	FaultArguments FaultKind = "arguments"
	// FaultCut is a piece of a line or of a sentence that does not say that it
	// is one, or that ends within a word (P5b).
	FaultCut FaultKind = "cut"
	// FaultConstraint is a demand in a short message of the person that the view
	// lacks (F4, M1): a long one may quote others.
	FaultConstraint FaultKind = "constraint"
	// FaultContext is the newest version of a standing instruction that the view
	// lacks (P8a).
	FaultContext FaultKind = "context"
)

// Audit finds the faults of a view, for a reader of the root. Nothing is asked
// of what the view before it did not show, such as a rewound prompt, or showed
// in the same way.
func Audit(before, view *tenfold.Projection) []Fault {
	l := before.Log()
	a := auditor{log: l}
	shown := map[int64]string{}
	for it := range before.Items() {
		shown[it.Seq] += textOf(it.Payload)
	}
	var all strings.Builder
	for it := range view.Items() {
		all.WriteString(textOf(it.Payload))
		all.WriteByte('\n')
		e, ok := l.Entry(it.Seq)
		if !ok || it.Seq < 1 || shown[it.Seq] == textOf(it.Payload) {
			continue
		}
		switch raw := e.Payload.(type) {
		case tenfold.ToolCall:
			if shown, ok := it.Payload.(tenfold.ToolCall); ok {
				a.arguments(it.Seq, raw, shown)
			}
		case tenfold.ToolResult:
			if shown, ok := it.Payload.(tenfold.ToolResult); ok {
				a.result(it.Seq, raw, shown)
			}
		case tenfold.AssistantMessage, tenfold.UserMessage:
			a.prose(it.Seq, tenfold.SearchText(raw), tenfold.SearchText(it.Payload))
		}
	}
	all.WriteString(view.Config().System)
	a.lost(before, all.String())
	return a.faults
}

type auditor struct {
	log    *tenfold.Log
	faults []Fault
}

func (a *auditor) add(kind FaultKind, seq int64, text string) {
	a.faults = append(a.faults, Fault{kind, seq, text})
}

// The value of an argument that a view must keep, in bytes (P5).
const shortArgument = 120

// arguments holds the arguments that are shown against those of the call.
func (a *auditor) arguments(seq int64, raw, shown tenfold.ToolCall) {
	if raw.Arguments == shown.Arguments {
		return
	}
	had := map[string]string{}
	short := 0
	eachField(raw.Arguments, func(name, value string) {
		had[name] = value
		if len(value) <= shortArgument {
			short++
		}
	})
	kept := 0
	eachField(shown.Arguments, func(name, value string) {
		kept++
		if had[name] != value {
			a.add(FaultArguments, seq, name+": "+value)
		}
	})
	if kept == 0 && short > 0 {
		a.add(FaultArguments, seq, shown.Name+" "+shown.Arguments)
	}
}

// eachField gives the fields of a JSON object with their values as they stand.
func eachField(object string, yield func(name, value string)) {
	dec := jsontext.NewDecoder(strings.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		yield(key, string(value))
	}
}

// callsNotShown is the mark of calls that a run leaves out before a result.
var callsNotShown = regexp.MustCompile(`^\[\d+ earlier calls? not shown[^\n]*\n`)

// stubLine is the first line of a result that was stripped.
var stubLine = regexp.MustCompile(`^\[compacted\] (?:.*): (success|error|exit \d+|done)(?:, (\d+) lines?)?(?: \(recall .*\))?$`)

// exitCodes are how hosts write exit codes at the head or the foot of a result.
var exitCodes = regexp.MustCompile(`(?m)^(?:Process exited with code |Exit code:? |Command exited with code )(-?\d+)`)

// result holds what is shown of a result against it.
func (a *auditor) result(seq int64, raw, shown tenfold.ToolResult) {
	text, view := tenfold.SearchText(raw), tenfold.SearchText(shown)
	if text == view {
		return
	}
	first, _, _ := strings.Cut(callsNotShown.ReplaceAllString(view, ""), "\n")
	m := stubLine.FindStringSubmatch(first)
	if m == nil {
		from := text
		if e, ok := a.log.Entry(a.log.Pair(seq)); ok {
			// What a call wrote is shown with its result.
			if call, ok := e.Payload.(tenfold.ToolCall); ok {
				from += "\n" + valuesOf(call.Arguments)
			}
		}
		a.pieces(seq, from, view, false)
		return
	}
	// What the record says in so many words goes before its flag.
	success := raw.Outcome == tenfold.Success || raw.Outcome == "exit 0"
	failed := raw.Outcome == "" && raw.IsError || raw.Outcome == tenfold.Failed
	if code := exitCodes.FindStringSubmatch(text); code != nil && code[1] != "0" {
		failed = true
	}
	outcome, code := m[1], strings.TrimPrefix(m[1], "exit ")
	switch {
	case outcome == "success" && (failed || !success),
		outcome == "error" && !failed,
		code != outcome && !strings.Contains(text, code) && string(raw.Outcome) != outcome,
		outcome == "done" && (failed || success):
		a.add(FaultOutcome, seq, first)
	}
	// Blank lines at the end may count or not.
	least, most := strings.Count(strings.TrimSpace(text), "\n")+1, strings.Count(text, "\n")+1
	if n, err := strconv.Atoi(m[2]); err == nil && (n < least || n > most) {
		a.add(FaultOutcome, seq, fmt.Sprintf("%s of %d", first, most))
	}
}

// prose holds what is shown of a message against it.
func (a *auditor) prose(seq int64, text, view string) {
	if text != view {
		a.pieces(seq, text, view, true)
	}
}

// The characters from which on a line may be shown in pieces.
const longLine = 220

// escapes are the codes of terminals, which are left out of results.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// pieces holds each line that is shown against the lines that there are.
func (a *auditor) pieces(seq int64, text, view string, prose bool) {
	whole := map[string]bool{}
	if !prose {
		text, view = escapes.ReplaceAllString(text, ""), escapes.ReplaceAllString(view, "")
	}
	for line := range strings.SplitSeq(text, "\n") {
		whole[strings.TrimSpace(line)] = true
	}
	for line := range strings.SplitSeq(view, "\n") {
		line = strings.TrimSpace(line)
		bare, before, after := unmarked(line)
		// The first and the last line of a run may carry its marks.
		first, last := strings.TrimPrefix(line, "… "), strings.TrimSuffix(line, " …")
		both := strings.TrimSuffix(first, " …")
		if whole[line] || whole[bare] || !strings.ContainsFunc(bare, unicode.IsLetter) ||
			whole[strings.TrimSpace(first)] || whole[strings.TrimSpace(last)] || whole[strings.TrimSpace(both)] {
			continue
		}
		at := strings.Index(text, bare)
		if at < 0 {
			continue // the words of a mark
		}
		start, end := strings.LastIndexByte(text[:at], '\n')+1, at+len(bare)
		stop := end + strings.IndexByte(text[end:]+"\n", '\n')
		left := strings.TrimSpace(text[start:at]) == ""
		right := strings.TrimSpace(text[end:stop]) == ""
		leftOK := left || inProse(text, at) && prose || before && !insideWord(text, at)
		rightOK := right || endsSentence(bare) && prose || after && !insideWord(text, end)
		long := utf8.RuneCountInString(strings.TrimSpace(text[start:stop])) > longLine
		if !leftOK || !rightOK || !long && !prose {
			a.add(FaultCut, seq, line)
		}
	}
}

// unmarked takes the marks of a fragment off a line.
func unmarked(line string) (bare string, before, after bool) {
	bare = strings.TrimLeft(line, "….[] ")
	before = strings.Contains(line[:len(line)-len(bare)], "…")
	if at := strings.Index(bare, "] "); strings.HasPrefix(line, "[") && at >= 0 && strings.Contains(line[:len(line)-len(bare)+at], "…") {
		bare, before = bare[at+2:], true
	}
	cut := strings.TrimRight(bare, "… []")
	after = strings.Contains(bare[len(cut):], "…")
	return strings.TrimSpace(cut), before, after
}

func insideWord(text string, at int) bool {
	a, _ := utf8.DecodeLastRuneInString(text[:at])
	b, _ := utf8.DecodeRuneInString(text[at:])
	return isWord(a) && isWord(b)
}

// footnote is the number of one behind a sentence, whose bracket may be off with the marks.
var footnote = regexp.MustCompile(`(?:\[\d+\]?)+$`)

func endsSentence(s string) bool {
	s = strings.TrimRight(footnote.ReplaceAllString(s, ""), " \"'”’)]*_`")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？：；…", r)
}

// inProse reports whether a sentence begins at a place in a line.
func inProse(text string, at int) bool { return endsSentence(strings.TrimSpace(text[:at])) }

// lost finds what the view must show and does not.
func (a *auditor) lost(before *tenfold.Projection, view string) {
	has := squeeze(view)
	newest := map[string]tenfold.Entry{}
	for it := range before.Items() {
		e, ok := a.log.Entry(it.Seq)
		m, message := it.Payload.(tenfold.UserMessage)
		if !ok || !message || it.Seq < 1 {
			continue
		}
		switch {
		case m.Purpose == tenfold.Context:
			newest[contextKey(tenfold.SearchText(m))] = e
		case m.IsRequest() && !m.Synthetic && e.Tokens <= shortMessage:
			for line := range strings.SplitSeq(tenfold.SearchText(m), "\n") {
				at := atom.ConstraintAt(line)
				if at < 0 {
					continue
				}
				if demand := sentenceAt(line, at); !strings.Contains(has, squeeze(demand)) {
					a.add(FaultConstraint, e.Seq, demand)
				}
			}
		}
	}
	for key, e := range newest {
		if !showsPart(has, textOf(e.Payload)) {
			a.add(FaultContext, e.Seq, key)
		}
	}
}

// showsPart reports whether a view, squeezed, shows a line of a text: a long one
// may have been shortened to its rules (F4).
func showsPart(view, text string) bool {
	said := false
	for line := range strings.SplitSeq(text, "\n") {
		if line = squeeze(line); strings.ContainsFunc(line, unicode.IsLetter) {
			if said = true; strings.Contains(view, line) {
				return true
			}
		}
	}
	return !said
}

// contextKey is what a version of a standing instruction has in common with the
// others: its first line that says anything, of a tag with a text behind it the tag.
func contextKey(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			if tag, _, ok := strings.Cut(line, ">"); ok && strings.HasPrefix(tag, "<") {
				line = tag + ">"
			}
			return squeeze(line)
		}
	}
	return ""
}

// sentenceAt is the sentence of a line that holds a place.
func sentenceAt(line string, at int) string {
	start, end := 0, len(line)
	for i := range line {
		if i > 0 && unicode.IsSpace(rune(line[i-1])) && endsSentence(strings.TrimSpace(line[:i])) {
			if i <= at {
				start = i
			} else {
				end = i
				break
			}
		}
	}
	return strings.TrimSpace(line[start:end])
}

// squeeze leaves one blank where there is white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
