package digest

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"tenfold/atom"
	"tenfold/internal/commandline"
	"tenfold/internal/set"
	"tenfold/tool"
)

// A verdict is what a command says of whether the work is good: a test, a build, a
// linter. It can always be run again, so its failure is what is red until a run
// of it passes that covers as much.
type verdict struct {
	// name is the program with its verb, such as "go test".
	name string
	// dir is where it runs.
	dir string
	// over is what it looks at, sorted; none for all there is. What ends in "." is a
	// directory without those in it.
	over []string
	// some is the filter that takes only some of that, as of go test -run.
	some string
}

// verdicts are programs that check, and the words that make others do.
var (
	verdicts = set.Words(`pytest tox nox jest vitest mocha ava tap playwright tsc eslint biome prettier mypy pyright ruff flake8 pylint black golangci-lint
		staticcheck gofmt gofumpt shellcheck rspec rubocop phpunit ctest ninja cmake xcodebuild tsup vite webpack rollup esbuild javac gcc g++ clang msbuild`)
	runners = set.Words(`go cargo npm yarn pnpm bun deno mise gradle gradlew mvn mvnw dotnet swift zig bazel mix rake bundle python python3 uv poetry npx bunx nx turbo node composer flutter dart`)
	targets = set.Words("make just task")
	checked = set.Words(`test tests build check lint vet typecheck type-check tsc compile clippy fmt format verify ci validate pytest unittest vitest jest`)
)

// starters start a program by its name; sameRunner are runners that run what another does.
var (
	starters   = set.Words("npx bunx uv poetry bundle python python3 pipenv hatch")
	sameRunner = map[string]string{"pnpm": "npm", "yarn": "npm", "python3": "python", "gradlew": "gradle", "mvnw": "mvn"}
)

// checksOf reads the checks of a command line that all have passed when it ends well;
// none where there are none. Where the line hides how they ended it is the last one.
func checksOf(known tool.Tool, line, dir string) (all []verdict) {
	if known.Kind == tool.Checks || known.Name == "cargo_test" {
		return []verdict{{name: known.Name}}
	}
	if known.Kind != tool.Shell {
		return nil
	}
	outer := dir // of a subshell
	for _, part := range commandline.Commands(line) {
		words := commandline.Words(strings.TrimRight(strings.TrimLeft(part, " ("), " )"))
		if strings.HasPrefix(strings.TrimLeft(part, " "), "(") {
			outer = dir
		}
		if len(words) == 2 && words[0] == "cd" {
			if dir = inDir(dir, tool.CleanPath(strings.Trim(words[1], `"')`))); strings.ContainsAny(dir, "$`~") {
				dir = tool.Elsewhere
			}
		}
		if c, ok := oneCheck(words); ok {
			c.dir = inDir(dir, c.dir)
			all = append(all, c)
		}
		if strings.HasSuffix(strings.TrimRight(part, " "), ")") {
			dir = outer
		}
	}
	if hidesResult(line) {
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
	case verdicts[c.name] && (slices.Contains(rest, "-w") || slices.Contains(rest, "--write")):
		return verdict{}, false // it writes; what it finds all builds find
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
		for i, w := range rest[:at] {
			flag, value, one := strings.Cut(w, "=")
			if !one && i+1 < at {
				value = strings.Trim(rest[i+1], `"'`)
			}
			switch flag {
			case "--prefix", "-C", "--cwd", "--dir":
				c.dir = tool.CleanPath(value)
			case "--filter", "-F", "--workspace", "-w":
				c.over = append(c.over, value)
			}
		}
		// What mends shows what is left as well as what only looks.
		verb := strings.TrimSuffix(strings.Trim(rest[at], `"'`), ":fix")
		if base := path.Base(verb); verdicts[base] && (starters[c.name] || at > 0 && rest[at-1] == "exec") {
			c.name = base // the same check, however it is started
		} else {
			c.name = cmp.Or(sameRunner[c.name], c.name) + " " + verb
		}
		rest = rest[at+1:]
	default:
		return verdict{}, false
	}
	c.readScope(rest)
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

// readScope reads what a check looks at.
func (c *verdict) readScope(words []string) {
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
		case strings.HasPrefix(w, "--workspace="):
			c.over = append(c.over, strings.TrimPrefix(w, "--workspace="))
		case w == "--workspace" && i+1 < len(words): // the next word says which
		case valued[w] && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			i++
		case strings.HasPrefix(w, "-"), strings.Trim(strings.TrimRight(w, "smh"), "0123456789.") == "" && strings.Trim(w, ".") != "":
		default:
			all := strings.HasSuffix(w, "...")
			w = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(w, "./"), "..."), "/")
			if strings.HasPrefix(c.name, "go ") && !all {
				w = path.Clean("./"+w) + "/."
			}
			if w == "" || w == "." {
				c.over = nil // all there is
				return
			}
			if file, name, one := strings.Cut(w, "::"); one {
				w, c.some = file, strings.TrimLeft(c.some+"|"+name, "|")
			}
			c.over = append(c.over, w)
		}
	}
	if len(c.over) == 0 && strings.HasPrefix(c.name, "go ") {
		c.over = []string{"./."}
	}
	slices.Sort(c.over)
	c.over = slices.Compact(c.over)
}

