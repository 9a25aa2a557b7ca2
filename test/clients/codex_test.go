package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold/internal/corpustest"
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
		same(t, append(History(p.last(), true), Line{Role: "assistant", Kind: "text", Text: "The module demo has one function, Greet."},
			Line{Role: "user", Kind: "text", Text: prompt}), History(q.last(), true))
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

// said is the history without the instructions of directories, which Codex
// looks up where it is resumed, and as it sends it: images that it cannot read
// become a text, and items of the provider's lose their metadata.
func said(r modelserver.Request) []Line {
	var lines []Line
	for _, l := range History(r, false) {
		var item map[string]any
		switch {
		case strings.HasPrefix(l.Text, "# AGENTS.md instructions"):
			continue
		case l.Kind == "input_image" || l.Text == "image content omitted because it could not be processed":
			l.Kind, l.Text = "image", ""
		case l.Kind == "web_search_call" && json.Unmarshal([]byte(l.Text), &item) == nil:
			delete(item, "metadata")
			data, err := json.Marshal(item, json.Deterministic(true))
			if err != nil {
				panic(err) // it was read as JSON
			}
			l.Text = string(data)
		}
		lines = append(lines, l)
	}
	return lines
}

// Sessions of Codex's users go on from our exports: the whole one as the file
// itself does, the compacted one with our view. TENFOLD_CLIENTS_ALL=1 tries all.
func TestCodexCorpus(t *testing.T) {
	files := corpustest.Files(t, "codex")
	slices.SortFunc(files, func(a, b corpustest.File) int { return int(a.Bytes - b.Bytes) })
	if os.Getenv("TENFOLD_CLIENTS_ALL") == "" {
		files = files[:min(1, len(files))]
	}
	for _, file := range files {
		t.Run(file.Name, func(t *testing.T) {
			c := Codex()
			p := At(t, c, modelserver.New(modelserver.Sequence(modelserver.Text("Nobody does.")), modelserver.WithForeignThinking()))
			id := p.stored(Session{Path: file.Path})
			q := p.again(t, c)
			q.Resume(p.exported(q, id), prompt)
			p.Resume(p.Take(file.Path), prompt)
			same(t, said(p.last()), said(q.last()))

			p.tenfold("conversation", "compact", id)
			body, _ := p.tenfold("conversation", "export", id, "--to", string(c.Wire), "--compacted")
			r, problem := modelserver.Read(c.Wire, []byte(body))
			if problem != nil {
				t.Fatalf("the body would be refused: %v", problem)
			}
			q = p.again(t, c)
			q.Resume(p.exported(q, id, "--compacted"), prompt)
			same(t, append(said(r), Line{Role: "user", Kind: "text", Text: prompt}), said(q.last()))
		})
	}
}
