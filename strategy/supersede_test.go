package strategy_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// Each boundary of supersede, by the calls in order and what becomes of them.
func TestSupersede(t *testing.T) {
	a := read(fileA)
	part := read(`{"path":"/r/a.go","start_line":5,"end_line":9}`)
	body := `{"path":"/r/a.go","content":"` + strings.Repeat("x ", 200) + `"}`
	write, edit := call("fs_create_file", body), call("fs_modify_file", body)
	patch := call("apply_patch", `"*** Begin Patch\n*** Update File: /r/a.go\n@@\n-x\n+`+strings.Repeat("y", 300)+`\n*** Update File: /r/b.go\n@@\n-x\n+y\n*** End Patch"`)
	sh := func(command string) said { return call("shell", `{"command":"`+command+`"}`) }
	for name, c := range map[string]struct {
		calls []said
		want  string
	}{
		"a read held by a later one goes":            {[]said{part, a}, "-."},
		"whatever tool reads":                        {[]said{part, sh("cat /r/a.go")}, "-."},
		"a command stays to be seen":                 {[]said{sh("sed -n 5,9p /r/a.go"), a}, "r."},
		"not across a command that may change it":    {[]said{part, sh("make"), a}, "..."},
		"the last read of an unchanged file":         {[]said{a, part}, ".."},
		"a read of a file written later":             {[]said{a, write}, "r."},
		"a read of a file edited later":              {[]said{a, edit}, "r."},
		"a part of a file edited later":              {[]said{part, edit}, "r."},
		"a read after the edit":                      {[]said{edit, a}, "q."},
		"an edit that failed":                        {[]said{a, edit.fails()}, ".."},
		"an edit without an answer":                  {[]said{a, edit.unanswered()}, ".."},
		"an edit of another file":                    {[]said{read(fileB), edit}, ".."},
		"an edit on another branch":                  {[]said{a, edit.on("sub")}, ".."},
		"what was written and read in full":          {[]said{write, a}, "q."},
		"what was written and read in part":          {[]said{write, part}, ".."},
		"what was written and written anew":          {[]said{write, write}, "q."},
		"what was edited and written anew":           {[]said{edit, write}, "q."},
		"what was edited and edited again":           {[]said{edit, edit}, ".."},
		"a later read that failed":                   {[]said{write, a.fails()}, ".."},
		"a later read that was cut":                  {[]said{write, a.gets(someText + "[truncated]")}, ".."},
		"a write that failed":                        {[]said{write.fails(), a}, ".."},
		"a patch of two files, one read":             {[]said{patch, a}, ".."},
		"a patch of two files, both read":            {[]said{patch, a, read(fileB)}, "q.."},
		"a read of two files, one changed":           {[]said{sh("cat /r/a.go /r/b.go"), edit}, ".."},
		"an unknown effect shortens nothing":         {[]said{a, sh("make")}, ".."},
		"exempt tools":                               {[]said{call("Skill", `{}`), call("TodoWrite", `{}`), a}, "..."},
		"read, edited, read again":                   {[]said{a, edit, a}, "rq."},
		"Claude Code: 2000 lines are not the file":   {[]said{call("Write", body), call("Read", fileA).gets(strings.Repeat("x\n", 2000))}, ".."},
		"Claude Code: fewer lines are all there are": {[]said{call("Write", body), call("Read", fileA)}, "q."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outcome(t, "supersede", strategy.Options{}, c.calls...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// H1: a tool's own hint beats the strip.
func TestH1SupersedeMindsHints(t *testing.T) {
	a := read(fileA)
	write := call("fs_create_file", `{"path":"/r/a.go","content":"`+strings.Repeat("x ", 200)+`"}`)
	for name, c := range map[string]struct {
		set  tool.Setting
		on   string
		want string
	}{
		"keep the response":   {tool.Setting{Response: tenfold.Keep}, "fs_read_file", ".q."},
		"remove the response": {tool.Setting{Response: tenfold.Remove}, "fs_read_file", "-q."},
		"keep the request":    {tool.Setting{Request: tenfold.Keep}, "fs_create_file", "r.."},
	} {
		o := strategy.Options{Tools: tool.Settings{c.on: c.set}}
		if got := outcome(t, "supersede", o, a, write, a); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// S-15: the overlay says again what an earlier one stripped, since the latest
// wins on the whole call.
func TestS15SupersedeBringsNothingBack(t *testing.T) {
	l, seqs := logOf(t, read(fileA), call("fs_modify_file", `{"path":"/r/a.go","new":"`+strings.Repeat("x ", 200)+`"}`), read(fileA))
	for _, side := range []tenfold.ToolPolicy{
		{Action: tenfold.Strip, Request: true}, {Action: tenfold.Strip, Response: true}, {Action: tenfold.Strip, Request: true, Response: true},
	} {
		step := 1
		first := tenfold.Range{ToTurn: 0, ToStep: &step}.On(tenfold.Compaction{ToolCalls: &side})
		p := tenfold.Project(l).With(first)
		plan, err := strategy.Pipeline{mustParse(t, "supersede")}.Plan(t.Context(), p, strategy.Options{Range: whole(l)})
		if err != nil {
			t.Fatal(err)
		}
		for _, seq := range seqs {
			for _, s := range []int64{seq, l.Pair(seq)} {
				_, _, before := p.Fate(s)
				if _, _, after := plan.View().Fate(s); after > before {
					t.Errorf("%+v: entry %d costs %d, %d before", side, s, after, before)
				}
			}
		}
	}
}

func TestSupersedeRecall(t *testing.T) {
	l, seqs := logOf(t, read(fileA), call("fs_modify_file", fileA))
	plan, err := strategy.Pipeline{mustParse(t, "supersede:recall=true")}.Plan(t.Context(), tenfold.Project(l), strategy.Options{Range: whole(l)})
	if err != nil {
		t.Fatal(err)
	}
	want := "[compacted] fs_read_file: done, 30 lines (recall "
	for it := range plan.View().Items() {
		if r, ok := it.Payload.(tenfold.ToolResult); ok && it.Seq == l.Pair(seqs[0]) && !strings.HasPrefix(r.Parts[0].Text, want) {
			t.Errorf("stub is %q", r.Parts[0].Text)
		}
	}
}
