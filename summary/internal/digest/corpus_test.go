package digest_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/atom"
	"tenfold/internal/commandline"
	"tenfold/internal/corpustest"
	"tenfold/purpose"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
	"tenfold/token"
	"tenfold/tool"
	"tenfold/transcript"
)

// sessions gives the conversations of a file of the corpus; none where its
// format cannot be read.
func sessions(tb testing.TB, f corpustest.File) []transcript.Collected {
	tb.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all transcript.Collector
	if err := transcript.Import(tb.Context(), file.Source, "", &all); err != nil {
		return nil
	}
	return all.Conversations
}

func logOf(tb testing.TB, entries []tenfold.Entry) *tenfold.Log {
	tb.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	if _, err := l.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	return l
}

// digestOf is the digest of all that the root of a log reads, or where there
// is no root of all.
func digestOf(tb testing.TB, l *tenfold.Log) (string, []tenfold.Entry) {
	tb.Helper()
	p := tenfold.Project(l)
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{ToTurn: max(l.Turns()-1, 0)}}
	rootless := p.Totals().Log().Before == 0
	for e := range l.Entries() {
		if rootless || p.Reads(e.Seq) {
			r.Entries = append(r.Entries, e)
		}
	}
	got, err := digest.Digest{}.Summarize(tb.Context(), r)
	if err != nil {
		tb.Fatal(err)
	}
	return got.Text, r.Entries
}

// a fact is something that must stand in a digest.
type fact struct {
	kind string
	// all must stand in one line, except for those of a message, which are
	// its lines.
	all   []string
	lines bool
}

func (f fact) in(digest string) bool {
	if f.lines {
		for _, line := range f.all {
			if !strings.Contains(digest, "> "+line) {
				return false
			}
		}
		return true
	}
	dir := ""
	for line := range strings.SplitSeq(digest, "\n") {
		if in, ok := strings.CutPrefix(line, "- in `"); ok { // that of the files below
			dir = strings.TrimSuffix(in, "`:")
		}
		whole := line // a call may name it from that directory too
		if short, ok := strings.CutPrefix(line, "- `"); ok && dir != "" && !strings.HasPrefix(short, "/") {
			whole = "- `" + dir + short
		}
		if !slices.ContainsFunc(f.all, func(part string) bool { return !strings.Contains(line, part) && !strings.Contains(whole, part) }) {
			return true
		}
	}
	return false
}

// done is a call with its result.
type done struct {
	call     tenfold.ToolCall
	result   tenfold.ToolResult
	answered bool
	failed   bool
	asks     bool
	command  string // its key
	flat     string // as it is quoted
	changes  []string
	reads    []string
	// spoken is how many messages there had been.
	spoken int
}

func flat(text string, characters int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > characters && len(text) > characters {
		text = strings.TrimSpace(string(r[:characters]))
	}
	return strings.ReplaceAll(digest.Visible(text), "\n", "␊")
}

func callsOf(entries []tenfold.Entry) []*done {
	var all []*done
	open := map[string][]*done{}
	spoken := 0
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			spoken++
		case tenfold.ToolCall:
			d := &done{call: p, spoken: spoken}
			known, _ := tool.Lookup(p.Name)
			for _, op := range known.Operations(p.Arguments) {
				if op.Op == tool.FileRead {
					d.reads = append(d.reads, op.Path)
				} else {
					d.changes = append(d.changes, op.Path)
				}
			}
			if command, dir := known.Command(p.Arguments); strings.TrimSpace(command) != "" {
				d.command, d.flat = dir+"\x00"+commandline.Key(command), flat(command, 150)
			}
			d.asks = len(known.Questions(p.Arguments)) > 0
			open[e.Branch+"\x00"+p.CallID] = append(open[e.Branch+"\x00"+p.CallID], d)
			all = append(all, d)
		case tenfold.ToolResult:
			waiting := open[e.Branch+"\x00"+p.CallID]
			if len(waiting) == 0 {
				continue
			}
			d := waiting[len(waiting)-1]
			open[e.Branch+"\x00"+p.CallID] = waiting[:len(waiting)-1]
			d.result, d.answered, d.failed = p, true, p.IsError
			if d.command != "" {
				d.failed = tool.Failed(d.call.Name, d.call.Arguments, p)
			}
		}
	}
	return all
}

