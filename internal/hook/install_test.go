package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold/internal/hook"
	"tenfold/problem"
)

// adapter is a client with a plug-in file and two edits of a configuration.
type adapter struct {
	content string
	version int
	extra   []hook.File
}

func (a adapter) About() hook.About {
	return hook.About{Name: "agent", Title: "Agent", Commands: []string{"agent"}, Since: "1.0", Tested: "1.2", Adapter: a.version}
}

func (adapter) Handle(context.Context, *hook.Host, string, []byte) ([]byte, error) { return nil, nil }

func (a adapter) Files(p hook.Place) ([]hook.File, error) {
	root := filepath.Join(p.Home, ".agent")
	if p.Scope == hook.Project {
		root = filepath.Join(p.Dir, ".agent")
	}
	return append([]hook.File{
		{Path: filepath.Join(root, "plugins", "tenfold", "plugin.js"), Content: []byte(a.content + p.Binary)},
		{Path: filepath.Join(root, "settings.json"), Edits: []hook.Edit{
			{At: []string{"plugins"}, Value: `"tenfold"`, Append: true},
			{At: []string{"mcp", "tenfold"}, Value: `{"command":["` + p.Binary + `","mcp"]}`},
		}},
	}, a.extra...), nil
}

// tree is all files and links below a directory.
func tree(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		all[rel] = info.Mode().String()
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[rel] += " → " + to
			return err
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			all[rel] += " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

func put(tb testing.TB, name, text string, mode fs.FileMode) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		tb.Fatal(err)
	}
}

// place is a home directory with a settings file, none where the text is "-".
func place(tb testing.TB, settings string) hook.Place {
	tb.Helper()
	p := hook.Place{Scope: hook.User, Home: tb.TempDir(), Dir: tb.TempDir(), Getenv: func(string) string { return "" }, Binary: "/opt/tenfold"}
	if settings != "-" {
		put(tb, filepath.Join(p.Home, ".agent", "settings.json"), settings, 0o640)
	}
	return p
}

func installed(tb testing.TB, h *hook.Host) hook.Install {
	tb.Helper()
	all, err := h.Installs()
	if err != nil || len(all) != 1 {
		tb.Fatalf("%d installs are recorded: %v", len(all), err)
	}
	return all[0]
}

