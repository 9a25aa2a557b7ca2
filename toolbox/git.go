package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/number"
	"tenfold/toolbox/internal/output"
	"tenfold/toolbox/internal/process"
)

var diffTool = &builtin{
	name:       "git_diff",
	about:      "Show what has changed since the last commit, staged or not, and which files git does not know yet.",
	parameters: []parameter{{name: "path", about: "Only this file or directory. Default: the workspace."}},
	intent:     onPath(Reads),
	run: func(ctx context.Context, w *workspace, a arguments, c Call) (Result, error) {
		at, err := w.place(a.path())
		if err != nil {
			return Result{}, err
		}
		if err := w.isWorkTree(ctx); err != nil {
			return Result{}, err
		}
		base := "HEAD"
		if _, err := w.gitOutput(ctx, ".", 100, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
			base = "--cached" // nothing was committed yet
		}
		place := ":(literal)" + at.real // and no pattern, nor a word of git's that leads elsewhere
		diff := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"}
		changed, err := w.gitOutput(ctx, ".", 64<<20, append(diff, "--name-only", "-z", "--no-renames", "--relative", base, "--", place)...)
		if err != nil {
			return Result{}, err
		}
		diff = append(diff, base, "--", place)
		var shown, hidden []string
		for name := range strings.SplitSeq(strings.TrimSuffix(changed, "\x00"), "\x00") {
			if name != "" && c.Hidden != nil && c.Hidden(name) {
				hidden = append(hidden, name)
			} else {
				shown = append(shown, name)
			}
		}
		diff = append(diff, excluding(hidden, shown)...)
		kept := output.Buffer{Limit: w.Limit - 3000}
		if err := w.look(ctx, ".", &kept, diff...); err != nil {
			return Result{}, err
		}
		text := cmp.Or(kept.Text(), "no changes in "+show(at.name)+"\n")
		if len(hidden) > 0 {
			text += fmt.Sprintf("[%s not shown: denied by a rule]\n", number.Count(len(hidden), "file"))
		}
		others, err := w.gitOutput(ctx, ".", 1<<20, "ls-files", "-z", "--others", "--exclude-standard", "--directory", "--", place)
		if err != nil {
			return Result{}, err
		}
		names := slices.DeleteFunc(strings.Split(others, "\x00"), func(name string) bool { return name == "" })
		if len(names) > 0 {
			for i, name := range names {
				names[i] = show(name)
			}
			text += "[not known to git:]\n" + bounded(names, 20, 2500)
		}
		return answer("%s", text)
	},
}

// excluding gives the patterns of git's that leave out what is hidden. A directory with
// nothing that is shown is one of them: the arguments of a command have only so much room.
func excluding(hidden, shown []string) (patterns []string) {
	holds := map[string]bool{".": true}
	for _, name := range shown {
		for ; !holds[name]; name = path.Dir(name) {
			holds[name] = true
		}
	}
	for _, name := range hidden {
		for !holds[path.Dir(name)] {
			name = path.Dir(name)
		}
		patterns = append(patterns, ":(exclude,literal)"+name)
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

var commitTool = &builtin{
	name:       "git_commit",
	about:      "Commit what is staged; if nothing is, all changes of the workspace, new files included.",
	parameters: []parameter{{name: "message", about: "The commit's message.", required: true}},
	intent: func(a arguments) Intent {
		quoted := "'" + strings.ReplaceAll(a.texts["message"], "'", `'\''`) + "'"
		return Intent{Effect: Commands, Command: "git add --all . && git commit --message=" + quoted, Subject: a.texts["message"]}
	},
	run: func(ctx context.Context, w *workspace, a arguments, c Call) (Result, error) {
		if strings.TrimSpace(a.texts["message"]) == "" {
			return Result{}, errors.New("the message is empty")
		}
		staged, err := w.gitOutput(ctx, ".", 1000, "diff", "--cached", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty")
		if err != nil {
			return Result{}, err
		}
		steps := [][]string{{"git", "add", "--all", "."}, {"git", "commit", "--file=-"}}
		if staged != "" {
			steps = steps[1:]
		}
		var r Result
		for _, argv := range steps {
			cmd, err := w.command(ctx, c, ".", argv...)
			if err != nil {
				return Result{}, err
			}
			if r, err = w.runForModel(ctx, cmd, w.Timeout, c, []byte(a.texts["message"])); err != nil || r.Outcome.Bad() {
				return r, err
			}
		}
		return r, nil
	},
}

// isWorkTree reports an error unless the workspace lies in the work tree that git
// finds from it: a configuration that comes with a repository can name another, and
// with it files that are none of the workspace's.
func (w *workspace) isWorkTree(ctx context.Context) error {
	top, err := w.gitOutput(ctx, ".", 1<<16, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(strings.TrimSuffix(top, "\n"), w.real)
	if err != nil || !filepath.IsLocal(rel) {
		return errors.New("the work tree of this repository is not the workspace")
	}
	return nil
}

// gitOutput runs git where it only looks, and gives what it prints, as it is.
func (w *workspace) gitOutput(ctx context.Context, dir string, limit int, args ...string) (string, error) {
	out := output.Capped{Limit: limit}
	err := w.look(ctx, dir, &out, args...)
	return out.String(), err
}

// look runs git where it only looks: nothing that a repository brings with it may
// make it run a program, write, or ask the network.
func (w *workspace) look(ctx context.Context, dir string, out io.Writer, args ...string) error {
	env := slices.DeleteFunc(process.Environ(w.Secrets), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG_") && name != "GIT_CEILING_DIRECTORIES"
	})
	settings := []string{"core.fsmonitor", "false", "core.hooksPath", "/dev/null", "core.quotePath", "false"}
	if args[0] == "diff" { // it may run a file's content through a program that the repository names
		filters, err := w.filters(ctx, dir)
		if err != nil {
			return err
		}
		settings = append(settings, filters...)
	}
	env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)/2))
	for i, setting := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_%s_%d=%s", [...]string{"KEY", "VALUE"}[i%2], i/2, setting))
	}
	cmd, err := w.command(ctx, Call{}, dir, append([]string{"git", "--no-pager"}, args...)...)
	if err != nil {
		return err
	}
	cmd.Env = env
	problems := output.Buffer{Limit: 2000}
	end, err := process.Run(ctx, cmd, searchTime, process.Streams{Out: out, Err: &problems})
	switch {
	case err != nil:
		return err
	case end.Interrupted:
		return ctx.Err()
	case end.TimedOut:
		return fmt.Errorf("git did not answer within %s", searchTime)
	case end.Code != 0:
		return fmt.Errorf("git: %s (exit code %d)", strings.TrimPrefix(strings.TrimSpace(problems.Text()), "fatal: "), end.Code)
	}
	return nil
}

// filters are settings that turn off the filters which a repository's own
// configuration names; those of the person's own run.
func (w *workspace) filters(ctx context.Context, dir string) ([]string, error) {
	list, err := w.gitOutput(ctx, dir, 1<<20, "config", "--null", "--show-scope", "--name-only", "--list")
	if err != nil {
		return nil, err
	}
	var off []string
	words := strings.Split(list, "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		scope, key := words[i], words[i+1]
		if scope != "system" && scope != "global" && strings.HasPrefix(key, "filter.") {
			value := ""
			if strings.HasSuffix(key, ".required") {
				value = "false"
			}
			off = append(off, key, value)
		}
	}
	return off, nil
}
