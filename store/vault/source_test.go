package vault

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tenfold/problem"
)

func TestSources(t *testing.T) {
	t.Parallel()
	text := base64.StdEncoding.EncodeToString(key(1))
	file := func(name, text string, mode fs.FileMode) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	secret := file("master", text+"\n", 0o600)
	script := "cat " + secret
	for name, s := range map[string]Source{
		"environment": FromEnvironment(func(name string) string { return map[string]string{EnvKey: text}[name] }),
		"file":        FromEnvironment(func(name string) string { return map[string]string{EnvFile: secret}[name] }),
		"command":     FromEnvironment(func(name string) string { return map[string]string{EnvCommand: script}[name] }),
	} {
		if name == "command" && runtime.GOOS == "windows" {
			continue
		}
		v, err := s.Open(t.Context(), nil)
		if err != nil || v == nil || v.ID() != vaultOf(t, 1).ID() {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v, err := (Source{}).Open(t.Context(), nil); v != nil || err != nil {
		t.Errorf("no source: %v, %v", v, err)
	}
	for name, s := range map[string]Source{
		"two":          {Key: text, File: secret},
		"no key":       {Key: "hush"},
		"no file":      {File: secret + "x"},
		"readable":     {File: file("open", text, 0o644)},
		"no program":   {Command: "/nowhere/tenfold-key"},
		"it fails":     {Command: "false"},
		"prints much":  {Command: "head -c 100000 /dev/zero"},
		"prints none":  {Command: "true"},
		"a long file":  {File: file("long", strings.Repeat("hush\n", 20000), 0o600)},
		"only a space": {Command: " "},
	} {
		if name == "readable" && runtime.GOOS == "windows" {
			continue
		}
		v, err := s.Open(t.Context(), nil)
		var p *problem.Error
		if v != nil || !errors.As(err, &p) || p.Hint == "" || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
