package tenfold

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tenfold/internal/shield"
)

// maxFirstLine is how many characters of a line of a result a stub keeps.
const maxFirstLine = 200

// stub is what a stripped result says (P5), and what that costs. The recall
// reference is the result's seq.
func (p *Projection) stub(by int32, n *node, seq int32) (parts []Part, tokens int32) {
	policy := p.overlays[by].c.ToolCalls
	bare := p.stubs.of(policy.Stub, n.tool)
	if !policy.FirstLine && !policy.Recall {
		return bare.parts, bare.tokens
	}
	text := bare.parts[0].Text
	if policy.FirstLine {
		e := &p.log.endings.list[n.tool]
		first := quoteLine(firstLine(partsText(payloadOf[ToolResult](p.log, seq).Parts)))
		text = strings.TrimSuffix(text, e.telling+e.files) + first
		if first != e.telling {
			text += e.telling
		}
		text += e.files
	}
	text += p.recallRef(by, policy.Recall, seq)
	return Text(text), p.stubs.count(text)
}

// quoteLine puts a line of the log under a stub.
func quoteLine(line string) string {
	if line == "" {
		return ""
	}
	return "\n" + shield.Marks(shieldMarks(line), '[', "compacted", "previous: used")
}

// maxPatched is how many lines of a patch a stub quotes.
const maxPatched = 3

// patched gives the lines of a patch in a call's arguments that say which files
// it changes: where the patch goes, nothing else does (P5).
func patched(arguments string) (lines []string) {
	if !strings.Contains(arguments, "*** ") {
		return nil
	}
	for _, t := range ArgumentTexts(arguments) {
		if !t.Body {
			continue
		}
		for line := range strings.SplitSeq(t.Text, "\n") {
			if isPatchHead(line) {
				if lines = append(lines, strings.TrimSpace(line)); len(lines) == maxPatched {
					return lines
				}
			}
		}
	}
	return lines
}

func isPatchHead(line string) bool {
	for _, head := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
		if strings.HasPrefix(line, head) {
			return len(line) <= maxFirstLine
		}
	}
	return false
}

// withoutPatched takes the files of a patch off a stub: lines of the patch that
// follow name theirs.
func (p *Projection) withoutPatched(n *node, parts []Part) []Part {
	files := p.log.endings.list[n.tool].files
	if files == "" {
		return parts
	}
	return Text(strings.Replace(partsText(parts), files, "", 1))
}

// quoteLines puts lines of the log under a stub.
func quoteLines(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(quoteLine(line))
	}
	return b.String()
}

// recallRef is the reference behind a text of which something is left out.
func (p *Projection) recallRef(by int32, on bool, seq int32) string {
	if !on {
		return ""
	}
	return " (recall " + p.overlays[by].prefix() + strconv.Itoa(int(seq)) + ")"
}

// maxHandle is the longest handle of a conversation, in bytes.
const maxHandle = 16

// prefix is what references begin with. An overlay that came with a transcript is
// a stranger's: what is not a handle would speak to the model.
func (o *overlay) prefix() string {
	h := o.c.Handle
	if h == "" || len(h) > maxHandle || strings.ContainsFunc(h, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return ""
	}
	return h + ":"
}

func firstLine(text string) string {
	line := strings.TrimLeft(text, "\r\n")
	if end := strings.IndexAny(line, "\n\r\v\f\u0085\u2028\u2029"); end >= 0 {
		line = line[:end]
	}
	return beginning(line, maxFirstLine)
}

var (
	// wrapping lines say that a command failed, which the stub says as well, and
	// nothing of why.
	wrapping = regexp.MustCompile(`(?i)^\W*(?:(?:error|the|command|process|script|shell|tool|program)\W+)*(?:(?:failed|exited|finished|completed|terminated|returned)\W+)?(?:with\W+)?(?:a\W+)?(?:non-?zero\W+)?(?:exit|return)?[ _-]?(?:code|status)(?:\W+code)?\W*-?\d+\W*$`)
	prompt   = regexp.MustCompile(`^(?:\([^)]*\) ?)?(?:\S*[@:~/]\S*|(?:ba|z)?sh-[\d.]+)? ?[$#%>❯]$`)
	escapes  = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
	tag      = regexp.MustCompile(`</?[A-Za-z][\w-]*>`)
)

// hosts is how lines begin that hosts write behind an output and that say nothing of why.
var hosts = []string{"Shell cwd was reset to ", "Signal: ", "Wall time", "<shellId: ", "<command with ", "Process Group PGID: ", "Background PIDs: ", "[Current working directory: ", "[Python interpreter: "}

// lastTelling is the last line of an output that says something: not a rule, a
// prompt or that the command failed. Empty for none.
func lastTelling(text string) string {
	for text != "" {
		line := text
		if at := strings.LastIndexAny(strings.TrimRight(text, "\r\n"), "\r\n"); at >= 0 {
			line, text = text[at+1:], text[:at]
		} else {
			text = ""
		}
		if line = strings.TrimSpace(withoutEscapes(line)); tells(line) {
			return beginning(line, maxFirstLine)
		}
	}
	return ""
}

