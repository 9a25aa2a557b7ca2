package clients

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tenfold/internal/hook"
	"tenfold/internal/hook/opencode"
	"tenfold/test/modelserver"
)

// openCodeWindow is the context of the model that opencode works with here, and
// openCodeFiles how many files of some 2,900 tokens there are for it to read.
const (
	openCodeWindow = 24_000
	openCodeFiles  = 8
	openCodeLimit  = "12_000" // milliseconds that the plug-in waits
)

// pluggedOpenCode is opencode, of the version of a program or of the pinned one,
// with our plug-in, which runs the given commands. Edits are made to the plug-in.
func pluggedOpenCode(version string, edits ...string) Client {
	c := OpenCode()
	c.program = version
	env, prepare := c.env, c.prepare
	c.env = func(p *Place) []string {
		list := slices.DeleteFunc(env(p), func(v string) bool { return strings.HasPrefix(v, "OPENCODE_PURE=") })
		if p.pure {
			list = append(list, "OPENCODE_PURE=1")
		}
		return list
	}
	c.prepare = func(p *Place) error {
		if err := prepare(p); err != nil {
			return err
		}
		base := filepath.Join(p.Home, ".config", "opencode")
		p.Write(filepath.Join(base, "opencode.json"), fmt.Sprintf(`{"autoupdate":false,"share":"disabled","provider":{"anthropic":{`+
			`"options":{"baseURL":"%s/v1","apiKey":"test"},"models":{"claude-sonnet-4-5":{"limit":{"context":%d,"output":2000}}}}}}`, p.URL, openCodeWindow))
		// What opencode would install from npm for any plug-in.
		p.Write(filepath.Join(base, "node_modules", "@opencode-ai", "plugin", "package.json"), `{"name":"@opencode-ai/plugin"}`)
		p.Write(filepath.Join(base, "package-lock.json"), `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1"}}}}`)
		exe, err := program()
		if err != nil {
			return err
		}
		place := hook.Place{Scope: hook.User, Home: p.Home, Dir: p.Dir, Getenv: func(string) string { return "" }, Binary: exe}
		files, err := opencode.Client{}.Files(place)
		if err != nil {
			return err
		}
		for _, f := range files {
			p.Write(f.Path, strings.NewReplacer(edits...).Replace(string(f.Content)))
			if !slices.Contains(edits, openCodeLimit) {
				p.patient(f.Path)
			}
		}
		for i := range openCodeFiles {
			p.Write(p.file(i), strings.Repeat(fmt.Sprintf("The house greets whoever comes in by the front door, number %d.\n", i), 150))
		}
		return nil
	}
	return c
}

func (p *Place) file(i int) string { return filepath.Join(p.Dir, fmt.Sprintf("file%d.txt", i)) }

// reading is a model that reads files, one a step, thinks about each, and says
// something when it is done.
func (p *Place) reading(files []int, says string) modelserver.Script {
	var replies []modelserver.Reply
	for _, i := range files {
		replies = append(replies, modelserver.Thinking(fmt.Sprintf("Now number %d.", i), modelserver.Calls(p.Client.Reads(p.file(i)))))
	}
	return modelserver.Sequence(append(replies, modelserver.Thinking("That is all.", modelserver.Text(says)))...)
}

// begin begins a session without a prompt.
func (o opencodeServer) begin() Session {
	o.p.tb.Helper()
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(o.ask(http.MethodPost, "/session", `{}`), &made); err != nil {
		o.p.tb.Fatal(err)
	}
	return Session{ID: made.ID}
}

// prompt says something to the agent, and waits until it comes to rest.
func (o opencodeServer) prompt(s Session, text string) {
	o.p.tb.Helper()
	o.post("/session/"+s.ID+"/message", `{"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"},"parts":[{"type":"text","text":"`+text+`"}]}`)
}

func (o opencodeServer) compact(s Session) {
	o.p.tb.Helper()
	o.post("/session/"+s.ID+"/summarize", `{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}`)
}

// epochs groups requests by whether each begins with the one before (V1).
func epochs(requests []modelserver.Request) [][]modelserver.Request {
	var out [][]modelserver.Request
	var before []Line
	for _, r := range requests {
		lines := History(r, true)
		if before == nil || len(lines) < len(before) || !slices.Equal(before, lines[:len(before)]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
		before = lines
	}
	return out
}

// accepted holds that nothing was refused, and that opencode compacted nothing by
// itself.
func (p *Place) accepted() {
	p.tb.Helper()
	for _, r := range p.Server.Problems() {
		p.tb.Errorf("refused: %v", r.Problem)
	}
}

// failures are what Tenfold recorded; the file begins with a line that keeps room.
func (p *Place) failures() string {
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(p.Home), "tenfold", "tenfold", "failures.jsonl"))
	return strings.TrimSpace(string(data))
}