// valued are flags that a value follows which is nothing to look at.
var valued = set.Words("-timeout -count -tags -coverprofile -cpu -parallel -o -j -n -c --config --project --tb --reporter --maxfail --timeout --workers --log-level --outputFile --color -W --prefix --filter-regex")

// onlyReads reports whether a command line only looks, or keeps the books of git:
// nothing that somebody who goes on has to know.
func onlyReads(line string) bool {
	for _, part := range commandline.Commands(line) {
		words := strings.Fields(part)
		if len(words) > 0 && !looking[path.Base(words[0])] {
			return false
		}
	}
	return true
}

var looking = set.Words("git ls cat head tail sed grep rg find wc cd echo pwd which stat file tree diff sort uniq awk cut jq sleep ps tmux test true printf date env export set read less")

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
	suites   = set.Words("check ci verify")
	programs = set.Words("make just task mise npm")
	testers  = set.Words("jest mocha vitest pytest ava tap rspec phpunit ctest")
)

func (c verdict) runsTests() bool { return strings.Contains(c.name, "test") || testers[c.name] }

// isComplete reports whether it leaves nothing out.
func (c verdict) isComplete() bool { return len(c.over) == 0 && c.some == "" }

// runsAll reports whether a run of c is one of all checks, or all tests, of a
// project, and other one of those.
func (c verdict) runsAll(other verdict) bool {
	program, verb, _ := strings.Cut(c.name, " ")
	return programs[program] && c.isComplete() && (suites[verb] && program != "npm" || verb == "test" && other.runsTests()) && (c.dir == "" || sameDir(c.dir, other.dir) || within(other.dir, c.dir))
}

// builds are what other checks do first.
var builds = map[string][]string{
	"go build": {"go test", "go vet"}, "cargo check": {"cargo build", "cargo test", "cargo clippy"}, "cargo build": {"cargo test"},
}

// covers reports whether a run of c says all that a run of other says.
func (c verdict) covers(other verdict) bool {
	if c.runsAll(other) || c.isComplete() && strings.HasPrefix(other.name, c.name+":") && sameDir(c.dir, other.dir) { // a task of many
		return true
	}
	if c.name != other.name && !slices.Contains(builds[other.name], c.name) {
		return false
	}
	return (c.some == "" || c.some == other.some && slices.Equal(c.over, other.over)) && c.scopeIncludes(other)
}

