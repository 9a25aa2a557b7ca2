package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"
)

// TestDocumentsCanBeTyped holds the commands that the documents and the help show to what
// the program takes: commands, flags, their values, and how many arguments.
func TestDocumentsCanBeTyped(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{} // by where it is shown
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			shown[filepath.Base(file)] += block[1]
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
				if err := take(words); err != nil {
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
	codeBlock = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```")
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

// take has the program take a command line, without running it.
func take(words []string) error {
	c, rest, err := Root(&command.App{Terminal: &terminal.Terminal{}}).Find(words[1:])
	if err != nil {
		return err
	}
	if c.DisableFlagParsing {
		return nil
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}
