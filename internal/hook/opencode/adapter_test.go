package opencode

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/hook"
)

// asked prints where the plug-in looks for the view that was kept of a session, on a
// system with an environment, while there is no program to ask.
const asked = `
import { createHash } from "node:crypto"
const [platform, ...env] = process.argv.slice(2)
Object.defineProperty(process, "platform", { value: platform })
process.env = Object.fromEntries(env.map((e) => e.split("=")))
globalThis.Bun = {
	spawn: () => { throw Object.assign(new Error(), { code: "ENOENT" }) },
	CryptoHasher: class { update(text) { return createHash("sha256").update(text) } },
	file: (name) => ({ json: async () => { console.log(name); return { view: ["m1"], upto: "m1" } } }),
}
const { Tenfold } = await import("./tenfold.mjs")
const hooks = await Tenfold({ client: { config: { providers: async () => ({}) } }, directory: "/work" })
const messages = ["m1", "m2"].map((id) => ({ info: { id, role: "user", sessionID: "s1" }, parts: [] }))
await hooks["experimental.chat.messages.transform"]({}, { messages })
`

// Where Tenfold cannot be asked, the plug-in finds the view where the program keeps it, on
// each system.
func TestThePlugInFindsTheViewThatIsKept(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	files, err := Client{}.Files(hook.Place{Scope: hook.User, Home: "/home/me", Getenv: func(string) string { return "" }, Binary: "/none/tenfold"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"tenfold.mjs": files[0].Content, "asked.mjs": []byte(asked)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for env, data := range map[string]string{
		"linux HOME=/h":                          "/h/.local/share",
		"linux HOME=/h XDG_DATA_HOME=/x":         "/x",
		"linux HOME=/h XDG_DATA_HOME=here":       "/h/.local/share",
		"darwin HOME=/h":                         "/h/Library/Application Support",
		"darwin HOME=/h XDG_DATA_HOME=/x":        "/x",
		`win32 HOME=C:\h LocalAppData=C:\h\data`: `C:\h\data`,
	} {
		var errs bytes.Buffer
		c := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(dir, "asked.mjs")}, strings.Fields(env)...)...)
		c.Stderr = &errs
		out, err := c.Output()
		want := data + "/tenfold/opencode/" + filepath.Base(epochFile(&hook.Host{}, "s1")) + "\n"
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q\n%s", env, out, err, want, errs.String())
		}
	}
}
