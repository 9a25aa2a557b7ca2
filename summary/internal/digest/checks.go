package digest

import (
	"path"
	"slices"
	"strings"

	"tenfold/atom"
	"tenfold/cause"
	"tenfold/tool"
)

// A verdict is what a command says of whether the work is good: a test, a build, a
// linter. It can always be run again, so its failure is what is red until a run
// of it passes that covers as much.
type verdict struct {
	// name is the program with its verb, such as "go test".
	name string
	// over is what it looks at, sorted; none for all there is.
	over []string
	// some is the filter that takes only some of that, as of go test -run.
	some string
}

// verdicts are programs that check, and the words that make others do.
var (
	verdicts = wordSet(`pytest tox nox jest vitest mocha ava tap playwright tsc eslint biome prettier mypy pyright ruff flake8 pylint black golangci-lint
		staticcheck gofmt gofumpt shellcheck rspec rubocop phpunit ctest ninja cmake xcodebuild tsup vite webpack rollup esbuild javac gcc g++ clang msbuild`)
	runners = wordSet(`go cargo npm yarn pnpm bun deno mise gradle gradlew mvn mvnw dotnet swift zig bazel mix rake bundle python python3 uv poetry npx bunx nx turbo node composer flutter dart`)
	targets = wordSet("make just task")
	checked = wordSet(`test tests build check lint vet typecheck type-check tsc compile clippy fmt format verify ci validate pytest unittest vitest jest`)
)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// checksOf reads the checks of a command line that all have passed when it ends well;
// none where there are none. Where the line hides how they ended it is the last one.
func checksOf(known tool.Tool, line string) (all []verdict) {
	if known.Kind == tool.Checks || known.Name == "cargo_test" {
		return []verdict{{name: known.Name}}
	}
	if known.Kind != tool.Shell {
		return nil
	}
	for _, part := range partsOf(line) {
		if c, ok := oneCheck(fields(part)); ok {
			all = append(all, c)
		}
	}
	if masked(line) {
		return all[max(0, len(all)-1):]
	}
	return all
}

func oneCheck(words []string) (verdict, bool) {
	words = program(words)
	if len(words) == 0 {
		return verdict{}, false
	}
	c := verdict{name: path.Base(strings.Trim(words[0], `"'(`))}
	rest := words[1:]
	switch {
	case verdicts[c.name]:
	case targets[c.name]:
		for _, w := range rest { // each target is a check of its own
			if !strings.ContainsAny(w, "<>") {
				c.name += " " + w
			}
		}
		return c, true
	case runners[c.name]:
		at := slices.IndexFunc(rest[:min(len(rest), 5)], isVerb)
		if at < 0 {
			return verdict{}, false
		}
		// What mends shows what is left as well as what only looks.
		c.name, rest = c.name+" "+strings.TrimSuffix(strings.Trim(rest[at], `"'`), ":fix"), rest[at+1:]
	default:
		return verdict{}, false
	}
	c.look(rest)
	return c, true
}

// program leaves out what stands before the name of a program.
func program(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "timeout" && len(words) > 1:
			words = words[2:]
		case w == "time", w == "sudo", w == "env", w == "exec", w == "(", strings.Contains(w, "="):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// isVerb reports whether a word of a runner's command line makes it check.
func isVerb(word string) bool {
	verb, _, _ := strings.Cut(strings.Trim(word, `"'`), ":")
	return checked[verb] || verdicts[path.Base(verb)]
}

// look reads what a check looks at.
func (c *verdict) look(words []string) {
	for i := 0; i < len(words); i++ {
		w := strings.Trim(words[i], `"'`)
		switch {
		case w == ">", w == "2>":
			i++
		case strings.HasPrefix(w, "2>"), strings.HasPrefix(w, ">"):
		case isFilter(w):
			c.some += w
			if i+1 < len(words) && !strings.Contains(w, "=") {
				i++
				c.some += " " + words[i]
			}
		case strings.HasPrefix(w, "-"):
		default:
			w = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(w, "./"), "..."), "/")
			if w == "" || w == "." {
				c.over = nil // all there is
				return
			}
			if file, name, one := strings.Cut(w, "::"); one {
				w, c.some = file, name
			}
			c.over = append(c.over, w)
		}
	}
	slices.Sort(c.over)
}

