package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// plugged is opencode with our plug-in, and a model whose context is small.
func plugged(bin string) Client {
	c := OpenCode()
	if bin != "" {
		c.program = bin
	}
	env, prepare := c.env, c.prepare
	c.env = func(p *Place) []string {
		exe, err := program()
		if err != nil {
			p.tb.Fatal(err)
		}
		list := slices.DeleteFunc(env(p), func(v string) bool { return strings.HasPrefix(v, "OPENCODE_PURE=") })
		return append(list, "PATH="+filepath.Dir(exe)+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	c.prepare = func(p *Place) error {
		if err := prepare(p); err != nil {
			return err
		}
		base := filepath.Join(p.Home, ".config", "opencode")
		p.Write(filepath.Join(base, "opencode.json"), `{"autoupdate":false,"share":"disabled","provider":{"anthropic":{`+
			`"options":{"baseURL":"`+p.URL+`/v1","apiKey":"test"},"models":{"claude-sonnet-4-5":{"limit":{"context":24000,"output":2000}}}}}}`)
		// What opencode would install from npm for any plug-in.
		p.Write(filepath.Join(base, "node_modules", "@opencode-ai", "plugin", "package.json"), `{"name":"@opencode-ai/plugin"}`)
		p.Write(filepath.Join(base, "package-lock.json"), `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1"}}}}`)
		js, err := os.ReadFile("../../internal/hook/opencode/adapter.js")
		if err != nil {
			return err
		}
		p.Write(filepath.Join(base, "plugin", "tenfold.js"), string(js))
		return nil
	}
	return c
}

func TestPluginOpenCode(t *testing.T) {
	c := plugged("")
	p := placed(t, c, func(p *Place) modelserver.Script {
		var replies []modelserver.Reply
		for i := range 8 {
			name := filepath.Join(p.Dir, "file"+string(rune('a'+i))+".txt")
			p.Write(name, strings.Repeat("The house greets whoever comes in by the front door, number "+string(rune('a'+i))+".\n", 150))
			replies = append(replies, modelserver.Thinking("Now the next.", modelserver.Calls(c.Reads(name))))
		}
		return modelserver.Sequence(append(replies, modelserver.Text("All read."))...)
	})
	s, out := p.Begin("Read all the files.")
	t.Log(out)
	for _, r := range p.Server.Requests() {
		t.Log("-----", r.N, r.Main(), r.Usage, r.Problem)
		for _, l := range History(r, true) {
			t.Log(l.String())
		}
	}
	ls, _ := p.tenfold("conversation", "ls")
	t.Log(ls)
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(p.Home), "tenfold", "tenfold", "failures.jsonl"))
	t.Log(string(data))
	_ = s
}
