package digest_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"tenfold"
	"tenfold/atom"
	"tenfold/strategy"
	"tenfold/token"
)

// What no view may do, each found the long way round: nothing here asks the code
// that makes views.

// value is the payload of an entry that may hold it by reference.
func value(e tenfold.Entry) tenfold.Payload {
	p, _ := tenfold.Value(e.Payload)
	return p
}

// wrongs are what is wrong with a view, by the rule.
type wrongs map[string][]string

func (w wrongs) sayf(rule string, seq int64, format string, args ...any) {
	w[rule] = append(w[rule], fmt.Sprintf("entry %d: ", seq)+fmt.Sprintf(format, args...))
}

// exits are how hosts write exit codes, at the beginning of what a command printed.
var exits = []*regexp.Regexp{
	regexp.MustCompile(`^Exit code:? (\d+)(?:\n|$)`),
	regexp.MustCompile(`^(?:[^\n]*\n){0,5}Process exited with code (\d+)(?:\n|$)`),
	regexp.MustCompile(`^\{"output":(?s:.*),"metadata":\{"exit_code":(\d+)[,}]`),
}

// recordedEnd is how the record says that a call ended: -1 where it does not say,
// 0 for a success, else a failure.
func recordedEnd(r tenfold.ToolResult) int {
	text := tenfold.TextLines(r)
	for _, at := range exits {
		if m := at.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	if r.IsError {
		return 1
	}
	return -1
}

var stub = regexp.MustCompile(`(?m)^\[compacted\] [^\n]*?: (success|error|done|exit (\d+))(?:, ([\d,]+) lines)?(?: \(recall [^)]*\))?$`)

// holdStub looks for a stub that says something else than the record (P5).
func holdStub(w wrongs, it tenfold.Item, was tenfold.ToolResult) {
	text := tenfold.TextLines(it.Payload)
	m := stub.FindStringSubmatch(text)
	if m == nil {
		w.sayf("stub", it.Seq, "unreadable: %.120q", text)
		return
	}
	end, said := recordedEnd(was), m[1]
	code, _ := strconv.Atoi(m[2])
	switch {
	case end > 0 && (said == "success" || said == "done"), end == 0 && (said == "error" || code != 0), end > 1 && code != 0 && code != end:
		w.sayf("stub", it.Seq, "told as %q, the record says %d: %.120q", said, end, tenfold.TextLines(was))
	}
	if m[3] != "" {
		n, _ := strconv.Atoi(strings.ReplaceAll(m[3], ",", ""))
		if lines := strings.Count(strings.TrimRight(tenfold.TextLines(was), "\n"), "\n") + 1; n > lines+1 || n < lines-1 {
			w.sayf("stub", it.Seq, "told as %d lines, of %d", n, lines)
		}
	}
}

// holdArguments looks for arguments that are neither whole nor whole values (P5).
func holdArguments(w wrongs, seq int64, got, was string) {
	if got == was {
		return
	}
	var left, all map[string]any
	if err := json.Unmarshal([]byte(got), &left); err != nil {
		w.sayf("arguments", seq, "%.120q is not an object", got)
		return
	}
	if json.Unmarshal([]byte(was), &all) != nil {
		if len(left) > 0 {
			w.sayf("arguments", seq, "%.120q was %.120q", got, was)
		}
		return
	}
	for name, value := range left {
		if fmt.Sprint(value) != fmt.Sprint(all[name]) {
			w.sayf("arguments", seq, "%s is %.120q, it was %.120q", name, fmt.Sprint(value), fmt.Sprint(all[name]))
		}
	}
	for name, value := range all {
		if file, ok := value.(string); ok && (name == "file_path" || name == "filePath" || name == "path") && len(file) <= 120 && left[name] == nil {
			w.sayf("arguments", seq, "the file is gone: %q", file)
		}
	}
	if len(was) <= 100 && len(left) == 0 && len(all) > 0 {
		w.sayf("arguments", seq, "short ones were emptied: %q", was)
	}
}

// bodiesOf gives the texts in arguments, whose lines may stand in the result (P5).
func bodiesOf(arguments string) string {
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	var v any
	if json.Unmarshal([]byte(arguments), &v) == nil {
		walk(v)
	}
	return strings.Join(all, "\n")
}

// inWord reports whether a cut before byte i of a text is inside a word.
func inWord(text string, i int) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if i <= 0 || i >= len(text) {
		return false
	}
	before, after := []rune(text[:i]), []rune(text[i:])
	return letter(before[len(before)-1]) && letter(after[0])
}

