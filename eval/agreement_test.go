package eval_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/eval"
	"tenfold/internal/corpustest"
)

// referenceFormats are the formats that the reference scripts read.
var referenceFormats = map[string]string{"claude-code": "claude", "codex": "codex", "opencode": "opencode", "jp": "jp", "pi": "pi"}

// The reference scripts in one process: for each view the figures of the cut
// that it was made at.
const referenceScript = `
import json,sys
sys.dont_write_bytecode=True; sys.path.insert(0,sys.argv[1])
import cur,edits
ev=cur.load(sys.argv[2],sys.argv[3]); last=max(e['req'] for e in ev); out=[]
for v in json.load(sys.stdin):
    k=int(last*v['cut']/100); pre,PA,w=cur.truth(ev,k,30); T=edits.truth(ev,k,30); text,_=cur.unpack(v['messages'])
    out.append(dict(requests=last+1,events=len(pre),carried=len(w),edits=len(T),hit=edits.hits(T,v['messages']),**cur.score(pre,PA,w,text)))
print(json.dumps(out))
`

type referenceFigures struct {
	Requests, Events, Carried, Edits, Hit int
	Presence, CUR                         float64
	Strict                                float64  `json:"cur_strict"`
	ResultOnly                            *float64 `json:"cur_tool"`
}

// agreementFiles are a few sessions of each format that the scripts read, all
// of them where all is tried.
func agreementFiles(t *testing.T) []corpustest.File {
	var files []corpustest.File
	of := map[string]int{}
	for _, f := range corpustest.Files(t) {
		if referenceFormats[f.Format] == "" || f.Calls < 20 || f.Conversations > 1 {
			continue
		}
		if of[f.Format]++; corpustest.All() || of[f.Format] > 1 && of[f.Format] < 4 {
			files = append(files, f)
		}
	}
	return files
}

// The measures agree with the reference scripts within a hundredth (fit.md, "Two
// measures"), and EDR exactly. The scripts have parsers of their own, which read
// less: where a prefix or what follows differs, by a message queued while the
// agent worked or a tool that they do not know, CUR may.
func TestAgreesWithReferenceScripts(t *testing.T) {
	corpustest.Unraced(t)
	files := agreementFiles(t)
	scripts := filepath.Join(filepath.Dir(corpustest.Dir()), "measures")
	if _, err := os.Stat(filepath.Join(scripts, "edits.py")); err != nil {
		t.Skip("no shared/measures above this directory")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	compared, far := 0, 0
	for _, f := range files {
		s := eval.Open(replayFile(t, f)[0])
		var asked []map[string]any
		var got []referenceFigures
		for _, percent := range []int{25, 50, 75} {
			c, err := s.Cut(percent)
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			events := 0
			for it := range view(t, c, "none").Projection.Items() {
				if it.Seq > 0 {
					events++
				}
			}
			for _, policy := range []string{"fit:target=10%", "keep-newest-10"} {
				v := view(t, c, policy)
				asked = append(asked, map[string]any{"cut": percent, "messages": messages(t, v)})
				r := c.Score(v, 30).Recalls[0]
				g := referenceFigures{Requests: s.Requests(), Events: events, Carried: r.Carried, Edits: int(r.EDR.Whole), Hit: int(r.EDR.Part)}
				g.Presence, _ = r.Presence.Value()
				g.CUR, _ = r.CUR.Value()
				g.Strict, _ = r.Strict.Value()
				if only, ok := r.ResultOnly.Value(); ok {
					g.ResultOnly = &only
				}
				got = append(got, g)
			}
		}
		for i, want := range reference(t, python, scripts, f, asked) {
			g := got[i]
			compared++
			if g.Edits != want.Edits || g.Hit != want.Hit {
				t.Errorf("%s at %v %%: of %d edits %d are ready, the scripts say of %d %d", f.Name, asked[i]["cut"], g.Edits, g.Hit, want.Edits, want.Hit)
			}
			only, wantOnly := g.ResultOnly, want.ResultOnly
			g.ResultOnly, want.ResultOnly = nil, nil
			const tolerance = .01
			same := g.Requests == want.Requests && g.Events == want.Events && g.Carried == want.Carried
			near := math.Abs(g.Presence-want.Presence) <= tolerance && math.Abs(g.CUR-want.CUR) <= tolerance && math.Abs(g.Strict-want.Strict) <= tolerance &&
				(only == nil) == (wantOnly == nil) && (only == nil || math.Abs(*only-*wantOnly) <= tolerance)
			switch {
			case !near && same:
				t.Errorf("%s at %v %%: %+v, the scripts say %+v", f.Name, asked[i]["cut"], g, want)
			case !near:
				far++
			}
		}
	}
	if t.Logf("%d of %d views differ by more than a hundredth", far, compared); far*8 > compared {
		t.Errorf("%d of %d views differ by more than a hundredth", far, compared)
	}
}

// reference asks the scripts.
func reference(t *testing.T, python, scripts string, f corpustest.File, views []map[string]any) []referenceFigures {
	t.Helper()
	in, err := json.Marshal(views)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", referenceScript, scripts, f.Path, referenceFormats[f.Format])
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	var want []referenceFigures
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// messages are those of a view as OpenAI's chat API takes them, the system
// prompt aside.
func messages(t testing.TB, v *eval.View) []map[string]any {
	t.Helper()
	data, err := body.OpenAIChat().Write(v.Projection)
	if err != nil {
		t.Fatal(err)
	}
	var b struct{ Messages []map[string]any }
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for _, m := range b.Messages {
		if m["role"] == "system" {
			continue
		}
		calls, _ := m["tool_calls"].([]any)
		for _, call := range calls {
			// The scripts read the arguments of functions alone.
			if call, _ := call.(map[string]any); call["custom"] != nil {
				custom, _ := call["custom"].(map[string]any)
				call["function"] = map[string]any{"arguments": custom["input"]}
			}
		}
		out = append(out, m)
	}
	// They read reasoning too, which this API does not take.
	for it := range v.Projection.Items() {
		if r, ok := it.Payload.(tenfold.Reasoning); ok {
			out = append(out, map[string]any{"role": "assistant", "reasoning": r.Text})
		}
	}
	return out
}