// glances reports whether a command line only looks, or keeps the books of git:
// nothing that somebody who goes on has to know.
func glances(line string) bool {
	for _, part := range partsOf(line) {
		words := strings.Fields(part)
		if len(words) > 0 && !looking[path.Base(words[0])] {
			return false
		}
	}
	return true
}

var looking = wordSet("git ls cat head tail sed grep rg find wc cd echo pwd which stat file tree diff sort uniq awk cut jq sleep ps tmux test true printf date env export set read less")

// isFilter knows the flags that choose tests by name.
func isFilter(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	switch name {
	case "-run", "--run", "-skip", "-k", "-t", "--testNamePattern", "--test-name-pattern", "--grep", "-g", "--filter":
		return true
	}
	return false
}

// suites run all that a project is checked by, and all its tests, whatever runs
// one of them.
var (
	suites   = wordSet("check ci verify")
	programs = wordSet("make just task mise")
)

// runsAll reports whether a run of c is one of all checks, or all tests, of a
// project, and other one of those.
func (c verdict) runsAll(other verdict) bool {
	program, verb, _ := strings.Cut(c.name, " ")
	return programs[program] && (suites[verb] || verb == "test" && strings.Contains(other.name, "test"))
}

// covers reports whether a run of c says all that a run of other says.
func (c verdict) covers(other verdict) bool {
	if c.runsAll(other) || len(c.over) == 0 && c.some == "" && strings.HasPrefix(other.name, c.name+":") { // a task of many
		return true
	}
	if c.name != other.name || c.some != "" && (c.some != other.some || !slices.Equal(c.over, other.over)) {
		return false
	}
	if len(c.over) == 0 {
		return true
	}
	for _, o := range other.over {
		if !slices.ContainsFunc(c.over, func(mine string) bool { return o == mine || strings.HasPrefix(o, mine+"/") }) {
			return false
		}
	}
	return len(other.over) > 0
}

// masked reports whether the end of a command line hides how a check in it
// ended: a pipe, or a command after it that succeeds in any case.
func masked(line string) bool {
	return strings.Contains(line, "|") || strings.Contains(line, ";") || strings.Contains(line, "\n")
}

// looksRed reports whether the output of a check tells of a failure, for lines
// that hide how it ended. A count decides; else lines that only a failure prints
// do. Tests print errors of their own, so that those count for other checks alone.
func (c verdict) looksRed(output string) bool {
	output = output[max(0, len(output)-1<<12):]
	tests := strings.Contains(c.name, "test") || c.name == "jest" || c.name == "mocha"
	red, none := false, false
	for line := range strings.SplitSeq(output, "\n") {
		line = atom.Clean(line)
		failures, counted := cause.Failures(line)
		if failures > 0 {
			return true
		}
		none = none || counted
		n := cause.Proves(line)
		red = red || line == "FAIL" || n == cause.Test || strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "npm ERR! ") || strings.HasPrefix(line, "panic: ") ||
			strings.HasPrefix(line, "error: script ") || strings.HasPrefix(line, "error: could not compile") || strings.HasPrefix(line, "make: *** ") ||
			!tests && n == cause.Error && !cause.NamesException(line)
	}
	return red && !none
}

// looksGreen reports whether the output of a check tells that it passed, or is
// empty, as that of a linter.
func looksGreen(output string) bool {
	output = output[max(0, len(output)-1<<12):]
	if strings.TrimSpace(output) == "" {
		return true
	}
	for line := range strings.SplitSeq(output, "\n") {
		if line = strings.TrimSpace(line); line == "PASS" || strings.HasPrefix(line, "ok  ") || strings.HasPrefix(line, "ok\t") || strings.HasPrefix(line, "✓ ") {
			return true
		}
		folded := strings.ToLower(line)
		for _, word := range []string{"passed", " passing", "test result: ok", "build succeeded", "built in", "compiled successfully", "0 errors", "0 issues", "no issues", "0 fail", "exited with code 0", "success"} {
			if strings.Contains(folded, word) {
				return true
			}
		}
	}
	return false
}