// closes tells whether a later call closes the failure of d, or tells of it.
func (d *done) closes(later *done) bool {
	if d.command != "" && later.answered {
		return later.command != "" && slices.ContainsFunc(programs(later.command), func(p string) bool { return slices.Contains(programs(d.command), p) })
	}
	if !later.answered || later.failed {
		return false
	}
	switch {
	case len(d.changes) > 0:
		return slices.Contains(later.changes, d.changes[0])
	case len(d.reads) > 0:
		return slices.Contains(later.changes, d.reads[0]) || slices.Contains(later.reads, d.reads[0])
	}
	if later.call.Name != d.call.Name {
		return false
	}
	was, is := arguments(d.call), arguments(later.call)
	other := 0
	for name := range was {
		if now, there := is[name]; now != was[name] {
			if other++; there && identifying.MatchString(name) {
				return false // of another thing
			}
		}
	}
	return other == 0 && len(was) == len(is) || other == 1 && len(was) > 2 // one was put right
}

var identifying = regexp.MustCompile(`(?:^|_)(?:id|number|key|path|url|uri)$|[a-z](?:I[dD]|Number|Key|Path|U[rR][lLiI])$`)

func arguments(c tenfold.ToolCall) map[string]string {
	all := map[string]any{}
	_ = json.Unmarshal([]byte(c.Arguments), &all)
	texts := map[string]string{}
	for name, value := range all {
		texts[name] = fmt.Sprint(value)
	}
	return texts
}

// programs are the beginnings of the parts of a command line: what runs the same
// may show that what failed is good now.
func programs(command string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(command[strings.IndexByte(command, 0)+1:], func(r rune) bool { return strings.ContainsRune("&|;\n", r) }) {
		words := strings.Fields(part)
		if len(words) > 3 && words[1] == "--prefix" { // where npm runs
			words = slices.Delete(words, 1, 3)
		}
		all = append(all, strings.Join(words[:min(len(words), 2)], " "))
	}
	return all
}

// verdicts are the commands that must be known to whoever goes on.
var verdicts = regexp.MustCompile(`^(go (test|build|vet)|(npm|pnpm|bun|yarn) (run )?(test|build|lint|check|typecheck)|cargo (test|build|check)|make test|pytest)\b`)

// factsOf is what the digest of entries must hold, found the long way round.
func factsOf(entries []tenfold.Entry) []fact {
	var facts []fact
	for _, e := range entries {
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || !m.IsRequest() {
			continue
		}
		text := purpose.Said(m)
		if utf8.RuneCountInString(text) >= 500 || !atom.StatesConstraint(text) {
			continue
		}
		f := fact{kind: "constraint", lines: true}
		for line := range strings.SplitSeq(digest.Visible(text), "\n") {
			f.all = append(f.all, strings.TrimRight(line, " \t"))
		}
		facts = append(facts, f)
	}
	calls := callsOf(entries)
	runs := map[string]int{}
	last := map[string]*done{}
	for i, d := range calls {
		for _, p := range d.changes {
			if d.answered && !d.failed {
				facts = append(facts, fact{kind: "path", all: []string{"`" + flat(p, 400) + "`"}})
			}
		}
		if d.command != "" {
			runs[d.command]++
			last[d.command] = d
		}
		// What nobody looked back at for long may be left out.
		if d.asks || !d.failed || d.polls() || len(calls)-i > 8 || d.spoken < calls[len(calls)-1].spoken || slices.ContainsFunc(calls[i+1:], d.closes) {
			continue
		}
		if text := d.result.Parts; len(text) > 0 && (strings.HasPrefix(text[0].Text, "The user doesn't want to") || strings.HasPrefix(text[0].Text, "[Operation Cancelled]") || strings.HasSuffix(text[0].Text, "Command aborted")) {
			continue // that is the person's word
		}
		f := fact{kind: "error"}
		switch {
		case d.command != "":
			f.all = []string{d.flat, "failed"}
		case len(d.changes) > 0:
			f.all = []string{"`" + d.call.Name + "`", "`" + flat(d.changes[0], 400) + "`", "failed"}
		case len(d.reads) > 0:
			f.all = []string{"`" + d.call.Name + "`", "`" + flat(d.reads[0], 400) + "`", "failed"}
		default:
			f.all = []string{flat(d.call.Name+" "+d.call.Arguments, 100), "failed"}
		}
		facts = append(facts, f)
	}
	var newest *done
	for _, d := range calls {
		line := strings.TrimPrefix(d.command, "\x00")
		if d.answered && !d.failed && runs[d.command] > 1 && last[d.command] == d && verdicts.MatchString(line) && len(d.flat) < 140 && !strings.ContainsAny(line, "\n|;") {
			newest = d
		}
	}
	if newest != nil {
		facts = append(facts, fact{kind: "command", all: []string{newest.flat, ", turn "}})
	}
	return facts
}