// shows holds that the newest request is what our store has the conversation show,
// with what the model answered after it.
func (p *Place) shows(s Session, answer string) string {
	p.tb.Helper()
	id := p.stored(s)
	body, _ := p.tenfold("conversation", "export", id, "--to", "anthropic", "--compacted")
	r, problem := modelserver.Read(modelserver.Anthropic, []byte(body))
	if problem != nil {
		p.tb.Fatalf("the body would be refused: %v", problem)
	}
	want, got := History(r, false), append(History(p.last(), false), Line{Role: "assistant", Kind: "text", Text: answer})
	if t, ok := p.tb.(*testing.T); ok {
		same(t, want, got)
	}
	return id
}

// TestPluginOpenCodeInsideATurn has the context fill up while the agent works:
// the next request is our view, is accepted, and those after it begin with it (V1,
// V2 b, B1). opencode itself compacts nothing. The epoch lasts beyond the process;
// undoing ends it.
func TestPluginOpenCodeInsideATurn(t *testing.T) {
	t.Parallel()
	model := &scripted{}
	p := At(t, pluggedOpenCode(""), modelserver.New(model.reply))
	model.answers(p.reading([]int{0, 1, 2, 3, 4, 5, 6}, "All read."))
	o := p.serve()
	s := o.begin()
	o.prompt(s, "Read all the files.")
	p.accepted()
	all := epochs(p.Server.Main())
	if len(all) != 2 || len(all[0]) < 3 || len(all[1]) < 2 {
		t.Fatalf("%d epochs; failures: %s", len(all), p.failures())
	}
	if last, first := all[0][len(all[0])-1], all[1][0]; first.Usage.All() > last.Usage.All()*2/3 {
		t.Errorf("the new epoch begins with %d tokens, the one before ended with %d", first.Usage.All(), last.Usage.All())
	}
	for _, r := range all[1][1:] {
		if r.Usage.CacheRead < all[1][0].Usage.All() {
			t.Errorf("request %d reads %d tokens from the cache, the epoch began with %d", r.N, r.Usage.CacheRead, all[1][0].Usage.All())
		}
	}
	id := p.shows(s, "All read.")

	// Another process goes on in the same epoch.
	model.says("Nobody, it seems.")
	p.Resume(s, "Who calls it?")
	p.accepted()
	if now := epochs(p.Server.Main()); len(now) != 2 {
		t.Errorf("%d epochs after another process began", len(now))
	}
	if p.shows(s, "Nobody, it seems.") != id {
		t.Error("another conversation was imported")
	}

	p.tenfold("conversation", "undo", id, "--all")
	model.says("Nobody at all.")
	o.prompt(s, "Are you sure?")
	p.accepted()
	if !slices.ContainsFunc(p.Server.Main(), func(r modelserver.Request) bool { return asks(r, "Are you sure?") && wholeFile(r, 0) }) {
		t.Error("after undo the first file is not shown whole")
	}
	if failed := p.failures(); failed != "" {
		t.Error(failed)
	}
}

// asks tells whether a request ends with a prompt.
func asks(r modelserver.Request, prompt string) bool {
	lines := History(r, false)
	return len(lines) > 0 && lines[len(lines)-1].Text == prompt
}

// wholeFile tells whether a request shows all of a file.
func wholeFile(r modelserver.Request, i int) bool {
	return slices.ContainsFunc(History(r, false), func(l Line) bool {
		return l.Kind == "result" && strings.Count(l.Text, fmt.Sprintf("number %d.", i)) == 150
	})
}

// TestPluginOpenCodeManual holds that /compact is answered by our view, for which
// the model is asked a few words and not for a summary; and that opencode can read
// what it then keeps without the plug-in.
func TestPluginOpenCodeManual(t *testing.T) {
	t.Parallel()
	for _, version := range openCodeVersions() {
		name := "pinned"
		if version != "" {
			name = filepath.Base(filepath.Dir(filepath.Dir(version)))
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manually(t, version)
		})
	}
}

