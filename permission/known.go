package permission

import (
	"path"
	"slices"
	"strings"
)

// guarded are names of directories and files that other programs run or obey by
// themselves. Edits of them are asked about each time.
var guarded = []string{
	".git", ".tenfold", ".claude", ".codex", ".gemini", ".opencode", ".pi", ".cursor", ".vscode", ".idea", ".husky",
	".envrc", ".mcp.json", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".gitconfig", ".ssh",
}

// movers are the commands that change the directory for those that follow.
var movers = []string{"cd", "pushd", "popd", "chdir"}

// launchers are programs that run what they are given.
var launchers = strings.Fields(`
	. source eval exec command builtin trap alias coproc bind complete time
	sh bash dash ash zsh ksh mksh fish csh tcsh pwsh powershell cmd busybox toybox
	env sudo doas su run0 pkexec runuser setpriv chroot unshare nsenter systemd-run at batch crontab
	xargs parallel nice ionice nohup timeout stdbuf setsid setarch chrt taskset flock watch script expect ssh mosh rsh strace ltrace gdb
	unbuffer entr tmux screen direnv start-stop-daemon tar rsync sed awk gawk mawk nawk vi vim nvim ex ed emacs less more man
`)

// changers are commands of the shell that change what later commands are or do, or
// that evaluate what they are given as a variable's index.
var changers = strings.Fields(`
	unalias export declare typeset readonly local set shift shopt enable hash let read mapfile readarray unset getopts compgen fc jobs wait
	times test [ [[ umask ulimit
`)

// options are those by which a program that else does one thing runs another; what
// begins with them counts, as programs take the beginnings of long ones.
var options = map[string][]string{
	"find": {"-exec", "-ok", "-delete", "-fprint", "-fls"},
	"fd":   {"-x", "-X", "--ex"},
	"sort": {"--co"}, "printf": {"-v"},
	"rg":  {"--pre", "--hostname-bin"},
	"go":  {"-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool", "-overlay", "--overlay"},
	"git": {"--exe", "--upl", "--rece", "--ext", "--te", "--ou", "--op", "-O"},
	// Some options mean this only with one of git's commands.
	"git clone": {"-u", "-c", "--co"}, "git rebase": {"-x"}, "git bisect": {"run"}, "git submodule": {"foreach"}, "git config": {""},
	"git difftool": {""}, "git mergetool": {""}, "git filter-branch": {""}, "git hook": {""},
}

// runsOthers tells whether a command may run a program other than its own, so that
// its first words do not say what it does.
func runsOthers(words []word) bool {
	name := program(words)
	if slices.Contains(launchers, name) || name == "git" && len(words) > 1 && strings.HasPrefix(words[1].text, "-") {
		return true // options before git's own command, such as -c, are git's own
	}
	all := options[name]
	if name == "git" && len(words) > 1 {
		all = slices.Concat(all, options["git "+words[1].text])
	}
	return slices.ContainsFunc(words[1:], func(w word) bool {
		return slices.ContainsFunc(all, func(option string) bool { return w.known && strings.HasPrefix(w.text, option) })
	})
}

// isSpecial tells whether only its exact words say what a command does.
func isSpecial(words []word) bool {
	name := program(words)
	if runsOthers(words) || slices.Contains(changers, name) {
		return true
	}
	_, known := literal(words)
	return !known && options[name] != nil // it may be one of the options
}

// A reader is a program that only reads, with these options and at most so many
// operands. The contents of files are for the tool that reads them, which does
// not follow links out of the workspace; of these most read only what they are
// piped.
type reader struct {
	short    string
	long     []string
	operands int
}

var gitReader = reader{"nsbupwo", strings.Fields(`
	--oneline --stat --shortstat --numstat --short --branch --porcelain --cached --staged --name-only --name-status --patch --no-patch --all --graph
	--decorate --abbrev-ref --show-toplevel --verify --show-current --summary --max-count --since --until --author --grep --format --pretty --reverse
	--follow --no-color --no-merges --merges --others --exclude-standard --word-diff --unified --no-ext-diff --no-textconv`), 99}

// readers are the commands that may run where no command can be contained.
var readers = map[string]reader{
	"pwd": {"LP", nil, 0}, "true": {"", nil, 99}, "false": {"", nil, 99}, "echo": {"neE", nil, 99}, "date": {"", nil, 0},
	"whoami": {"", nil, 0}, "uname": {"asnrvmpio", nil, 0}, "nproc": {"", nil, 0}, "basename": {"", nil, 2}, "dirname": {"", nil, 9},
	"ls": {"aAlhtrSR1FdiGgnopsmx", nil, 99}, "cat": {"nAbsvETe", nil, 0}, "head": {"ncqv", nil, 0}, "tail": {"ncqv", nil, 0},
	"wc": {"lwcmL", nil, 0}, "sort": {"nrufbdghV", nil, 0}, "uniq": {"cdui", nil, 0}, "cut": {"dfcbs", nil, 0}, "tr": {"dscC", nil, 2},
	"nl": {"ba", nil, 0}, "grep": {"iEFGPvnwxcoqhABCm", nil, 1},
}

// gitReaders are those of git's own commands that may.
var gitReaders = map[string]reader{
	"status": gitReader, "log": gitReader, "diff": gitReader, "show": gitReader, "rev-parse": gitReader, "ls-files": gitReader, "blame": gitReader,
	"shortlog": gitReader, "describe": gitReader, "branch": {"avr", []string{"--list", "--all", "--remotes", "--show-current"}, 0},
}

// onlyReads tells whether a command of a script that is plain is known to read only.
func (s script) onlyReads(words []word) bool {
	all, known := literal(words)
	return known && !s.reads && !s.moves && isReader(all)
}

func isReader(words []string) bool {
	first := 1
	r, ok := readers[words[0]]
	if words[0] == "git" && len(words) > 1 {
		first = 2
		r, ok = gitReaders[words[1]]
	}
	if !ok {
		return false
	}
	operands, ended := 0, false
	for i, w := range words[first:] {
		long, _, _ := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(words[first+i-1], "-") && strings.Trim(w, "0123456789") == "": // head -n 5
		case ended || !strings.HasPrefix(w, "-") || w == "-":
			operands++
			if operands > r.operands || outside(w) {
				return false
			}
		case w == "--":
			ended = true
		case strings.HasPrefix(w, "--"):
			if !slices.Contains(r.long, long) {
				return false
			}
		case strings.Trim(w[1:], r.short+"0123456789") != "":
			return false
		}
	}
	return true
}

// outside tells whether an operand may name a file outside of the workspace.
func outside(operand string) bool {
	return path.IsAbs(operand) || strings.HasPrefix(operand, "~") || strings.Contains(operand, `\`) || strings.Contains(operand, ":/") ||
		slices.Contains(strings.Split(operand, "/"), "..")
}
