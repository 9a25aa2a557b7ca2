package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"
)

// TestDocumentsCanBeTyped holds the commands that the documents and the help show to what
// the program takes: commands, flags, their values, and how many arguments; the configuration
// that they show to what a file may hold; and the files that they name to those that there are.
func TestDocumentsCanBeTyped(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{} // by where it is shown
	there := sources(t)
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		for _, code := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			if code[1] == "toml" {
				if err := config.CheckFile(config.User, name, []byte(code[2])); err != nil {
					t.Errorf("%s\n%v", code[2], err)
				}
			} else {
				shown[name] += code[2] + code[3] + "\n"
			}
		}
		for _, span := range codeSpan.FindAllStringSubmatch(string(text), -1) {
			for _, words := range calls(strings.ReplaceAll(span[1], "\n", " ")) {
				if err := take(words, false); err != nil {
					t.Errorf("%s: %s: %v", name, span[1], err)
				}
			}
		}
		for _, m := range goFile.FindAllStringSubmatch(string(text), -1) {
			if !there[m[1]] {
				t.Errorf("%s names %s, which there is not", name, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		shown[c.CommandPath()+" --help"] = c.Example
		for _, inner := range c.Commands() {
			walk(inner)
		}
	}
	walk(Root(&command.App{Terminal: &terminal.Terminal{}}))

	commands := 0
	for where, text := range shown {
		for _, line := range typed.FindAllString(text, -1) {
			for _, words := range calls(strings.TrimPrefix(line, "$ ")) {
				commands++
				if err := take(words, true); err != nil {
					t.Errorf("%s: %s: %v", where, strings.Join(words, " "), err)
				}
			}
		}
	}
	if commands < 150 {
		t.Errorf("only %d commands were found", commands)
	}
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```|^    ([^\n]*)$") // fenced, or a line that is set in
	codeSpan  = regexp.MustCompile("`(tenfold [^`]*)`")
	goFile    = regexp.MustCompile("`(?:[a-z/]+/)?([a-z_]+\\.go)`")
	link      = regexp.MustCompile(`\]\(([^):#]+)`)
	// typed is a line in which the program is called, with those that go on with it.
	typed = regexp.MustCompile(`(?m)^.*\btenfold (?:.*\\\n)*.*$`)
)

// calls gives the words of the calls of the program in what a person types; none where it is
// not a command.
func calls(line string) [][]string {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil // an output
	}
	var all [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "tenfold" {
			return true
		}
		var words []string
		for _, w := range call.Args {
			words = append(words, word(w))
		}
		all = append(all, words)
		return true
	})
	return all
}

// word is a word as the shell gives it, but for what the shell puts in.
func word(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst:
			b.WriteString("x")
			return false
		}
		return true
	})
	return b.String()
}

// take has the program take a command line, without running it. One that is not whole names a
// command and flags alone.
func take(words []string, whole bool) error {
	c, rest, err := Root(&command.App{Terminal: &terminal.Terminal{}}).Find(words[1:])
	if err != nil {
		return err
	}
	if c.DisableFlagParsing {
		return nil
	}
	if err := c.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if !whole {
		return nil
	}
	return c.ValidateArgs(c.Flags().Args())
}

// sources are the names of the files of Go in the repository.
func sources(t *testing.T) map[string]bool {
	there := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		there[filepath.Base(path)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
