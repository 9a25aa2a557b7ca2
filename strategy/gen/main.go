// Command gen writes docs/strategies.md: what the doc comments of the strategies
// say, and what each strategy does to the conversation in example.txt.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/strategy"
)

//go:embed example.txt
var example string

//go:embed page.md
var introduction string

func main() {
	text, err := page(".")
	if err == nil {
		err = os.WriteFile(filepath.Join("..", "docs", "strategies.md"), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// examples are the strategies as they are run on the example, where their usual
// options are made for longer conversations.
var examples = map[string]string{
	"fit": "fit:target=20%", "micro": "micro:keep_recent=3", "purge-errors": "purge-errors:after=2", "recursive-summary": "recursive-summary:keep=8",
	"sliding-window": "sliding-window:n=14", "token-window": "token-window:n=1400", "turn-window": "turn-window:n=2", "trim-results": "trim-results:over=1KB,lines=2",
}

// page is docs/strategies.md, made from the sources in a directory.
func page(dir string) ([]byte, error) {
	types, err := documented(dir)
	if err != nil {
		return nil, err
	}
	l, err := parse(example)
	if err != nil {
		return nil, err
	}
	var sections bytes.Buffer
	raw := tenfold.Project(l)
	outline := "| strategy | tokens left | | it |\n|---|---:|---:|---|\n"
	for _, s := range strategy.All() {
		name, _, _ := strings.Cut(s.Name(), ":")
		text := name
		if other, ok := examples[name]; ok {
			text = other
		}
		if s, err = strategy.Parse(text); err != nil {
			return nil, err
		}
		plan, err := strategy.Pipeline{s}.Plan(context.Background(), raw, strategy.Options{
			Range: tenfold.Range{ToTurn: l.Turns() - 1}, Window: 4000, Summarizer: writer{}, Classifier: writer{},
			Confirm: func(_ context.Context, named []strategy.Tangent) ([]strategy.Tangent, error) { return named, nil },
		})
		if err != nil {
			return nil, err
		}
		t := types[reflect.TypeOf(s).Name()]
		if name == "strip-tool-results" {
			t = documentation{doc: "It is strip-tools with `request=false`: it keeps the arguments."}
		}
		about := prose(t.doc)
		sentence, _, _ := strings.Cut(strings.ReplaceAll(about, "\n", " "), ". ")
		outline += fmt.Sprintf("| [`%s`](#%s) | %s | %d %% | %s |\n", name, name, number.Thousands(plan.After), (plan.After*100+plan.Before/2)/plan.Before, strings.TrimSuffix(sentence, "."))
		fmt.Fprintf(&sections, "\n## %s\n\n`%s` %s\n", name, name, about)
		if len(t.options) > 0 {
			fmt.Fprintf(&sections, "\n| option | default | meaning |\n|---|---|---|\n%s", strings.Join(t.options, ""))
		}
		fmt.Fprintf(&sections, "\nOn the example, `%s` takes the conversation from %s to %s tokens:\n\n", text, number.Thousands(plan.Before), number.Thousands(plan.After))
		compare(&sections, raw, plan.View())
	}
	return fmt.Appendf(nil, introduction, table(raw), outline, sections.String()), nil
}

// documentation is what the sources say of a type: its comment, and a row of a
// table for each field that is an option.
type documentation struct {
	doc     string
	options []string
}

func documented(dir string) (map[string]documentation, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(set, files, "tenfold/strategy")
	if err != nil {
		return nil, err
	}
	types := map[string]documentation{}
	for _, t := range pkg.Types {
		d := documentation{doc: t.Doc}
		if fields, ok := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType); ok {
			for _, f := range fields.Fields.List {
				if f.Tag != nil {
					d.options = append(d.options, option(f.Doc.Text(), f.Tag.Value))
				}
			}
		}
		types[t.Name] = d
	}
	return types, nil
}

// option is the row of an option in the table of its strategy.
func option(comment, tag string) string {
	tag, unit := strings.CutSuffix(reflect.StructTag(strings.Trim(tag, "`")).Get("param"), " tokens")
	tag, off := strings.CutPrefix(tag, "!")
	key, usual, _ := strings.Cut(tag, "=")
	meaning, _, _ := strings.Cut(strings.ReplaceAll(prose(comment), "\n", " "), ". ")
	meaning = strings.TrimPrefix(strings.TrimPrefix(meaning, "is "), "are ")
	switch {
	case off: // its field says what false does
		usual, meaning = "true", "`false` "+meaning
	case usual == "":
		usual = "–"
	case unit:
		usual += " tokens"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", key, usual, strings.TrimSuffix(meaning, "."))
}

// ruleNumbers are the references to rules in comments.
var ruleNumbers = regexp.MustCompile(`\s\((semantics )?[A-Z]+-?\d+\w*(, [A-Z]+-?\d+\w*)*\)`)

// prose is a comment as the page has it: without the name it begins with, the
// numbers of rules and the links of Go.
func prose(comment string) string {
	_, text, _ := strings.Cut(strings.TrimSpace(comment), " ")
	return regexp.MustCompile(`\[([A-Z]\w+)\]`).ReplaceAllString(ruleNumbers.ReplaceAllString(text, ""), "`$1`")
}

// writer stands in for a model.
type writer struct{}

func (writer) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	return strategy.SummaryResult{Text: "The discount lost its cents in shop/total.go; fixed and tested. The rule: always round down."}, nil
}

func (writer) Classify(context.Context, strategy.ClassifyRequest) ([]strategy.Tangent, error) {
	return []strategy.Tangent{{Turn: 2, Reason: "about a cat"}}, nil
}