// endsSentence reports whether a sentence may end where a text does.
func endsSentence(text string) bool {
	text = strings.TrimRight(text, " \t*_`\"')]”’»")
	r := []rune(text)
	return len(r) == 0 || strings.ContainsRune(".!?:;…。！？,|", r[len(r)-1])
}

// marks are lines of a view's own.
var marks = regexp.MustCompile(`^\[(compacted\] |argument[ \]]|Earlier parts are shortened|[\d,]+ (earlier|later) calls? not shown)`)

// lastMark is the one that ends a text.
var lastMark = regexp.MustCompile(`^\[[\d,]+ later calls? not shown`)

// longLine is how long a line is that may be cut elsewhere than between sentences
// (P5b).
const longLine = 220

// holdCuts looks for lines of an excerpt that are not lines, sentences or marked
// fragments of what was said (P5b).
func holdCuts(w wrongs, seq int64, got, was string) {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(was, "\n") {
		lines[strings.TrimSpace(line)] = true
		lines[strings.TrimSpace(atom.WithoutEscapes(line))] = true // results are shown without
	}
	for shown := range strings.SplitSeq(got, "\n") {
		line := strings.TrimSpace(shown)
		// A line may have a "…" of its own.
		whole := strings.TrimSuffix(strings.TrimPrefix(line, "… "), " …")
		if line == "" || line == "…" || lines[line] || lines[whole] || marks.MatchString(line) {
			continue
		}
		pieces := strings.Split(line, "…")
		for i, piece := range pieces {
			if piece = strings.TrimSpace(piece); lastMark.MatchString(piece) {
				break // what it names is shortened with "…" too
			}
			if piece == "" || marks.MatchString(piece) {
				continue // marks share a line
			}
			from := ""
			for whole := range lines {
				if strings.Contains(whole, piece) && (from == "" || len(whole) < len(from)) {
					from = whole
				}
			}
			if from == "" {
				w.sayf("cuts", seq, "nobody said %.160q", piece)
				continue
			}
			at := strings.Index(from, piece)
			end := at + len(piece)
			if strings.HasPrefix(from[end:], "…") {
				end = len(from) // that one was there
			}
			switch {
			case inWord(from, at), inWord(from, end):
				w.sayf("cuts", seq, "cut inside a word: %.160q", piece)
			case at > 0 && i == 0, end < len(from) && i == len(pieces)-1:
				w.sayf("cuts", seq, "cut without a mark: %.160q of %.160q", shown, from)
			case cutsSentence(from, at), cutsSentence(from, end):
				w.sayf("cuts", seq, "a sentence is cut: %.200q of %.300q", piece, from)
			}
		}
	}
}

var sentenceEnds = regexp.MustCompile(`[.!?]['")*_` + "`" + `]* `)

// cutsSentence reports whether a cut before byte i of a line is inside a sentence
// that could have stood whole.
func cutsSentence(line string, i int) bool {
	if i <= 0 || i >= len(line) || endsSentence(line[:i]) {
		return false
	}
	plain := 0
	for _, r := range line {
		if unicode.IsLetter(r) || r == ' ' {
			plain += len(string(r))
		}
	}
	if len(line) > longLine && plain*10 < len(line)*9 {
		return false // not prose
	}
	from, to := 0, len(line)
	for _, at := range sentenceEnds.FindAllStringIndex(line, -1) {
		if at[1] <= i {
			from = at[1]
		} else if to == len(line) {
			to = at[1]
		}
	}
	return to-from <= longLine
}

// folded is what of a text can be compared, however it is quoted.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// demanding are the plainest of the words by which people demand.
var demanding = regexp.MustCompile(`(?i)\b(must|never|always|don't|do not|make sure)\b`)

