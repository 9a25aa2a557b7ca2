package clients

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/test/modelserver"
)

// piWindow is the context of the model that pi works with here.
const piWindow = 40_000

// piParts are the large files of a place, and piAdapter is where the adapter
// stands below the home.
const (
	piParts   = 8
	piAdapter = ".pi/agent/extensions/tenfold.ts"
)

// olderPi gives older versions of pi, which npm installs in the directory older.
func olderPi() map[string]Client {
	list := map[string]Client{}
	for version, file := range map[string]string{"0.87.1": "pi-0-87/dist/bundle/cli.js", "0.84.4": "pi-0-84/dist/bundle/cli.js", "0.74.2": "pi-0-74/dist/cli.js"} {
		c := Pi()
		c.bin = filepath.Join("..", "..", "older", "node_modules", filepath.FromSlash(file))
		list[version] = c
	}
	return list
}

// withPlugin is a pi with Tenfold's adapter, a small context and settings that
// have it keep little.
func withPlugin(c Client) Client {
	prepare, env := c.prepare, c.env
	c.prepare = func(p *Place) error {
		if err := prepare(p); err != nil {
			return err
		}
		agent := filepath.Join(p.Home, ".pi", "agent")
		p.Write(filepath.Join(agent, "models.json"), fmt.Sprintf(`{"providers":{"anthropic":{"baseUrl":%q,
			"modelOverrides":{"claude-sonnet-4-5":{"contextWindow":%d}}}}}`, p.URL, piWindow))
		p.Write(filepath.Join(agent, "settings.json"), `{"compaction":{"reserveTokens":10000,"keepRecentTokens":2000}}`)
		p.tenfold("install", "pi")
		p.patient(filepath.Join(p.Home, filepath.FromSlash(piAdapter)))
		for i := range piParts {
			p.Write(p.part(i), largeText(i))
		}
		return nil
	}
	c.env = func(p *Place) []string {
		data := filepath.Join(filepath.Dir(p.Home), "tenfold") // as Tenfold is told
		return append(env(p), "XDG_DATA_HOME="+data, "XDG_CONFIG_HOME="+data)
	}
	return c
}

func (p *Place) part(i int) string { return filepath.Join(p.Dir, fmt.Sprintf("part%d.txt", i)) }

// largeText is a text of some 3,600 tokens, of which each line says something
// else.
func largeText(n int) string {
	var b strings.Builder
	for i := range 120 {
		fmt.Fprintf(&b, "Room %d of part %d has %d windows towards the garden and a door of oak, which somebody painted in %d.\n", i, n, i*7%13, 1700+i*n)
	}
	return b.String()
}

// readsParts has the model read some of the large files, a call at a time, and
// then answer.
func (p *Place) readsParts(parts ...int) []modelserver.Reply {
	var replies []modelserver.Reply
	for _, i := range parts {
		replies = append(replies, modelserver.Thinking("On to the next.", modelserver.Calls(p.Client.Reads(p.part(i)))))
	}
	return append(replies, modelserver.Thinking("Enough.", modelserver.Text("The house has many rooms.")))
}

// house lets a pi with the adapter read five files in a new place.
func house(t *testing.T, c Client, change ...func([]modelserver.Reply) []modelserver.Reply) (*Place, Session, *scripted) {
	t.Helper()
	model := &scripted{}
	p := At(t, withPlugin(c), modelserver.New(model.reply))
	replies := p.readsParts(0, 1, 2, 3, 4)
	for _, f := range change {
		replies = f(replies)
	}
	model.answers(modelserver.Sequence(replies...))
	session, _ := p.Begin("Which rooms are there?")
	return p, session, model
}

// thoughtless takes the thinking from replies: what pi's own compaction keeps of it
// is refused, or dropped, by its provider.
func thoughtless(replies []modelserver.Reply) []modelserver.Reply {
	for i := range replies {
		replies[i].Blocks = slices.DeleteFunc(replies[i].Blocks, func(b modelserver.Block) bool { return b.Kind == modelserver.KindThinking })
	}
	return replies
}

// A piCompaction is a compaction in pi's file.
type piCompaction struct {
	Type      string `json:"type"`
	Summary   string `json:"summary"`
	FirstKept string `json:"firstKeptEntryId"`
	Details   struct {
		Tenfold *struct {
			Line string           `json:"line"`
			View []jsontext.Value `json:"view"`
		} `json:"tenfold"`
	} `json:"details"`
}

// piCompactions gives the compactions in pi's file.
func (p *Place) piCompactions(s Session) (list []piCompaction) {
	p.tb.Helper()
	for raw := range strings.Lines(p.read(s.Path)) {
		var c piCompaction
		if err := json.Unmarshal([]byte(raw), &c); err != nil {
			p.tb.Fatal(err)
		}
		if c.Type == "compaction" {
			list = append(list, c)
		}
	}
	return list
}

