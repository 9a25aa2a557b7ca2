package cli

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenfold/internal/cli/terminal"
)

// The tour is a page of which each block is run: a line that begins with "$ "
// is a command line, and what follows it is what it says. -update writes what
// it says now.
func TestTour(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "tour.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"session.jsonl", "answers.jsonl"} {
		example, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), example, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page, err = filepath.Abs(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, value := range map[string]string{
		"TENFOLD_STORE": "sqlite://tour.db", "TZ": "UTC", "HOME": dir, "XDG_CONFIG_HOME": dir, "XDG_DATA_HOME": dir, "EDITOR": "true", "VISUAL": "",
	} {
		t.Setenv(name, value)
	}
	var out strings.Builder
	blocks, inBlock := 0, false
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console"
			if inBlock {
				blocks++
			} else if line != "```" {
				t.Errorf("line %d: a block that is not run: %s", i+1, line)
			}
			out.WriteString(line + "\n")
		case inBlock && strings.HasPrefix(line, "$ "):
			var want []string
			for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") && !strings.HasPrefix(lines[i+1], "```") {
				i++
				want = append(want, lines[i])
			}
			got := tourCommand(t, strings.TrimPrefix(line, "$ "))
			if strings.Join(want, "\n") != strings.TrimSuffix(got, "\n") && !*update {
				t.Errorf("%s\n says:\n%s\n the tour has:\n%s", line, got, strings.Join(want, "\n"))
			}
			out.WriteString(line + "\n" + got)
		case i == len(lines)-1 && line == "":
		default:
			out.WriteString(line + "\n")
		}
	}
	if blocks < 5 {
		t.Errorf("the tour has %d blocks", blocks)
	}
	if *update {
		if err := os.WriteFile(page, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var tourWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// tourCommand runs one line: tenfold, or "cmd | head -n" of it, or "cmd | grep -A n TEXT",
// which is a line with the text and n more.
func tourCommand(t *testing.T, line string) string {
	t.Helper()
	line, most, cut := strings.Cut(line, " | head -")
	line, after, grep := strings.Cut(line, " | grep -A ")
	var words []string
	for _, w := range tourWord.FindAllString(line, -1) {
		words = append(words, strings.Trim(w, `'"`))
	}
	if len(words) == 0 || words[0] != "tenfold" {
		t.Fatalf("the tour runs tenfold only, not %q", line)
	}
	var out bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &out}
	Run(t.Context(), words[1:], term)
	text := strings.ReplaceAll(out.String(), os.Getenv("HOME"), "/home/dev/tenfold")
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	lines := strings.SplitAfter(text, "\n")
	if cut {
		lines = lines[:min(digits(most), len(lines))]
	}
	if grep {
		more, sought, _ := strings.Cut(after, " ")
		first := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, sought) })
		if first < 0 {
			t.Fatalf("nothing says %s:\n%s", sought, text)
		}
		lines = lines[first:min(first+1+digits(more), len(lines))]
	}
	return strings.Join(lines, "")
}

func digits(text string) int {
	n := 0
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n
}

// What the README shows of its first command is what the tour, which is run, shows.
func TestReadmeShowsWhatTheTourShows(t *testing.T) {
	t.Parallel()
	read := func(name ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tour := read("docs", "tour.md")
	_, block, _ := strings.Cut(read("README.md"), "$ go run ./cmd/tenfold compact examples/session.jsonl\n")
	block, _, ok := strings.Cut(block, "\n\n")
	if !ok || !strings.Contains(tour, block) {
		t.Errorf("the README shows\n%s\nwhich docs/tour.md does not", block)
	}
}
