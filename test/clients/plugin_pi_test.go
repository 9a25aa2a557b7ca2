package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/hook"
	"tenfold/internal/hook/pi"
	"tenfold/test/modelserver"
)

// plugged is pi with Tenfold's adapter, a window of 40,000 tokens and settings
// that compact what little a test says.
func plugged(c Client) Client {
	prepare, env := c.prepare, c.env
	c.prepare = func(p *Place) error {
		if err := prepare(p); err != nil {
			return err
		}
		agent := filepath.Join(p.Home, ".pi", "agent")
		p.Write(filepath.Join(agent, "models.json"), `{"providers":{"anthropic":{"baseUrl":"`+p.URL+`",
			"modelOverrides":{"claude-sonnet-4-5":{"contextWindow":40000}}}}}`)
		p.Write(filepath.Join(agent, "settings.json"), `{"compaction":{"reserveTokens":10000,"keepRecentTokens":2000}}`)
		exe, err := program()
		if err != nil {
			return err
		}
		files, err := pi.Client{}.Files(hook.Place{Scope: hook.User, Home: p.Home, Dir: p.Dir, Getenv: func(string) string { return "" }, Binary: exe})
		if err != nil {
			return err
		}
		for _, f := range files {
			p.Write(f.Path, string(f.Content))
		}
		for i := range 6 {
			p.Write(filepath.Join(p.Dir, fmt.Sprintf("part%d.txt", i)), largeText(i))
		}
		return nil
	}
	c.env = func(p *Place) []string {
		data := filepath.Join(filepath.Dir(p.Home), "tenfold") // as Tenfold is told
		return append(env(p), "XDG_DATA_HOME="+data, "XDG_CONFIG_HOME="+data)
	}
	return c
}

// largeText is a file of some three thousand tokens, of which each line says
// something else.
func largeText(n int) string {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "Room %d of part %d has %d windows towards the garden and a door of oak, which somebody painted in %d.\n", i, n, i*7%13, 1700+i*n)
	}
	return b.String()
}

// TestPluginPiManual
func TestPluginPiManual(t *testing.T) {
	t.Parallel()
	c := plugged(Pi())
	p := placed(t, c, func(p *Place) modelserver.Script {
		var replies []modelserver.Reply
		for i := range 5 {
			replies = append(replies, modelserver.Thinking("On to the next.", modelserver.Calls(c.Reads(filepath.Join(p.Dir, fmt.Sprintf("part%d.txt", i))))))
		}
		return modelserver.Sequence(append(replies, modelserver.Text("The house has many rooms."))...)
	})
	session, out := p.Begin("What does this module do?")
	t.Log(out)
	p.commands(session, `{"type":"compact"}`, `{"type":"prompt","message":"And who calls it?"}`)
	data, _ := os.ReadFile(session.Path)
	t.Log(string(data))
	for _, r := range p.Server.Main() {
		t.Log(len(r.Body), r.Usage, r.Problem)
	}
	t.Log(strings.Join(shown(History(p.last(), true)), "\n"))
	id := p.stored(session)
	body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(c.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	same(t, History(r, true), append(History(p.last(), true), Line{Role: "assistant", Kind: "text", Text: "Done."}))
}