// holdView looks for all that is wrong with a view of a plan.
func holdView(now, view *tenfold.Projection, summarized bool) wrongs {
	w := wrongs{}
	var shown strings.Builder
	bodies := map[string]string{}
	for it := range view.Items() {
		text := tenfold.TextLines(it.Payload)
		shown.WriteString(text + "\n")
		if it.Seq == 0 {
			continue
		}
		e, _ := view.Log().Entry(it.Seq)
		was := value(e)
		switch got := it.Payload.(type) {
		case tenfold.ToolCall:
			bodies[got.CallID] = bodiesOf(was.(tenfold.ToolCall).Arguments)
			holdArguments(w, it.Seq, got.Arguments, was.(tenfold.ToolCall).Arguments)
		case tenfold.ToolResult:
			switch it.Fate {
			case tenfold.Stripped:
				holdStub(w, it, was.(tenfold.ToolResult))
			case tenfold.Trimmed:
				holdCuts(w, it.Seq, text, tenfold.TextLines(was)+"\n"+bodies[got.CallID])
			}
		case tenfold.AssistantMessage:
			if it.Fate == tenfold.Trimmed {
				holdCuts(w, it.Seq, got.Text, was.(tenfold.AssistantMessage).Text)
			}
		case tenfold.UserMessage:
			if it.Fate == tenfold.Trimmed {
				holdCuts(w, it.Seq, text, tenfold.TextLines(was))
			}
		}
	}
	// What another tool's compaction had hidden is in the digest of the raw range
	// (C5); other views are made of what a model saw.
	seen := map[int64]bool{}
	for it := range now.Items() {
		seen[it.Seq] = true
	}
	all := folded(shown.String())
	for e := range view.Log().Entries() {
		m, ok := value(e).(tenfold.UserMessage)
		if !ok || e.Branch != "" || m.Synthetic || m.Purpose != tenfold.Request || !summarized && !seen[e.Seq] {
			continue
		}
		for _, p := range m.Parts {
			if p.File != nil || len(p.Text) >= 500 || strings.HasPrefix(p.Text, "<") {
				continue
			}
			for line := range strings.SplitSeq(p.Text, "\n") {
				if demanding.MatchString(line) && !strings.Contains(all, folded(line)) {
					w.sayf("demands", e.Seq, "%.200q of %.300q", line, p.Text)
				}
			}
		}
	}
	after := subjects(view)
	for subject, seq := range subjects(now) {
		if after[subject] < seq {
			w.sayf("context", seq, "%.120q", subject)
		}
	}
	return w
}

// recount counts a view by what it shows, text by text.
func recount(view *tenfold.Projection) int {
	n, counter := 0, token.O200k()
	for it := range view.Items() {
		switch p := it.Payload.(type) {
		case tenfold.ToolCall:
			n += counter.Count(p.Name) + counter.Count(p.Arguments)
		default:
			n += counter.Count(tenfold.TextLines(p))
		}
	}
	return n
}

// holdSize looks at what a plan says of its target (F1–F4).
func holdSize(w wrongs, now *tenfold.Projection, plan strategy.Plan, percent int) (used float64) {
	target := now.Tokens() * percent / 100
	f := plan.Fitted
	if f == nil {
		w.sayf("target", 0, "nothing is said of it")
		return 0
	}
	if f.Target != target && f.Target != target+1 {
		w.sayf("target", 0, "%d %% of %d is said to be %d", percent, now.Tokens(), f.Target)
	}
	view := plan.View()
	if n := recount(view); n > plan.After+plan.After/50+20 {
		w.sayf("target", 0, "the view has %d tokens, it says %d", n, plan.After)
	}
	switch {
	case plan.After > f.Target:
		if f.Met() || f.Over() != plan.After-f.Target || f.Least() == 0 {
			w.sayf("target", 0, "missed with %d of %d, and not told", plan.After, f.Target)
		}
		return 1
	case !f.Met():
		w.sayf("target", 0, "met with %d of %d, and told as missed", plan.After, f.Target)
	}
	return float64(plan.After) / float64(max(f.Target, 1))
}