// scopeIncludes reports whether c looks at all that other looks at.
func (c verdict) scopeIncludes(other verdict) bool {
	mine, theirs := c.over, other.over
	if c.dir != other.dir {
		program, _, _ := strings.Cut(c.name, " ")
		if pathwise[program] && tool.IsAbs(c.dir) == tool.IsAbs(other.dir) {
			mine, theirs = c.absoluteScope(), other.absoluteScope()
		} else if !sameDir(c.dir, other.dir) {
			return false
		}
	}
	if len(mine) == 0 {
		return true
	}
	for _, o := range theirs {
		if !slices.ContainsFunc(mine, func(mine string) bool { return o == mine || strings.HasPrefix(o, mine+"/") }) {
			return false
		}
	}
	return len(other.over) > 0 || len(theirs) > 0
}

// pathwise are programs that are told by paths what to look at, from any directory.
var pathwise = set.Words("go pytest ruff mypy eslint prettier biome flake8 golangci-lint staticcheck shellcheck rspec rubocop")

// absoluteScope gives what a check looks at with the directory it runs in.
func (c verdict) absoluteScope() []string {
	if len(c.over) == 0 && c.dir == "" {
		return nil
	}
	if len(c.over) == 0 {
		return []string{c.dir}
	}
	var all []string
	for _, o := range c.over {
		end := ""
		if strings.HasSuffix(o, "/.") {
			end = "/."
		}
		all = append(all, inDir(c.dir, tool.CleanPath(o))+end)
	}
	return all
}

// sameDir reports whether two commands may have run in the same directory: one
// that does not say where ran in that of the session. Of two the one may be told
// from there.
func sameDir(a, b string) bool {
	return a == b || a == "" || b == "" || tool.IsAbs(a) && strings.HasSuffix(a, "/"+b) || tool.IsAbs(b) && strings.HasSuffix(b, "/"+a)
}

// selects reports whether the filter of a check takes a test of this name.
func (c verdict) selects(name string) bool {
	_, filter, ok := strings.Cut(c.some, " ")
	if !ok {
		_, filter, ok = strings.Cut(c.some, "=")
	}
	if !ok {
		filter = c.some
	}
	for one := range strings.SplitSeq(strings.Trim(filter, `"'^$()`), "|") {
		if one = strings.Trim(one, "^$()"); one != "" && (one == name || strings.HasPrefix(name, one)) {
			return true
		}
	}
	return false
}

// failedTests are the tests that an output says failed, and the program that says it;
// none where that may not be all of them.
func failedTests(output string) (program string, names []string) {
	for line := range strings.SplitSeq(output, "\n") {
		line = strings.TrimSpace(atom.Clean(line))
		name := ""
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			program = "go test"
			name, _, _ = strings.Cut(rest, " ")
			name, _, _ = strings.Cut(name, "/")
		} else if rest, ok := strings.CutPrefix(line, "FAILED "); ok && strings.Contains(rest, "::") {
			program = "pytest"
			rest, _, _ = strings.Cut(rest, " ")
			_, name, _ = strings.Cut(rest, "::")
		} else if strings.HasPrefix(line, "FAIL\t") {
			program = cmp.Or(program, "go test")
		} else if strings.HasPrefix(line, "test result: FAILED") {
			program = "cargo test"
		}
		if name != "" && !slices.Contains(names, name) && len(names) < mostNames {
			names = append(names, name)
		}
	}
	return program, names
}

// mostNames is of how many tests it is remembered that they failed.
const mostNames = 50

// ranNone reports whether an output says that no test was run.
func ranNone(output string) bool {
	return strings.Contains(output, "no tests to run") || strings.Contains(output, "collected 0 items") || strings.Contains(output, "no tests ran")
}

// hidesResult reports whether the end of a command line hides how a check in it
// ended: a pipe, or a command after it that succeeds in any case.
func hidesResult(line string) bool {
	return strings.Contains(line, "|") || strings.Contains(line, ";") || strings.Contains(line, "\n")
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
