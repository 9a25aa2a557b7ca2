package strategy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// said is what a call that made its step alone asked and got.
type said struct {
	name, arguments string
	result          string // "" stands for some text
	failed, open    bool
	beside          bool // made in the step of the one before
	turn            bool // a turn begins before it
	branch          string
}

func read(arguments string) said     { return said{name: "fs_read_file", arguments: arguments} }
func call(name, args string) said    { return said{name: name, arguments: args} }
func (s said) fails() said           { s.failed = true; return s }
func (s said) unanswered() said      { s.open = true; return s }
func (s said) besides() said         { s.beside = true; return s }
func (s said) inTurn() said          { s.turn = true; return s }
func (s said) on(branch string) said { s.branch = branch; return s }
func (s said) gets(text string) said { s.result = text; return s }

// someText is long enough that a stub is shorter.
var someText = strings.Repeat("some line of a file\n", 30)

// logOf makes a log of calls; the seqs of the calls come with it.
func logOf(t testing.TB, all ...said) (*tenfold.Log, []int64) {
	t.Helper()
	l := tenfold.NewLog()
	var seqs []int64
	add := func(e tenfold.Entry) {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	turn := func() {
		add(tenfold.Entry{Payload: tenfold.TurnStart{}})
		add(tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}})
	}
	turn()
	for i := 0; i < len(all); {
		if all[i].turn {
			turn()
		}
		j := i + 1
		for j < len(all) && all[j].beside {
			j++
		}
		for k, s := range all[i:j] {
			add(tenfold.Entry{Branch: s.branch, MessageID: fmt.Sprint("m", i), Payload: tenfold.ToolCall{
				CallID: fmt.Sprint("c", i+k), Name: s.name, Arguments: s.arguments,
			}})
			seqs = append(seqs, l.Version())
		}
		for k, s := range all[i:j] {
			text := s.result
			if text == "" {
				text = someText
			}
			if !s.open {
				add(tenfold.Entry{Branch: s.branch, Payload: tenfold.ToolResult{
					CallID: fmt.Sprint("c", i+k), Parts: tenfold.Text(text), IsError: s.failed,
				}})
			}
		}
		i = j
	}
	add(tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done"}})
	return l, seqs
}

// outcome plans a strategy and writes what becomes of each call: "-" omitted,
// "q" request stripped, "r" result stripped, "b" both, "." nothing.
func outcome(t testing.TB, text string, o strategy.Options, all ...said) string {
	t.Helper()
	l, seqs := logOf(t, all...)
	p := tenfold.Project(l)
	if o.Range == (tenfold.Range{}) {
		o.Range = whole(l)
	}
	plan, err := strategy.Pipeline{mustParse(t, text)}.Plan(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Compactions) > 1 {
		t.Errorf("%d overlays, want one", len(plan.Compactions))
	}
	if (plan.Nothing == "") != (len(plan.Compactions) > 0) {
		t.Errorf("%d overlays, and says %q", len(plan.Compactions), plan.Nothing)
	}
	return fates(plan.View(), l, seqs)
}

func fates(p *tenfold.Projection, l *tenfold.Log, seqs []int64) string {
	out := ""
	for _, seq := range seqs {
		request, _, _ := p.Fate(seq)
		response, _, _ := p.Fate(l.Pair(seq))
		switch {
		case request == tenfold.Omitted:
			out += "-"
		case request == tenfold.Stripped && response == tenfold.Stripped:
			out += "b"
		case request == tenfold.Stripped:
			out += "q"
		case response == tenfold.Stripped:
			out += "r"
		default:
			out += "."
		}
	}
	return out
}

const (
	fileA = `{"path":"/r/a.go"}`
	fileB = `{"path":"/r/b.go"}`
)