// compactedByUs holds that pi's file has so many compactions, all of ours, and
// that the last request is our view, valid as it is (V1, B1): nothing in it was
// dropped, and it says what the store says.
func (p *Place) compactedByUs(t *testing.T, s Session, n int, answer string) {
	t.Helper()
	found := p.piCompactions(s)
	if len(found) != n {
		t.Fatalf("%d compactions, not %d", len(found), n)
	}
	for _, c := range found {
		if c.Details.Tenfold == nil {
			t.Fatalf("a compaction of pi's own: %.200s", c.Summary)
		}
	}
	last := p.last()
	if len(last.Dropped) > 0 {
		t.Errorf("dropped: %v", last.Dropped)
	}
	body, _ := p.tenfold("conversation", "export", p.stored(s), "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(p.Client.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	want := History(r, false)
	if !strings.Contains(shown(want)[0], "Earlier parts are shortened") {
		t.Errorf("nothing is shortened: %s", want[0])
	}
	same(t, want, append(History(last, false), Line{Role: "assistant", Kind: "text", Text: answer}))
}

// grows holds that each of the last n requests begins with the one before (V1).
func (p *Place) grows(t *testing.T, n int) {
	t.Helper()
	main := p.Server.Main()
	for i := len(main) - n + 1; i < len(main); i++ {
		before, after := shown(History(main[i-1], true)), shown(History(main[i], true))
		if len(after) < len(before) || !slices.Equal(before, after[:len(before)]) {
			t.Errorf("request %d does not begin with the one before", i)
		}
		// What was written to the cache, or read from it, is read again.
		if had := main[i-1].Usage; main[i].Usage.CacheRead < had.CacheRead+had.CacheWrite {
			t.Errorf("request %d reads %d tokens from the cache, not %d", i, main[i].Usage.CacheRead, had.CacheRead+had.CacheWrite)
		}
	}
}

const compactCommand = `{"type":"compact","customInstructions":"Keep the painters."}`

func promptCommand(text string) string { return fmt.Sprintf(`{"type":"prompt","message":%q}`, text) }

// TestPluginPi lets pi compact by hand, resume, compact again, fork, and go on
// without the adapter.
func TestPluginPi(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi())
	before := p.read(session.Path)
	model.answers(modelserver.Sequence(append(p.readsParts(5), p.readsParts(5, 6, 7)...)...))
	said := p.commands(session, compactCommand, promptCommand("And the sixth part?"))
	p.compactedByUs(t, session, 1, "The house has many rooms.")
	p.grows(t, 2)
	told := strings.Join(said, "\n")
	if !strings.Contains(told, `"method":"notify"`) || !strings.Contains(told, p.piCompactions(session)[0].Details.Tenfold.Line) {
		t.Error("the person was not told")
	}

	t.Run("recall", func(t *testing.T) {
		last := p.last()
		if !strings.Contains(string(last.Body), "tenfold-recall") {
			t.Error("the model is not told of recall")
		}
		ref := regexp.MustCompile(`\(recall ([0-9a-z]+:[0-9]+)\)`).FindSubmatch(last.Body)
		if ref == nil {
			t.Fatalf("no reference in the view:\n%s", strings.Join(shown(History(last, true)), "\n"))
		}
		if whole, _ := p.tenfold("recall", string(ref[1])); !strings.Contains(whole, "windows towards the garden") {
			t.Errorf("recalled: %s", whole)
		}
	})

	t.Run("resumed", func(t *testing.T) {
		p.Resume(session, "And the others?")
		p.compactedByUs(t, session, 1, "The house has many rooms.")
		p.grows(t, 6)
	})
	t.Run("compacted again", func(t *testing.T) {
		model.answers(modelserver.Sequence(modelserver.Text("Many.")))
		p.commands(session, compactCommand, promptCommand("How many?"))
		p.compactedByUs(t, session, 2, "Many.")
	})
	t.Run("forked", func(t *testing.T) {
		list := p.Sessions()
		model.says("Nobody.")
		p.Run("-p", "Who lives there?", "--fork", session.Path, "--provider", "anthropic", "--model", "claude-sonnet-4-5")
		now := p.Sessions()
		if len(now) != len(list)+1 {
			t.Fatalf("%d sessions", len(now))
		}
		// The view of the session that it came from, word for word.
		main := p.Server.Main()
		had, has := shown(History(main[len(main)-2], true)), shown(History(main[len(main)-1], true))
		if !slices.Equal(had, has[:min(len(had), len(has))]) {
			t.Errorf("another view:\n%s\n\n%s", strings.Join(had, "\n"), strings.Join(has, "\n"))
		}
	})
	t.Run("undone", func(t *testing.T) {
		id := p.stored(session)
		p.tenfold("conversation", "undo", id, "--all")
		defer p.tenfold("conversation", "redo", id)
		whole, _ := p.tenfold("conversation", "export", id, "--to", "openai-chat") // which takes no thinking
		left, _ := p.tenfold("conversation", "export", id, "--to", "openai-chat", "--compacted")
		if whole != left {
			t.Error("something is left of the compactions")
		}
	})
	if after := p.read(session.Path); !strings.HasPrefix(after, before) {
		t.Error("pi's file does not begin with what it was")
	}
}