func tells(line string) bool {
	if strings.IndexByte(line, '<') >= 0 {
		line = strings.TrimSpace(tag.ReplaceAllString(line, ""))
	}
	if line != "" && strings.IndexByte("SW<PB[", line[0]) >= 0 && slices.ContainsFunc(hosts, func(p string) bool { return strings.HasPrefix(line, p) }) {
		return false
	}
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch {
	case letters < 3 && (letters == 0 || line[len(line)-1] < 0x80):
		return false
	case len(words) == 1 && slices.Contains([]string{"fail", "failed", "failure", "error", "errors", "output", "stderr", "stdout"}, strings.ToLower(words[0])):
		return false
	}
	if len(line) > maxFirstLine || !strings.ContainsAny(line[len(line)-min(len(line), 12):], "0123456789$#%>❯") {
		return true // neither of the two can match
	}
	return !wrapping.MatchString(line) && !prompt.MatchString(line)
}

// ending is how a call of a tool ended, as far as its stub says.
type ending struct {
	tool    int32
	outcome Outcome
	lines   int32
	telling string // what is quoted of a failure
	files   string // which files the call's patch is about
}

// endingOf gives the number of the ending of a call with a result.
func (l *Log) endingOf(call int32, r *ToolResult) int32 {
	tool := l.node(call).tool
	e := ending{tool: tool, outcome: r.Ended(), files: quoteLines(patched(payloadOf[ToolCall](l, call).Arguments))}
	failed := e.outcome != "" && e.outcome != Success
	if len(r.Parts) == 1 {
		e.lines = int32(min(countLines(r.Parts[0].Text), hugeSize))
	} else if len(r.Parts) > 0 {
		e.lines = int32(min(countLines(partsText(r.Parts)), hugeSize))
	}
	if e.lines < 2 {
		e.lines = 0 // goes without saying
	}
	if failed {
		e.telling = quoteLine(telling(partsText(r.Parts)))
	}
	number := l.endings.of(e)
	if int(number) == len(l.stubs) {
		text := stubMark + l.toolName(tool) + ": " + shield.Label(cmp.Or(string(e.outcome), "done"))
		if e.lines > 0 {
			text += ", " + strconv.Itoa(int(e.lines)) + " lines"
		}
		l.stubs = append(l.stubs, l.newStub(text+e.telling+e.files))
	}
	return number
}

// stub is the text of stubs, and what it costs.
type stub struct {
	parts  []Part // shared by all results that become this stub
	tokens int32
}

func (l *Log) newStub(text string) stub { return stub{Text(text), int32(l.counter.Count(text))} }

func (l *Log) toolName(tool int32) string {
	if name := l.tools.list[tool]; name != "" {
		return shield.Label(name)
	}
	return "unknown"
}

// stubCounts remembers what stands in for the log's texts, beyond the log's own stubs.
type stubCounts struct {
	log *Log
	// previous are the stubs of that form, by ending.
	previous []stub
	*remembered
}

// remembered is what was worked out once and comes up in one preview after the
// other, which share it.
type remembered struct {
	counted map[string]int32 // the costs of texts
	abouts  map[aboutKey]aboutCall
}

// maxRemembered is how much of either is remembered.
const maxRemembered = 1 << 16

func newRemembered() *remembered {
	return &remembered{counted: map[string]int32{}, abouts: map[aboutKey]aboutCall{}}
}

// fork gives the stubs of a log that is a fork of s's: its endings have the same
// numbers as far as s's go.
func (s *stubCounts) fork(l *Log) stubCounts {
	return stubCounts{log: l, remembered: s.remembered, previous: slices.Clip(s.previous)}
}

// count is what a text costs that stands in for another.
func (s *stubCounts) count(text string) int32 {
	n, ok := s.counted[text]
	if !ok {
		if n = int32(s.log.counter.Count(text)); len(s.counted) < maxRemembered {
			s.counted[text] = n
		}
	}
	return n
}

// of is the stub of P5 in a form, without what depends on the policy.
func (s *stubCounts) of(form string, number int32) *stub {
	if form != StubPrevious {
		return &s.log.stubs[number]
	}
	for int(number) >= len(s.previous) {
		e := &s.log.endings.list[len(s.previous)]
		s.previous = append(s.previous, s.log.newStub("[Previous: used "+s.log.toolName(e.tool)+"]"+e.telling+e.files))
	}
	return &s.previous[number]
}

// withoutFiles leaves of a user message the texts, and a word for each file
// and attachment larger than over. False when there was none.
func withoutFiles(m UserMessage, over Size) (UserMessage, bool) {
	changed := false
	parts := make([]Part, 0, len(m.Parts)+len(m.Attachments))
	for _, p := range m.Parts {
		if p.File != nil && (over == 0 || p.File.Size() > over) {
			p = TextPart(fileStub(p.File.Label(), p.File.Size()))
			changed = true
		}
		parts = append(parts, p)
	}
	var attachments []Attachment
	for _, a := range m.Attachments {
		if size := Size(len(a.Content)); over == 0 || size > over {
			parts = append(parts, TextPart(fileStub((&File{Name: a.Name, MediaType: a.MediaType}).Label(), size)))
			changed = true
			continue
		}
		attachments = append(attachments, a)
	}
	m.Parts, m.Attachments = parts, attachments
	return m, changed
}

func fileStub(label string, size Size) string {
	switch size {
	case 0: // nobody knows: it lies elsewhere
		return stubMark + label
	case 1:
		return stubMark + label + ", 1 byte"
	}
	return fmt.Sprintf(stubMark+"%s, %d bytes", label, size)
}

// Label names the file on one line, by its name and its media type.
func (f *File) Label() string {
	label := cmp.Or(f.Name, "attachment")
	if f.MediaType != "" {
		label += ", " + f.MediaType
	}
	return shield.Label(label)
}
