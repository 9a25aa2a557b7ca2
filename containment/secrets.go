package containment

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// inHome are the files and directories below the home directory in which common
// programs keep what lets one act as the user.
var inHome = []string{
	".ssh", ".gnupg", ".netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub",
	".aws", ".azure", ".config/gcloud", ".oci", ".kube", ".docker", ".config/doctl", ".config/op", ".config/rclone", ".config/sops",
	".terraform.d", ".vault-token", ".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
	".m2/settings.xml", ".gradle/gradle.properties", ".pgpass", ".my.cnf", ".password-store", ".local/share/keyrings",
	".mozilla", ".config/google-chrome", ".config/chromium", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json",
	".local/share/opencode/auth.json", ".pi/agent/auth.json", ".bash_history", ".zsh_history", ".config/fish/fish_variables",
}

// Secrets lists the files and directories, absolute, that no contained command can
// read. They need not exist.
func Secrets() []string {
	homes := []string{os.Getenv("HOME")}
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
	}
	var all []string
	for _, home := range homes {
		for _, name := range inHome {
			if filepath.IsAbs(home) {
				all = append(all, filepath.Join(home, filepath.FromSlash(name)))
			}
		}
	}
	return all
}

// resolved are the paths that exist, with links followed.
func resolved(paths []string) []string {
	var out []string
	for _, p := range paths {
		if to, err := filepath.EvalSymlinks(p); err == nil && filepath.IsAbs(to) {
			out = append(out, to)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// within tells whether a path is dir or below it; both are clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// holds tells whether one of the paths is dir or below it.
func holds(dir string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return within(p, dir) })
}

// around lists what there is but the hidden: files and directories that together
// hold everything that is not hidden. Rules can only grant, so to keep one entry
// of a directory back all others have to be named. Links are left out: they lead
// to what is named elsewhere, or to what is hidden.
func around(dir string, hidden []string) (out []string) {
	if !holds(dir, hidden) {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&os.ModeSymlink != 0 || slices.Contains(hidden, path) {
			continue
		}
		out = append(out, around(path, hidden)...)
	}
	return out
}