func manually(t *testing.T, version string) {
	model := &scripted{}
	p := At(t, pluggedOpenCode(version), modelserver.New(model.reply))
	// It does not think: what opencode keeps of the newest turn beside a summary
	// would be bound to what went before, with us or without.
	model.answers(modelserver.Sequence(
		modelserver.Calls(p.Client.Reads(p.file(0)), p.Client.Reads(p.file(1))), modelserver.Calls(p.Client.Reads(p.file(2)), p.Client.Reads(p.file(3))), modelserver.Text("All read."),
	))
	o := p.serve()
	s := o.begin()
	o.prompt(s, "Read the files.")
	before := len(p.Server.Requests())
	model.says("A summary that nobody wants.")
	o.compact(s)
	for _, r := range p.Server.Requests()[before:] {
		// Older versions send what went before along, whatever a plug-in says.
		if said := len(r.Body); version == "" && said > 4000 {
			t.Errorf("the model was asked %d bytes for a summary", said)
		}
	}
	model.says("Nobody, it seems.")
	o.prompt(s, "Who calls it?")
	p.accepted()
	if wholeFile(p.last(), 0) || !asks(p.last(), "Who calls it?") || !strings.Contains(string(p.last().Body), "Read the files.") {
		t.Errorf("after /compact the request is not our view: %s", p.last().Body)
	}
	p.shows(s, "Nobody, it seems.")
	if failed := p.failures(); failed != "" {
		t.Error(failed)
	}

	if version != "" {
		return // how 1.2 reads what it keeps without the plug-in is not known
	}
	p.pure = true
	model.says("Nobody at all.")
	p.Resume(s, "Are you sure?")
	if body := string(p.last().Body); !strings.Contains(body, "undo: tenfold conversation undo") || !strings.Contains(body, "Read the files.") {
		t.Errorf("without the plug-in the view is not there as a text: %s", body)
	}
}

// openCodeVersions are the pinned version, "", and, where they are installed, two
// older ones: npm install in the directory older.
func openCodeVersions() []string {
	list := []string{""}
	if os.Getenv("TENFOLD_TEST_ALL") == "" {
		return list
	}
	older, _ := filepath.Glob(filepath.Join("older", "node_modules", "opencode-*", "bin", "opencode"))
	for _, name := range older {
		if abs, err := filepath.Abs(name); err == nil {
			list = append(list, abs)
		}
	}
	return list
}

// twice has the plug-in of a client for the user for the project, too.
func twice(c Client) Client {
	prepare := c.prepare
	c.prepare = func(p *Place) error {
		if err := prepare(p); err != nil {
			return err
		}
		plugin, err := os.ReadFile(filepath.Join(p.Home, ".config", "opencode", "plugin", "tenfold.js"))
		p.Write(filepath.Join(p.Dir, ".opencode", "plugin", "tenfold.js"), string(plugin))
		return err
	}
	return c
}

// TestPluginOpenCodeCold holds that what the provider has forgotten anyway is
// compacted before the next turn (V2 c), what it has not is left alone, and the plug-in
// that is there twice does what one does.
func TestPluginOpenCodeCold(t *testing.T) {
	t.Parallel()
	model := &scripted{}
	p := At(t, twice(pluggedOpenCode("")), modelserver.New(model.reply))
	settings := func(after string) {
		p.Write(filepath.Join(p.Home, ".config", "tenfold", "config.toml"), "[conversation.compaction.micro]\nclear_at_least = \"2k\"\ncold_after = \""+after+"\"\n")
	}
	settings("10m")
	model.answers(p.reading([]int{0, 1, 2}, "All read."))
	o := p.serve()
	s := o.begin()
	o.prompt(s, "Read the files.")
	model.says("Nobody, it seems.")
	o.prompt(s, "Who calls it?")
	if all := epochs(p.Server.Main()); len(all) != 1 {
		t.Errorf("%d epochs while the cache is warm", len(all))
	}
	settings("1ms")
	model.says("Nobody at all.")
	o.prompt(s, "Are you sure?")
	p.accepted()
	if all := epochs(p.Server.Main()); len(all) != 2 || len(all[1]) != 1 {
		t.Fatalf("%d epochs after the cache is cold; failures: %s", len(all), p.failures())
	}
	p.shows(s, "Nobody at all.")
}

