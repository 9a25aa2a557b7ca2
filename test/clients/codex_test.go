package clients

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// local has Codex run its models by a provider of the user's own, which
// compacts by itself once a session is long.
func local(p *Place) {
	p.Write(filepath.Join(p.Home, ".codex", "config.toml"), `model_provider = "local"
sandbox_mode = "danger-full-access"
model_auto_compact_token_limit = 50000

[model_providers.local]
name = "local"
base_url = "`+p.URL+`/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`)
}

// A session of another provider is resumed with the same, from each of our
// exports: Codex would not change it.
func TestCodexOfAnotherProvider(t *testing.T) {
	t.Parallel()
	c := Codex()
	p := placed(t, c, func(p *Place) modelserver.Script { return work(c, p.Dir) })
	local(p)
	session, _ := p.Begin("What does this module do?")
	id := p.stored(session)
	for _, flags := range [][]string{nil, {"--compacted"}} {
		q := p.again(t, c)
		local(q)
		s := p.exported(q, id, flags...)
		if text := p.read(s.Path); !strings.Contains(text, `"model_provider":"local"`) {
			t.Errorf("%q: the provider is lost", flags)
		}
		q.Resume(s, prompt)
		thinking := flags == nil // a view leaves Codex's own context out, and goes without (B1)
		same(t, append(History(p.last(), thinking), Line{Role: "assistant", Kind: "text", Text: "The module demo has one function, Greet."},
			Line{Role: "user", Kind: "text", Text: prompt}), History(q.last(), thinking))
	}
}

// A session that was taken over and gone on with goes back to Codex beside the original.
func TestCodexTakesACopyBack(t *testing.T) {
	t.Parallel()
	p, session := made(t, Codex())
	q := p.again(t, Codex())
	p.tenfold("query", "--resume", session.Path, "-p", "Who wrote it?", "--model", "local/gpt-5.5", "--cfg", "providers.local.base_url="+q.URL+"/v1")
	file := filepath.Join(filepath.Dir(q.Home), "export", "session.jsonl")
	q.Write(file, "")
	p.tenfold("conversation", "export", "--to", "codex", "--out", file)
	s := q.Take(file)
	if s.ID == session.ID {
		t.Error("the copy has the id of the original")
	}
	q.Resume(s, prompt)
	var said []string
	for _, l := range History(q.last(), false) {
		said = append(said, l.Text)
	}
	for _, want := range []string{"What does this module do?", "Who wrote it?", "Nobody does.", prompt} {
		if !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}

// A session of another tool's names no provider, and any goes on with it.
func TestCodexGoesOnWithAnyProvider(t *testing.T) {
	t.Parallel()
	p, session := made(t, Pi())
	id := p.stored(session)
	q := p.again(t, Codex())
	local(q)
	q.Resume(p.exported(q, id), prompt)
	if got := History(q.last(), false); len(got) < 8 {
		t.Errorf("it sends %q", shown(got))
	}
}

// What Codex compacted by itself is a compaction of ours, and comes back.
func TestCodexCompactsByItself(t *testing.T) {
	t.Parallel()
	c := Codex()
	full := modelserver.Calls(c.Runs("true"))
	full.Usage = &modelserver.Usage{Input: 60000, Output: 10}
	p := At(t, c, modelserver.New(modelserver.Sequence(
		full, modelserver.Text("They asked, and true is true."), modelserver.Text("Done."), modelserver.Text("Nobody does."),
	)))
	local(p)
	session, _ := p.Begin("Run true.")
	if !strings.Contains(p.read(session.Path), `"type":"compacted"`) {
		t.Fatal("Codex compacted nothing")
	}
	id := p.stored(session)
	q := p.again(t, c)
	local(q)
	q.Resume(p.exported(q, id), prompt)
	p.Resume(session, prompt)
	same(t, History(p.last(), true), History(q.last(), true))
	if !slices.ContainsFunc(History(q.last(), false), func(l Line) bool { return strings.Contains(l.Text, "true is true") }) {
		t.Errorf("the summary is not in %q", shown(History(q.last(), false)))
	}
}
