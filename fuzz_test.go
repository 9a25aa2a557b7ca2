package tenfold_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// What ParseEntry takes, AppendEntry writes so that it reads back the same.
func FuzzParseEntry(f *testing.F) {
	lines, err := os.ReadFile("testdata/entries.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(lines) {
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Add([]byte(`{"id":"a","kind":"compaction","tool_calls":"strip-responses"}`))
	f.Add([]byte(`{"id":"a","kind":"turn_st`))
	f.Add([]byte(`{"id":"a","kind":"compaction","texts":{"policy":"selective","rest":"omit","entries":{"2":{"policy":"trim","lines":[[1,1,2,9]]}}}}`))
	f.Add([]byte(`{"id":"a","kind":"compaction","tool_calls":{"policy":"selective","rest":"strip","marks":"short","calls":{"c":{"policy":"trim",` +
		`"lines":[[1,3]],"body":[],"result":"keep","folded":{"calls":3,"from":1,"to":2}}}}}`))
	f.Add([]byte(`{"id":"a","kind":"recalled","entries":["b","b",""],"lines":[[2,5],[9,9,0,4],[-1,0]]}`))
	f.Add([]byte(`{"id":"a","kind":"compaction_attempt","state":"began","source":"auto","seconds":-1}`))
	f.Add([]byte(`{"id":"a","kind":"compaction","handle":"417093","keeps":{"calls":["a","a"]},"tool_calls":{"policy":"selective","recall":true}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := tenfold.ParseEntry(line)
		if err != nil {
			return
		}
		out, err := tenfold.AppendEntry(nil, e)
		if err != nil {
			t.Fatalf("%+v is not written: %v", e, err)
		}
		if bytes.ContainsAny(out, "\r\n") {
			t.Fatalf("not one line: %q", out)
		}
		again, err := tenfold.ParseEntry(out)
		if err != nil {
			t.Fatalf("%s is not read back: %v", out, err)
		}
		twice, err := tenfold.AppendEntry(nil, again)
		if err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("%s\nbecame\n%s, %v", out, twice, err)
		}
		if l := tenfold.NewLog(); e.Payload != nil {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
			tenfold.Project(l).Totals()
		}
	})
}

// What ParseBound takes resolves, as either end, to turns that there are.
func FuzzParseBound(f *testing.F) {
	for _, s := range []string{"5", "-3", "0", "-0", "5h", "2d", "1w", "90m", "1.5h", "last", "", "-9223372036854775808", "99999999999", "36499d", "5200w", "1e3d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := tenfold.ParseBound(text)
		if err != nil {
			return
		}
		p := project(t, hourly(3)...)
		from, ok, why, err := p.Resolve(tenfold.Bounds{From: &b, Tail: &tenfold.Tail{}, Now: clock(14)})
		switch {
		case err != nil:
			t.Fatalf("--from %q: %v", text, err)
		case ok && (from.FromTurn < 0 || from.FromTurn > from.ToTurn || from.ToTurn != 2):
			t.Fatalf("--from %q is %s", text, from)
		case !ok && why == "":
			t.Fatalf("--from %q is empty and does not say why", text)
		}
		to, ok, why, err := p.Resolve(tenfold.Bounds{To: &b, Now: clock(14)})
		switch {
		case err != nil && text == "last":
		case err != nil && ok:
			t.Fatalf("--to %q: %v, and yet %s", text, err, to)
		case ok && (to.FromTurn != 0 || to.ToTurn < 0 || to.ToTurn > 2):
			t.Fatalf("--to %q is %s", text, to)
		case err == nil && !ok && why == "":
			t.Fatalf("--to %q is empty and does not say why", text)
		}
	})
}

// What ParseSize takes is written so that it reads back the same.
func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"0", "800", "2KB", "1.5 MB", "1gb", " 7b ", "1e3", "-1", "1TB", "9007199254740992", "8388608GB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := tenfold.ParseSize(text)
		if err != nil {
			return
		}
		if size < 0 || size > 1<<53 {
			t.Fatalf("%q is %d bytes", text, int64(size))
		}
		again, err := tenfold.ParseSize(size.String())
		if err != nil || again != size {
			t.Fatalf("%q is %s, which is %d, %v", text, size, int64(again), err)
		}
	})
}

// Arguments whose bodies are cut are JSON as they were, and what is not a body is
// as it was.
func FuzzTrimArguments(f *testing.F) {
	f.Add(edit, 2, 6, 3)
	f.Add(`["1\n2\n3\n4",{"a":"\ud800\n\n\n\n\\"}]`, 1, 0, 2)
	f.Add(`{"cut":"o`, 1, 1, 1)
	f.Fuzz(func(t *testing.T, arguments string, line, to, last int) {
		kept := []tenfold.LineRange{{First: line, Last: line, To: to}, {First: last, Last: last}}
		p := project(t, user("go"), call("c", "t", arguments), tools(shortly(map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim, Body: kept}})))
		got := argumentsShown(t, p)
		valid := jsontext.Value(arguments).IsValid(loose)
		if valid != jsontext.Value(got).IsValid(loose) || (!valid && got != arguments) || len(got) > 3*len(arguments) {
			t.Fatalf("%q became %q", arguments, got)
		}
		isBody := func(text tenfold.ArgumentText) bool { return text.Body }
		if !slices.ContainsFunc(tenfold.ArgumentTexts(arguments), isBody) && got != arguments {
			t.Fatalf("%q has no bodies and became %q", arguments, got)
		}
	})
}

var loose = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// argumentsShown gives the arguments of the only call a projection shows.
func argumentsShown(t *testing.T, p *tenfold.Projection) string {
	t.Helper()
	for it := range p.Items() {
		if c, ok := it.Payload.(tenfold.ToolCall); ok {
			return c.Arguments
		}
	}
	t.Fatal("the call is gone")
	return ""
}