// TestPluginOpenCodeSubAgent holds that a sub-agent's session has epochs of its
// own.
func TestPluginOpenCodeSubAgent(t *testing.T) {
	t.Parallel()
	inner := func(r modelserver.Request) bool { return strings.Contains(string(r.Body), "Look at every file.") }
	model := &scripted{}
	p := At(t, pluggedOpenCode(""), modelserver.New(model.reply))
	reads := p.reading([]int{0, 1, 2, 3, 4, 5, 6, 7}, "All of them greet.")
	outer := modelserver.Sequence(
		modelserver.Calls(call("task", map[string]any{"description": "Look", "prompt": "Look at every file.", "subagent_type": "general"})),
		modelserver.Text("The agent says they greet."),
	)
	model.answers(func(r modelserver.Request) modelserver.Reply {
		if lines := History(r, false); len(lines) > 0 && strings.Contains(lines[0].Text+lines[min(1, len(lines)-1)].Text, "Look at every file.") && lines[0].Text != "What do they say?" {
			return reads(r)
		}
		return outer(r)
	})
	o := p.serve()
	s := o.begin()
	o.prompt(s, "What do they say?")
	p.accepted()
	var agent, person []modelserver.Request
	for _, r := range p.Server.Main() {
		if lines := History(r, false); lines[0].Text == "What do they say?" {
			person = append(person, r)
		} else if inner(r) {
			agent = append(agent, r)
		}
	}
	if all := epochs(agent); len(all) != 2 {
		t.Errorf("%d epochs of the agent; failures: %s", len(all), p.failures())
	}
	if all := epochs(person); len(all) != 1 || len(person) != 2 {
		t.Errorf("%d requests of the person's session in %d epochs", len(person), len(all))
	}
	if last := person[len(person)-1]; !strings.Contains(string(last.Body), "All of them greet.") {
		t.Error("what the agent found is not there")
	}
}

// TestPluginOpenCodeFails has Tenfold fail in each way that it can: opencode goes
// on, within an epoch as it was, and in a session without one as without us (V7).
func TestPluginOpenCodeFails(t *testing.T) {
	t.Parallel()
	required(t)
	exe, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fake := filepath.Join(dir, "tenfold")
	write := func(script string) {
		t.Helper()
		if err := os.WriteFile(fake+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fake+".new", fake); err != nil {
			t.Fatal(err)
		}
	}
	write("exec '" + exe + "' \"$@\"")
	model := &scripted{}
	p := At(t, pluggedOpenCode("", exe, fake, `, "tenfold"]`, "]", openCodeLimit, "8_000"), modelserver.New(model.reply))
	model.answers(p.reading([]int{0, 1, 2, 3, 4, 5}, "All read."))
	o := p.serve()
	s := o.begin()
	o.prompt(s, "Read the files.")
	if all := epochs(p.Server.Main()); len(all) != 2 {
		t.Fatalf("%d epochs; failures: %s", len(all), p.failures())
	}
	fresh := o.begin()
	for _, way := range []string{"echo nonsense", "exit 3", "echo '{\"view\":[\"msg_gone\"]}'", "exec '" + exe + "' hook nobody nothing"} {
		write(way)
		p.goesOn(o, model, s, way)
	}
	if err := os.Remove(fake); err != nil {
		t.Fatal(err)
	}
	p.goesOn(o, model, s, "no binary")
	write("date >>'" + fake + ".asked'; cat >/dev/null; exec sleep 30")
	for range 3 {
		p.goesOn(o, model, s, "no answer")
	}
	if asked, err := os.ReadFile(fake + ".asked"); strings.Count(string(asked), "\n") != 1 {
		t.Errorf("three requests wait for a Tenfold that does not answer: %s, %v", asked, err)
	}
	if err := os.Remove(fake); err != nil {
		t.Fatal(err)
	}
	p.goesOn(p.serve(), model, s, "no binary, another process")
	if all := epochs(p.Server.Main()); len(all) != 2 {
		for i := range all[1:] {
			before := all[i][len(all[i])-1]
			t.Errorf("epoch %d (-last of the one before +first)\n%s", i+1, cmp.Diff(shown(History(before, true)), shown(History(all[i+1][0], true))))
		}
	}
	p.Server.Reset()
	model.answers(p.reading([]int{0, 1}, "Both read."))
	o.prompt(fresh, "Read two files.")
	if r := p.last(); !wholeFile(r, 0) || !wholeFile(r, 1) {
		t.Error("without Tenfold files are not shown whole")
	}
	model.says("They were read.")
	o.compact(fresh)
	if all := p.Server.Requests(); strings.Contains(string(all[len(all)-1].Body), "single word") {
		t.Errorf("without Tenfold opencode asks for a summary by %s", all[len(all)-1].Body)
	}
}

// goesOn holds that a prompt is answered.
func (p *Place) goesOn(o opencodeServer, model *scripted, s Session, how string) {
	p.tb.Helper()
	model.says("It goes on.")
	o.prompt(s, "Go on.")
	if !asks(p.last(), "Go on.") {
		p.tb.Errorf("%s: the request is %s", how, p.last().Body)
	}
}