// Each boundary of S-3, by the calls in order and what becomes of them.
func TestS3DedupTools(t *testing.T) {
	a, b := read(fileA), read(fileB)
	write := func(args string) said { return call("fs_create_file", args) }
	sh := func(command string) said { return call("shell", `{"command":"`+command+`"}`) }
	for name, c := range map[string]struct {
		strategy string
		calls    []said
		want     string
	}{
		"the older of two goes":                {"", []said{a, a}, "-."},
		"all but the latest go":                {"", []said{a, a, b, a}, "--.."},
		"other arguments":                      {"", []said{a, b}, ".."},
		"other tool":                           {"", []said{a, call("github_read_file", fileA)}, ".."},
		"order of members and white space":     {"", []said{call("Grep", `{"a":1,"b":2}`), call("Grep", ` { "b" : 2, "a" : 1 } `)}, "-."},
		"spelling of numbers":                  {"", []said{call("Grep", `{"a":1.0,"b":100}`), call("Grep", `{"a":1,"b":1e2}`)}, "-."},
		"large numbers are not floats":         {"", []said{call("Grep", `{"a":9007199254740993}`), call("Grep", `{"a":9007199254740992}`)}, ".."},
		"escapes":                              {"", []said{call("Grep", `{"a":"\u00e9\/"}`), call("Grep", `{"a":"é/"}`)}, "-."},
		"a number is not a string":             {"", []said{call("Grep", `{"a":1}`), call("Grep", `{"a":"1"}`)}, ".."},
		"order of a list counts":               {"", []said{call("Grep", `{"a":[1,2]}`), call("Grep", `{"a":[2,1]}`)}, ".."},
		"broken arguments equal themselves":    {"", []said{call("Grep", `{"a":"x`), call("Grep", `{"a":"x`)}, "-."},
		"no arguments are an empty object":     {"", []said{call("git_diff", ``), call("git_diff", `{}`)}, "-."},
		"across a write to the path":           {"", []said{a, write(fileA), a}, "..."},
		"across an edit to the path":           {"", []said{a, call("fs_modify_file", fileA), a}, "..."},
		"across a failed write":                {"", []said{a, write(fileA).fails(), a}, "..."},
		"across an unanswered write":           {"", []said{a, write(fileA).unanswered(), a}, "..."},
		"across a write to another path":       {"", []said{a, write(fileB), a}, "-.."},
		"the path spelt otherwise":             {"", []said{a, write(`{"path":"/r/x/../a.go"}`), a}, "..."},
		"a relative path may be the same":      {"", []said{a, write(`{"path":"a.go"}`), a}, "..."},
		"another relative path is not":         {"", []said{a, write(`{"path":"c.go"}`), a}, "-.."},
		"before and after the write":           {"", []said{a, a, write(fileA), a, a}, "-..-."},
		"across a write in a subagent":         {"", []said{a, write(fileA).on("sub"), a}, "..."},
		"across a shell command":               {"", []said{a, sh("make"), a}, "..."},
		"across a command that only reads":     {"", []said{a, sh("grep -n x /r/a.go | head -5"), a}, "-.."},
		"across a redirection":                 {"", []said{a, sh("cat x > /r/a.go"), a}, "..."},
		"across a tool nobody knows":           {"", []said{a, call("mcp__x__y", `{}`), a}, "..."},
		"across a broken write":                {"", []said{a, write(`{"path":"/r/b`), a}, "..."},
		"beside a write":                       {"", []said{a, write(fileA).besides(), a}, "..."},
		"beside a shell command":               {"", []said{a, a, sh("make").besides()}, "..."},
		"beside each other":                    {"", []said{a, a.besides()}, "-."},
		"a listing across any write":           {"", []said{call("Glob", `{"pattern":"*"}`), write(fileA), call("Glob", `{"pattern":"*"}`)}, "..."},
		"a page of the web across a write":     {"", []said{call("WebFetch", `{"url":"u"}`), write(fileA), call("WebFetch", `{"url":"u"}`)}, "-.."},
		"a folder whose file is written":       {"", []said{call("view", `{"path":"/r"}`), write(fileA), call("view", `{"path":"/r"}`)}, "..."},
		"a failed call does not repeat":        {"", []said{a, a.fails()}, ".."},
		"a failed call does not go":            {"", []said{a.fails(), a}, ".."},
		"an unanswered call does not repeat":   {"", []said{a, a.unanswered()}, ".."},
		"an unanswered call does not go":       {"", []said{a.unanswered(), a}, ".."},
		"an answer that refers back":           {"", []said{a, a.gets("File unchanged since last read.")}, ".."},
		"exempt tools":                         {"", []said{call("TodoWrite", `{}`), call("TodoWrite", `{}`), call("Skill", `{}`), call("Skill", `{}`)}, "...."},
		"equal writes":                         {"", []said{write(fileA), write(fileA)}, ".."},
		"equal shell commands":                 {"", []said{sh("ls"), sh("ls")}, ".."},
		"equal shell commands, asked for":      {":shell=true", []said{sh("ls"), sh("ls")}, "-."},
		"equal effects, asked for":             {":shell=true", []said{sh("make"), sh("make")}, ".."},
		"a change of directory in between":     {":shell=true", []said{sh("ls"), sh("cd /x"), sh("ls")}, "..."},
		"a call of a branch is not the root's": {"", []said{a, a.on("sub")}, ".."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outcome(t, "dedup-tools"+c.strategy, strategy.Options{}, c.calls...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Only calls of the range go; the later one may stand outside it.
func TestS3OnlyCallsOfTheRangeGo(t *testing.T) {
	a := read(fileA)
	step := 0
	for _, c := range []struct {
		span tenfold.Range
		want string
	}{
		{tenfold.Range{ToTurn: 1}, "---."},
		{tenfold.Range{ToTurn: 0, ToStep: &step}, "-..."},
		{tenfold.Range{FromTurn: 1, ToTurn: 1}, "..-."},
		{tenfold.Range{FromTurn: 2, ToTurn: 2}, "...."},
		{tenfold.Range{FromTurn: 3, ToTurn: 9}, "...."},
		{tenfold.Range{ToTurn: 9}, "---."},
	} {
		o := strategy.Options{Range: c.span}
		if got := outcome(t, "dedup-tools", o, a, a, a.inTurn(), a.inTurn()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.span, got, c.want)
		}
	}
}

// H1: the tool's setting beats the table, and lets a call go even where
// another may have changed the answer.
func TestH1DedupSetting(t *testing.T) {
	yes, no := true, false
	a, sh := read(fileA), call("shell", `{"command":"make"}`)
	for name, c := range map[string]struct {
		tools tool.Settings
		calls []said
		want  string
	}{
		"true, across a write":     {tool.Settings{"fs_read_file": {Dedup: &yes}}, []said{a, call("fs_create_file", fileA), a}, "-.."},
		"true, of an effect":       {tool.Settings{"shell": {Dedup: &yes}}, []said{sh, a, sh}, "-.."},
		"true, of an unknown tool": {tool.Settings{"x": {Dedup: &yes}}, []said{call("x", `{}`), call("x", `{}`)}, "-."},
		"false":                    {tool.Settings{"fs_read_file": {Dedup: &no}}, []said{a, a}, ".."},
		"exempt":                   {tool.Settings{"fs_read_file": {Exempt: &yes}}, []said{a, a}, ".."},
		"exempt no more":           {tool.Settings{"Skill": {Exempt: &no, Dedup: &yes}}, []said{call("Skill", `{}`), call("Skill", `{}`)}, "-."},
	} {
		if got := outcome(t, "dedup-tools", strategy.Options{Tools: c.tools}, c.calls...); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if got := outcome(t, "dedup-tools:shell=true", strategy.Options{Tools: tool.Settings{"shell": {Dedup: &no}}},
		call("shell", `{"command":"ls"}`), call("shell", `{"command":"ls"}`)); got != ".." {
		t.Errorf("a setting that says no is beaten by shell=true: %s", got)
	}
}

// H3: a later read of the same path that holds at least the lines.
func TestH3LaterReadHoldsTheLines(t *testing.T) {
	lines := func(from, to int) said {
		return read(fmt.Sprintf(`{"path":"/r/a.go","start_line":%d,"end_line":%d}`, from, to)).gets(strings.Repeat("x\n", to-from+1))
	}
	from := func(n int) said { return read(fmt.Sprintf(`{"path":"/r/a.go","start_line":%d}`, n)) }
	no := false
	for name, c := range map[string]struct {
		tools tool.Settings
		calls []said
		want  string
	}{
		"inside":                {nil, []said{lines(10, 40), lines(5, 50)}, "-."},
		"the same start":        {nil, []said{lines(5, 40), lines(5, 50)}, "-."},
		"the same end":          {nil, []said{lines(10, 50), lines(5, 50)}, "-."},
		"one line before":       {nil, []said{lines(4, 50), lines(5, 50)}, ".."},
		"one line after":        {nil, []said{lines(5, 51), lines(5, 50)}, ".."},
		"the larger is older":   {nil, []said{lines(5, 50), lines(10, 40)}, ".."},
		"the whole file":        {nil, []said{lines(10, 40), read(fileA)}, "-."},
		"from line 1 on":        {nil, []said{read(fileA), from(1)}, "-."},
		"to the end":            {nil, []said{lines(10, 40), from(10)}, "-."},
		"an open end is longer": {nil, []said{from(10), lines(1, 900)}, ".."},
		"another path":          {nil, []said{lines(10, 40), read(fileB)}, ".."},
		"the path spelt other":  {nil, []said{lines(10, 40), read(`{"path":"/r/./a.go"}`)}, "-."},
		"across a write":        {nil, []said{lines(10, 40), call("fs_create_file", fileA), read(fileA)}, "..."},
		"the later failed":      {nil, []said{lines(10, 40), read(fileA).fails()}, ".."},
		"the later was cut":     {nil, []said{lines(10, 40), read(fileA).gets(someText + "[truncated]")}, ".."},
		"one by one":            {nil, []said{lines(10, 20), lines(15, 30), lines(10, 30), read(fileA)}, "---."},
		"two that overlap":      {nil, []said{lines(10, 20), lines(15, 30)}, ".."},
		"not with subsumes off": {tool.Settings{"fs_read_file": {Subsumes: &no}}, []said{lines(10, 40), read(fileA)}, ".."},
	} {
		if got := outcome(t, "dedup-tools", strategy.Options{Tools: c.tools}, c.calls...); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// prefixes subsumes arguments that begin as the later ones do, and counts what
// it is asked.
type prefixes struct{ asked, batches int }

func (s *prefixes) Subsumes(_ context.Context, _ string, earlier, later []string) ([]bool, error) {
	s.batches++
	s.asked += len(earlier)
	out := make([]bool, len(earlier))
	for i := range out {
		out[i] = strings.HasPrefix(later[i], strings.TrimRight(earlier[i], `"}`))
	}
	return out, nil
}

// H2: tools whose setting says so are asked; in one batch a tool, and about n
// pairs for n calls.
func TestH2ToolsAreAsked(t *testing.T) {
	yes := true
	tools := tool.Settings{"x": {Subsumes: &yes}}
	ask := &prefixes{}
	o := strategy.Options{Tools: tools, Subsumer: ask}
	x := func(q string) said { return call("x", `{"q":"`+q+`"}`) }
	if got := outcome(t, "dedup-tools", o, x("a"), x("b"), x("ab")); got != "-.." {
		t.Errorf("got %s", got)
	}
	if got := outcome(t, "dedup-tools", o, x("a"), call("shell", `{"command":"make"}`), x("ab")); got != "..." {
		t.Errorf("across a shell command: got %s", got)
	}
	if got := outcome(t, "dedup-tools", o, x("a"), x("ab").fails()); got != ".." {
		t.Errorf("a failed call: got %s", got)
	}
	*ask = prefixes{}
	var many []said
	const n = 200
	for i := range n {
		many = append(many, x(fmt.Sprint(i)))
	}
	outcome(t, "dedup-tools", o, many...)
	if ask.batches != 1 || ask.asked > 2*n {
		t.Errorf("%d calls cost %d comparisons in %d batches", n, ask.asked, ask.batches)
	}
	if got := outcome(t, "dedup-tools", strategy.Options{Tools: tools}, x("a"), x("ab")); got != ".." {
		t.Errorf("with nobody to ask: got %s", got)
	}
}

// S-15: what an earlier strategy hid cannot stand for anything; of two stubs
// alike one is enough.
func TestS15DedupSeesTheProjection(t *testing.T) {
	a := read(fileA)
	l, seqs := logOf(t, a, a.inTurn(), a.inTurn())
	for name, c := range map[string]struct {
		before tenfold.Compaction
		want   string
	}{
		"the latest is omitted":  {tenfold.Range{FromTurn: 2, ToTurn: 2}.On(tenfold.Compaction{Turns: tenfold.Omit}), "-.-"},
		"the latest is stripped": {tenfold.Range{FromTurn: 2, ToTurn: 2}.On(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}), "-.r"},
		"the older are stripped": {tenfold.Range{ToTurn: 1}.On(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}), "--."},
		"all are stripped":       {tenfold.Range{ToTurn: 2}.On(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}), "--r"},
	} {
		p := tenfold.Project(l).With(c.before)
		plan, err := strategy.Pipeline{mustParse(t, "dedup-tools")}.Plan(t.Context(), p, strategy.Options{Range: whole(l)})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, fates(plan.View(), l, seqs)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The keys of the overlay name one call each, since ids are used again.
func TestS3KeysNameOneCall(t *testing.T) {
	l := tenfold.NewLog()
	for range 3 {
		_, err := l.Append(
			tenfold.Entry{Payload: tenfold.ToolCall{CallID: "0", Name: "fs_read_file", Arguments: fileA}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: "0", Parts: tenfold.Text(someText)}},
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	plan, err := strategy.Pipeline{mustParse(t, "dedup-tools")}.Plan(t.Context(), tenfold.Project(l), strategy.Options{Range: whole(l)})
	if err != nil {
		t.Fatal(err)
	}
	want := []tenfold.CallGroup{{CallPolicy: tenfold.CallPolicy{Action: tenfold.Omit}, Entries: []int64{1, 3}}}
	if d := cmp.Diff(want, plan.Compactions[0].ToolCalls.Groups); d != "" {
		t.Error(d)
	}
}

func TestParametersOfDedupAndSupersede(t *testing.T) {
	for text, ok := range map[string]bool{
		"dedup-tools": true, "dedup-tools:shell=true": true, "dedup-tools:shell=maybe": false, "dedup-tools:x=1": false,
		"supersede": true, "supersede:recall=true": true, "supersede:recall=": false, "supersede:x=1": false,
	} {
		s, err := strategy.Parse(text)
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && s.Name() != text {
			t.Errorf("%s is named %s", text, s.Name())
		}
	}
}