// TestPluginPiWithoutTenfold takes the adapter and then the store away from a
// session that was compacted: pi goes on with the summary, and an import gives
// all that was said.
func TestPluginPiWithoutTenfold(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi(), thoughtless)
	want := append(History(p.last(), true), Line{Role: "assistant", Kind: "text", Text: "The house has many rooms."})
	p.commands(session, compactCommand)
	if c := p.piCompactions(session); len(c) != 1 || c[0].Details.Tenfold == nil {
		t.Fatalf("%d compactions", len(c))
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(p.Home), "tenfold")); err != nil {
		t.Fatal(err)
	}
	body, _ := p.tenfold("conversation", "export", p.stored(session), "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(p.Client.Wire, []byte(body))
	if problem != nil {
		t.Fatal(problem)
	}
	same(t, want, History(r, true))

	if err := os.Remove(filepath.Join(p.Home, filepath.FromSlash(piAdapter))); err != nil {
		t.Fatal(err)
	}
	model.says("Still nobody.")
	p.Resume(session, "Are you sure?")
	first := p.last().Messages[0].Blocks[0].Text
	if !strings.Contains(first, "compacted into the following summary") || !strings.Contains(first, "Which rooms are there?") {
		t.Errorf("not the summary: %s", first)
	}
}

// TestPluginPiAutomatic has the reported usage pass pi's threshold between two
// calls of a turn, and the provider refuse a request for its length.
func TestPluginPiAutomatic(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]modelserver.Reply{
		"mid-turn": {Usage: &modelserver.Usage{Input: piWindow - 9000, Output: 20}},
		"overflow": {Error: &modelserver.Error{Status: 400, Type: "invalid_request_error", Message: "prompt is too long: 41000 tokens > 40000 maximum"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, session, model := house(t, Pi())
			replies := p.readsParts(5, 6)
			if fail.Error != nil {
				replies = slices.Insert(replies, 1, fail)
			} else {
				replies[1].Usage = fail.Usage
			}
			model.answers(modelserver.Sequence(replies...))
			p.Resume(session, "And the others?")
			p.compactedByUs(t, session, 1, "The house has many rooms.")
		})
	}
}

// TestPluginPiColdStart goes on with a session whose cache is long gone: it is
// compacted before the first request (V2).
func TestPluginPiColdStart(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi())
	model.says("Nobody.")
	p.Resume(session, "Who lives there?")
	if n := len(p.piCompactions(session)); n != 0 {
		t.Fatalf("%d compactions while the cache is warm", n)
	}
	p.Write(filepath.Join(filepath.Dir(p.Home), "tenfold", "tenfold", "config.toml"), "[conversation.compaction.micro]\ncold_after = \"1ms\"\nclear_at_least = \"2k\"\n")
	p.Resume(session, "Are you sure?")
	p.compactedByUs(t, session, 1, "Done.")
}

// TestV7PluginPi has everything go wrong that can: pi compacts by itself, as
// without Tenfold.
func TestV7PluginPi(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi(), thoughtless)
	adapter := filepath.Join(p.Home, filepath.FromSlash(piAdapter))
	text := p.read(adapter)
	exe, err := program()
	if err != nil {
		t.Fatal(err)
	}
	slow := filepath.Join(filepath.Dir(p.Home), "slow")
	p.Write(slow, "#!/bin/sh\nexec sleep 600\n")
	wrong := filepath.Join(filepath.Dir(p.Home), "wrong")
	p.Write(wrong, "#!/bin/sh\necho '{\"compaction\":'\n")
	for _, file := range []string{slow, wrong} {
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, binary, config string }{
		{"binary missing", "/nowhere/tenfold", ""},
		{"too slow", slow, ""},
		{"no JSON", wrong, ""},
		{"our error", exe, "nonsense = ["},
	} {
		p.Write(adapter, strings.NewReplacer(exe, c.binary, fmt.Sprintf("SLOW = %d", wait.Milliseconds()), "SLOW = 300").Replace(text))
		p.Write(filepath.Join(filepath.Dir(p.Home), "tenfold", "tenfold", "config.toml"), c.config)
		model.answers(modelserver.Sequence(thoughtless(p.readsParts(5))...))
		n := len(p.piCompactions(session))
		p.commands(session, promptCommand("Read on."), compactCommand)
		found := p.piCompactions(session)
		if len(found) != n+1 || found[n].Details.Tenfold != nil || found[n].Summary == "" {
			t.Errorf("%s: %d compactions after %d", c.name, len(found), n)
		}
	}
}

