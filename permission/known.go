package permission

import (
	"path"
	"slices"
	"strings"
)

// guarded are names of directories and files that other programs run or obey by
// themselves. Edits of them are asked about each time.
var guarded = []string{
	".git", ".hg", ".jj", ".tenfold", ".claude", ".codex", ".gemini", ".opencode", ".pi", ".cursor", ".windsurf", ".kiro", ".qwen",
	".vscode", ".idea", ".zed", ".devcontainer", ".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".husky", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml",
	".cargo", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs",
	".envrc", ".mcp.json", ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".gitconfig", ".ssh",
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
	short    string // options of one letter
	operands int
}

// readers are the commands that may run where no command can be contained. None of git's
// is: a repository's configuration names programs that git runs as it looks at files
// (core.fsmonitor, filters), shows a commit, or fetches one that is missing.
var readers = map[string]reader{
	"pwd": {"LP", 0}, "true": {"", 99}, "false": {"", 99}, "echo": {"neE", 99}, "date": {"", 0},
	"whoami": {"", 0}, "uname": {"asnrvmpio", 0}, "nproc": {"", 0}, "basename": {"", 2}, "dirname": {"", 9},
	"ls": {"aAlhtrSR1FdiGgnopsmx", 99}, "cat": {"nAbsvETe", 0}, "head": {"ncqv", 0}, "tail": {"ncqv", 0},
	"wc": {"lwcmL", 0}, "sort": {"nrufbdghV", 0}, "uniq": {"cdui", 0}, "cut": {"dfcbs", 0}, "tr": {"dscC", 2},
	"nl": {"ba", 0}, "grep": {"iEFGPvnwxcoqhABCm", 1},
}

// onlyReads tells whether a command of a script that is plain is known to read only.
func (s script) onlyReads(words []word) bool {
	all, known := literal(words)
	return known && !s.reads && !s.moves && isReader(all)
}

func isReader(words []string) bool {
	r, ok := readers[words[0]]
	if !ok {
		return false
	}
	operands, ended := 0, false
	for i, w := range words[1:] {
		switch {
		case strings.HasPrefix(words[i], "-") && strings.Trim(w, "0123456789") == "": // head -n 5
		case ended || !strings.HasPrefix(w, "-") || w == "-":
			operands++
			if operands > r.operands || outside(w) {
				return false
			}
		case w == "--":
			ended = true
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