// Whatever the file of the person looks like: after install and uninstall every
// file is as it was, and installing twice is installing once.
func TestUninstallLeavesEveryFileAsItWas(t *testing.T) {
	for name, settings := range map[string]string{
		"none": "-", "empty": "", "a blank line": "\n", "an object": "{}", "no newline": `{"theme": "dark"}`, "a BOM": "\ufeff{\n}\n",
		"CRLF": "{\r\n\t\"theme\": \"dark\",\r\n\t\"plugins\": [\"other\"]\r\n}\r\n", "comments": "// mine\n{\n  \"a\": 1, // one\n  /* two */\n}\n",
		"deep": `{"mcp": {"other": {"command": ["x"]}}, "plugins": []}`, "has it already": `{"plugins": ["tenfold"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHost(t)
			p := place(t, settings)
			before := tree(t, p.Home)
			client := adapter{content: "plug-in ", version: 1}
			if dry, err := h.Install(client, p, true); err != nil || len(dry) != 2 {
				t.Fatalf("the dry run is %v, %v", dry, err)
			}
			if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
				t.Fatalf("the dry run wrote:\n%s", diff)
			}
			if _, err := h.Install(client, p, false); err != nil {
				t.Fatal(err)
			}
			once := tree(t, p.Home)
			text := once[".agent/settings.json"]
			if !strings.Contains(text, `"tenfold"`) || !strings.Contains(text, "/opt/tenfold") || once[".agent/plugins/tenfold/plugin.js"] != "-rw-r--r-- plug-in /opt/tenfold" {
				t.Errorf("it wrote %v", once)
			}
			if state := h.StateOf(client, installed(t, h), p); state != hook.Current {
				t.Errorf("it is %s", state)
			}
			changes, err := h.Install(client, p, false)
			if err != nil || changes[0].Action != "unchanged" || changes[1].Action != "unchanged" {
				t.Errorf("the second install did %v, %v", changes, err)
			}
			if diff := cmp.Diff(once, tree(t, p.Home)); diff != "" {
				t.Errorf("the second install changed:\n%s", diff)
			}
			if _, err := h.Uninstall(installed(t, h), false); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
				t.Errorf("left behind:\n%s", diff)
			}
			if all, err := h.Installs(); len(all) > 0 || err != nil {
				t.Errorf("still recorded: %v, %v", all, err)
			}
		})
	}
}

// Where the record was lost, what lies there is found, and all of it goes: at once, or
// after another install.
func TestUninstallWithoutTheRecord(t *testing.T) {
	const settings = "{\"theme\": \"dark\"}\n"
	for _, test := range []struct {
		name         string
		again, moved bool
	}{{"at once", false, false}, {"installed again", true, false}, {"by a program that moved", false, true}, {"installed again by one", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			h, _ := newHost(t)
			p := place(t, settings)
			names := hook.File{Path: filepath.Join(p.Home, ".agent/plugins/tenfold/plugin.json"), Content: []byte("{}")}
			client := adapter{content: "plug-in ", version: 1, extra: []hook.File{names}}
			before := tree(t, p.Home)[".agent/settings.json"]
			if all, err := h.InstallsOf(client, p); len(all) > 0 || err != nil {
				t.Fatalf("found before: %v, %v", all, err)
			}
			if _, err := h.Install(client, p, false); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(h.Data, "installed.json")); err != nil {
				t.Fatal(err)
			}
			if test.moved {
				p.Binary = "/opt/moved/bin/tenfold"
			}
			if test.again {
				if _, err := h.Install(client, p, false); err != nil {
					t.Fatal(err)
				}
			}
			all, err := h.InstallsOf(client, p)
			state := map[bool]hook.State{true: hook.Current, false: hook.Outdated}[test.again || !test.moved]
			if err != nil || len(all) != 1 || h.StateOf(client, all[0], p) != state {
				t.Fatalf("found: %v, %v", all, err)
			}
			if _, err := h.Uninstall(all[0], false); err != nil {
				t.Fatal(err)
			}
			got := tree(t, p.Home)
			if _, ok := got[".agent/plugins/tenfold/plugin.js"]; ok || got[".agent/settings.json"] != before {
				t.Errorf("left behind: %v", got)
			}
		})
	}
}

// From a file that went on only what was added goes, and a plug-in that somebody
// changed is kept under another name.
func TestUninstallKeepsWhatThePersonChanged(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "{\n  \"theme\": \"dark\"\n}\n")
	if _, err := h.Install(adapter{version: 1}, p, false); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(p.Home, ".agent", "settings.json")
	data, _ := os.ReadFile(settings)
	put(t, settings, strings.Replace(string(data), `"dark"`, `"light"`, 1), 0o600)
	plugin := filepath.Join(p.Home, ".agent/plugins/tenfold/plugin.js")
	put(t, plugin, "mine", 0o600)
	if state := h.StateOf(adapter{version: 1}, installed(t, h), p); state != hook.Changed {
		t.Errorf("it is %s", state)
	}
	var said *problem.Error
	if _, err := h.Install(adapter{version: 2, content: "new"}, p, false); !strings.Contains(errText(err), "was changed since Tenfold wrote it") ||
		!errors.As(err, &said) || !strings.HasPrefix(said.Hint, "uninstall first") {
		t.Errorf("a changed plug-in was replaced: %v", err)
	}
	changes, err := h.Uninstall(installed(t, h), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Note == "" {
			t.Errorf("nothing is said about %+v", c)
		}
	}
	got := tree(t, p.Home)
	if text := got[".agent/settings.json"]; !strings.HasSuffix(text, " {\n  \"theme\": \"light\"\n}\n") {
		t.Errorf("the settings are %q", text)
	}
	if text := got[".agent/plugins/tenfold/plugin.js.changed"]; !strings.HasSuffix(text, " mine") {
		t.Errorf("the files are %v", got)
	}
}

// Where a file cannot be put back as it was, those before it are as the uninstall found
// them, under their own names.
func TestUninstallIsWholeOrNotAtAll(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "{}")
	changed := filepath.Join(p.Home, ".agent", "tenfold.sh")
	if _, err := h.Install(adapter{version: 1, extra: []hook.File{{Path: changed, Content: []byte("#!")}}}, p, false); err != nil {
		t.Fatal(err)
	}
	put(t, changed, "mine", 0o600)
	settings := filepath.Join(p.Home, ".agent", "settings.json")
	long := filepath.Join(p.Home, strings.Repeat("n", 250)) // its temporary file has no name
	if err := errors.Join(os.Rename(settings, long), os.Symlink(long, settings)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, p.Home)
	if _, err := h.Uninstall(installed(t, h), false); err == nil {
		t.Fatal("the settings were written")
	}
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Errorf("it is not as it was:\n%s", diff)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A newer adapter replaces the older one, files that it does not have any more
// included, and uninstall still leads back to the beginning.
func TestInstallRenewsAnOlderAdapter(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, `{"theme": "dark"}`)
	before := tree(t, p.Home)
	old := adapter{content: "old ", version: 1, extra: []hook.File{{Path: filepath.Join(p.Home, ".agent", "hooks", "tenfold.sh"), Content: []byte("#!"), Executable: true}}}
	if _, err := h.Install(old, p, false); err != nil {
		t.Fatal(err)
	}
	if mode := tree(t, p.Home)[".agent/hooks/tenfold.sh"]; !strings.HasPrefix(mode, "-rwxr-xr-x") {
		t.Errorf("the script is %s", mode)
	}
	p.Binary = "/usr/bin/tenfold"
	renewed := adapter{content: "new ", version: 2}
	if state := h.StateOf(renewed, installed(t, h), p); state != hook.Outdated {
		t.Errorf("it is %s", state)
	}
	if _, err := h.Install(renewed, p, false); err != nil {
		t.Fatal(err)
	}
	got := tree(t, p.Home)
	if _, there := got[".agent/hooks/tenfold.sh"]; there || strings.Contains(got[".agent/settings.json"], "/opt") || got[".agent/plugins/tenfold/plugin.js"] != "-rw-r--r-- new /usr/bin/tenfold" {
		t.Errorf("the files are %v", got)
	}
	if i := installed(t, h); i.Adapter != 2 {
		t.Errorf("the record is %+v", i)
	}
	if err := os.Remove(filepath.Join(p.Home, ".agent/plugins/tenfold/plugin.js")); err != nil {
		t.Fatal(err)
	}
	if state := h.StateOf(renewed, installed(t, h), p); state != hook.Missing {
		t.Errorf("it is %s", state)
	}
	if _, err := h.Uninstall(installed(t, h), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
}

// What is in the way stays, and then nothing at all is written.
func TestInstallOverwritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(p hook.Place)
		want    string
	}{
		"a file of that name": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/plugins/tenfold/plugin.js"), "mine", 0o600)
		}, "is there already, and no record says that Tenfold wrote it"},
		"a link that leads nowhere": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/plugins/tenfold/x"), "", 0o600)
			_ = os.Symlink("/nowhere", filepath.Join(p.Home, ".agent/plugins/tenfold/plugin.js"))
		}, "is a link that leads nowhere"},
		"a directory": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/settings.json/x"), "", 0o600)
		}, "is not a regular file"},
		"another value": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/settings.json"), `{"mcp": {"tenfold": 1}}`, 0o600)
		}, "mcp.tenfold is set to something else"},
		"damage": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/settings.json"), "{\n\"mcp\" {}}", 0o600)
		}, "settings.json: line 2: expected a colon"},
		"a read-only file": {func(p hook.Place) {
			put(t, filepath.Join(p.Home, ".agent/settings.json"), "{}", 0o400)
		}, "is read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHost(t)
			p := place(t, "-")
			c.prepare(p)
			before := tree(t, p.Home)
			if _, err := h.Install(adapter{version: 1}, p, false); !strings.Contains(errText(err), c.want) {
				t.Errorf("the error is %v; want %s", err, c.want)
			}
			if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
				t.Errorf("it wrote:\n%s", diff)
			}
			if all, err := h.Installs(); len(all) > 0 || err != nil {
				t.Errorf("it is recorded: %v, %v", all, err)
			}
		})
	}
}

// A repository's links do not lead an install out of it; a person's own may lead
// anywhere, and stay links.
func TestInstallAndLinks(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "-")
	outside := t.TempDir()
	p.Scope = hook.Project
	if err := os.Symlink(outside, filepath.Join(p.Dir, ".agent")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Install(adapter{version: 1}, p, false); !strings.Contains(errText(err), "a link leads out of the project") {
		t.Errorf("the error is %v", err)
	}
	if got := tree(t, outside); len(got) != 1 {
		t.Errorf("it wrote %v", got)
	}
	p.Scope = hook.User
	put(t, filepath.Join(outside, "dotfiles.json"), "{}\n", 0o600)
	put(t, filepath.Join(p.Home, ".agent", "x"), "", 0o600)
	if err := os.Symlink(filepath.Join(outside, "dotfiles.json"), filepath.Join(p.Home, ".agent", "settings.json")); err != nil {
		t.Fatal(err)
	}
	home, there := tree(t, p.Home), tree(t, outside)
	if _, err := h.Install(adapter{version: 1}, p, false); err != nil {
		t.Fatal(err)
	}
	if link := tree(t, p.Home)[".agent/settings.json"]; link != home[".agent/settings.json"] {
		t.Errorf("the link is %s", link)
	}
	if _, err := h.Uninstall(installed(t, h), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(home, tree(t, p.Home)) + cmp.Diff(there, tree(t, outside)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
}

// Where one file cannot be written, those before it are put back.
func TestInstallIsWholeOrNotAtAll(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("run by root, which may write everywhere: a directory in the way stands for one that may not be written")
	}
	h, _ := newHost(t)
	p := place(t, "{}")
	blocked := filepath.Join(p.Home, "blocked", "file.js")
	before := tree(t, p.Home)
	client := adapter{version: 1, extra: []hook.File{{Path: blocked, Content: []byte("x")}, {Path: filepath.Join(blocked, "below.js"), Content: []byte("y")}}}
	if _, err := h.Install(client, p, false); err == nil {
		t.Fatal("a file was made below a file")
	}
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
	if all, err := h.Installs(); len(all) > 0 || err != nil {
		t.Errorf("it is recorded: %v, %v", all, err)
	}
}

// Installs at the same moment, of several clients in one configuration file: each is
// recorded, and after the last uninstall every file is as it was.
func TestInstallsAtTheSameMoment(t *testing.T) {
	h, _ := newHost(t)
	p := place(t, "{\n  \"theme\": \"dark\"\n}\n")
	before := tree(t, p.Home)
	var clients []sharer
	for i := range 8 {
		clients = append(clients, sharer{fmt.Sprintf("agent%d", i), p.Home})
	}
	at := func(do func(sharer) error) {
		var all sync.WaitGroup
		for _, c := range clients {
			all.Go(func() {
				if err := do(c); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			})
		}
		all.Wait()
	}
	at(func(c sharer) error {
		_, err := h.Install(c, p, false)
		return err
	})
	installs, err := h.Installs()
	if err != nil || len(installs) != len(clients) {
		t.Fatalf("%d installs are recorded: %v", len(installs), err)
	}
	at(func(c sharer) error {
		i := slices.IndexFunc(installs, func(i hook.Install) bool { return i.Client == c.name })
		_, err := h.Uninstall(installs[i], false)
		return err
	})
	if diff := cmp.Diff(before, tree(t, p.Home)); diff != "" {
		t.Error(diff)
	}
	if left, err := h.Installs(); len(left) > 0 || err != nil {
		t.Errorf("%d installs are left: %v", len(left), err)
	}
	if names, _ := filepath.Glob(filepath.Join(h.Data, "*.lock")); len(names) > 0 {
		t.Errorf("locks are left: %v", names)
	}
}

// sharer is a client that adds its name to a file.
type sharer struct{ name, home string }

func (c sharer) About() hook.About { return hook.About{Name: c.name, Adapter: 1} }

func (sharer) Handle(context.Context, *hook.Host, string, []byte) ([]byte, error) { return nil, nil }

func (c sharer) Files(hook.Place) ([]hook.File, error) {
	edit := hook.Edit{At: []string{"plugins", c.name}, Value: "true"}
	return []hook.File{{Path: filepath.Join(c.home, ".agent", "settings.json"), Edits: []hook.Edit{edit}}}, nil
}

// A lock that a crash left stops nobody for long, and one in use is not taken.
func TestInstallWaitsForTheLock(t *testing.T) {
	h, _ := newHost(t)
	lock := filepath.Join(h.Data, "installed.json.lock")
	p, client := place(t, "-"), adapter{version: 1}
	for _, ago := range []time.Duration{time.Hour, -time.Hour} { // by a clock that was set back since
		put(t, lock, "", 0o600)
		old := time.Now().Add(-ago)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Install(client, p, false); err != nil {
			t.Errorf("a lock of %v ago: %v", ago, err)
		}
	}
	put(t, lock, "", 0o600)
	if _, err := h.Install(client, p, true); err != nil {
		t.Errorf("a dry run waits: %v", err)
	}
	released := make(chan time.Time, 1)
	time.AfterFunc(50*time.Millisecond, func() {
		released <- time.Now()
		_ = os.Remove(lock)
	})
	if _, err := h.Install(client, p, false); err != nil {
		t.Errorf("after the lock was released: %v", err)
	}
	select {
	case <-released:
	default:
		t.Error("it did not wait")
	}
}

func TestDamagedRecordIsAnError(t *testing.T) {
	h, _ := newHost(t)
	put(t, filepath.Join(h.Data, "installed.json"), "{", 0o600)
	if _, err := h.Installs(); err == nil {
		t.Error("a damaged record was read")
	}
	if _, err := h.Install(adapter{version: 1}, place(t, "-"), false); err == nil {
		t.Error("it was installed without a record")
	}
}

func TestFindAsksTheClientForItsVersion(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "agent"), "#!/bin/sh\necho \"agent v2.10.3 (Agent)\"\nexit 3\n", 0o600)
	if err := os.Chmod(filepath.Join(dir, "agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := hook.Find(t.Context(), adapter{}.About()); got != (hook.Found{Path: filepath.Join(dir, "agent"), Version: "2.10.3"}) {
		t.Errorf("found %+v", got)
	}
	if got := hook.Find(t.Context(), hook.About{Commands: []string{"other"}}); got != (hook.Found{}) {
		t.Errorf("found %+v", got)
	}
	about := hook.About{Since: "2.1", Tested: "2.10.0"}
	for version, want := range map[string]hook.Support{
		"": hook.UnknownVersion, "2.0.99": hook.TooOld, "2.1": hook.Supported, "2.1.0": hook.Supported, "2.9": hook.Supported, "2.10": hook.Supported,
		"2.10.1": hook.Newer, "10.0": hook.Newer,
	} {
		if got := about.Supports(version); got != want {
			t.Errorf("%q is %s; want %s", version, got, want)
		}
	}
}