// TestPluginPiOlderVersions compacts in older versions of pi.
func TestPluginPiOlderVersions(t *testing.T) {
	t.Parallel()
	for version, c := range olderPi() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			p, session, model := house(t, c)
			model.answers(modelserver.Sequence(p.readsParts(5)...))
			p.commands(session, compactCommand, promptCommand("And the sixth part?"))
			p.compactedByUs(t, session, 1, "The house has many rooms.")
			p.grows(t, 2)
		})
	}
}

// TestPluginPiLargeSession compacts a session of 20 MB.
func TestPluginPiLargeSession(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi(), thoughtless)
	var b strings.Builder
	b.WriteString(p.read(session.Path))
	n, text, last := 0, largeText(7), ""
	now := time.Now().Add(-time.Minute).UTC() // while the cache is warm
	add := func(format string, values ...any) {
		n++
		id := fmt.Sprintf("%08x", n)
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{%s,"timestamp":%d}}`+"\n",
			id, cmp.Or(last, "null"), now.Format(time.RFC3339), fmt.Sprintf(format, values...), now.UnixMilli()+int64(n))
		last = strconv.Quote(id)
	}
	const response = `"role":"assistant","api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","stopReason":%q,"content":[%s]`
	for i := 0; b.Len() < 20_000_000; i++ {
		add(`"role":"user","content":"Read part 7 for the %dth time."`, i)
		add(response, "toolUse", fmt.Sprintf(`{"type":"toolCall","id":"call%d","name":"read","arguments":{"path":"part7.txt"}}`, i))
		add(`"role":"toolResult","toolCallId":"call%d","toolName":"read","content":[{"type":"text","text":%q}],"isError":false`, i, fmt.Sprint(i, "\n", text))
		add(response, "stop", fmt.Sprintf(`{"type":"text","text":"As before, %d."}`, i))
	}
	p.Write(session.Path, b.String())
	model.says("Many.")
	begun := time.Now()
	p.commands(session, compactCommand, promptCommand("How many rooms?"))
	t.Logf("compacted %d bytes and sent a request in %v", b.Len(), time.Since(begun))
	p.compactedByUs(t, session, 1, "Many.")
}

// TestPluginPiTree compacts after the person went back in the tree: what was left
// behind is not part of the view.
func TestPluginPiTree(t *testing.T) {
	t.Parallel()
	p, session, model := house(t, Pi())
	p.Write(filepath.Join(p.Home, ".pi", "agent", "extensions", "back.ts"), `export default function (pi: any) {
		pi.registerCommand("back", { description: "Go back", handler: async (id: string, ctx: any) => { await ctx.navigateTree(id, { summarize: false }); } });
	}`)
	var last struct{ ID string }
	lines := slices.Collect(strings.Lines(p.read(session.Path)))
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	model.answers(modelserver.Sequence(append(p.readsParts(5, 6), modelserver.Text("Nobody."))...))
	p.commands(session, promptCommand("And the others?"), promptCommand("/back "+last.ID), compactCommand, promptCommand("Who lives there?"))
	p.compactedByUs(t, session, 1, "Nobody.")
	if text := strings.Join(shown(History(p.last(), true)), "\n"); strings.Contains(text, "And the others?") || strings.Contains(text, "part6") {
		t.Errorf("the branch that was left is sent:\n%s", text)
	}
}

// TestV3PluginPi has a large result shortened before the model sees it, with the
// whole of it in the store.
func TestV3PluginPi(t *testing.T) {
	t.Parallel()
	model := &scripted{}
	p := At(t, withPlugin(Pi()), modelserver.New(model.reply))
	p.Write(filepath.Join(filepath.Dir(p.Home), "tenfold", "tenfold", "config.toml"), "[conversation.compaction.hook]\ntrim_over = \"2k\"\n")
	model.answers(modelserver.Sequence(
		modelserver.Calls(p.Client.Runs("cat part0.txt part1.txt part2.txt")), modelserver.Calls(p.Client.Reads(p.part(3))), modelserver.Text("Many."),
	))
	p.Begin("Which rooms are there?")
	p.grows(t, 3)
	for _, line := range History(p.last(), true) {
		if line.Kind == "result" && strings.Contains(line.Text, "Room 5 of part 0") && len(line.Text) > 9000 {
			t.Errorf("the result has %d bytes", len(line.Text))
		}
	}
	found, _ := p.tenfold("conversation", "search", "--all", `"Room 60 of part 1"`)
	if !strings.Contains(found, "Room 60 of part 1") {
		t.Errorf("the original is not in the store: %s", found)
	}
}