// budgetMisses are sessions whose facts do not fit, with the reason.
var budgetMisses = map[string]string{
	"agentv/copilot-cli/c3f091b3-1a1f-435f-8acb-6c7520106212.jsonl#0": "the person took the demand back: it was said in the wrong chat",
	"session-bridge/opencode/ses_280fa301bffe2Zdl8q96YxhFwJ.json#0":   "one file's tests failed, then all tests did, which stand for them",
}

func (d *done) polls() bool { return tool.Polls(d.call.Name, d.call.Arguments) }

// M3, M4a: the digest of the first 75 % of each real session holds every user
// message that states a constraint, every changed path, the check that passed
// last, and every error of late that is open.
func TestM4DigestHoldsTheFactsOfRealSessions(t *testing.T) {
	corpustest.Unraced(t)
	type tally struct{ sessions, tokens, digest, bigger int }
	kinds := []string{"constraint", "path", "command", "error"}
	byFormat := map[string]*tally{}
	have, want := map[string]int{}, map[string]int{}
	unread := 0
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		conversations := sessions(t, f)
		if conversations == nil {
			unread++
			continue
		}
		for n, c := range conversations {
			l := logOf(t, c.Entries[:len(c.Entries)*3/4])
			if l.Tokens() == 0 {
				continue
			}
			digest, entries := digestOf(t, l)
			s, ok := byFormat[string(c.Format)]
			if !ok {
				s = &tally{}
				byFormat[string(c.Format)] = s
			}
			size := token.O200k().Count(digest)
			s.sessions++
			s.tokens += l.Tokens()
			s.digest += size
			if size >= l.Tokens() {
				s.bigger++
			}
			for _, fact := range factsOf(entries) {
				want[string(c.Format)+fact.kind]++
				if fact.in(digest) {
					have[string(c.Format)+fact.kind]++
					continue
				}
				name := fmt.Sprintf("%s#%d", f.Name, n)
				if budgetMisses[name] == "" {
					t.Errorf("%s: the digest of %d tokens of %d has no %s", name, size, l.Tokens(), fact.kind)
					if os.Getenv("SHOW_MISS") != "" {
						t.Logf("%q", fact.all)
					}
				}
			}
		}
	}
	var names []string
	for name := range byFormat {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		s := byFormat[name]
		line := fmt.Sprintf("%-18s %3d sessions, %8d tokens, digests %7d (%.1f %%), %d no smaller", name, s.sessions, s.tokens, s.digest,
			100*float64(s.digest)/float64(s.tokens), s.bigger)
		for _, kind := range kinds {
			line += fmt.Sprintf("; %s %d/%d", kind, have[name+kind], want[name+kind])
		}
		t.Log(line)
	}
	t.Logf("%d files are of formats that cannot be read", unread)
	for _, format := range []transcript.Format{transcript.ClaudeCode, transcript.JP} {
		if byFormat[string(format)] == nil {
			t.Errorf("no session of %s was read", format)
		}
	}
}
