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
	".config/github-copilot", ".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg", ".oci", ".kube", ".docker", ".config/containers",
	".config/doctl", ".config/hcloud", ".config/linode-cli", ".fly", ".config/netlify", ".local/share/com.vercel.cli", ".config/.wrangler",
	".cloudflared", ".config/ngrok", ".databrickscfg", ".config/op", ".config/rclone", ".config/sops", ".config/stripe", ".config/age",
	".terraform.d", ".pulumi/credentials.json", ".vault-token", ".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials",
	".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json", ".config/composer/auth.json",
	".m2/settings.xml", ".gradle/gradle.properties", ".ivy2/.credentials", ".sbt/.credentials",
	".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".kaggle", ".pgpass", ".my.cnf", ".password-store", ".local/share/keyrings",
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/microsoft-edge", ".config/BraveSoftware",
	".config/Slack", ".config/discord", ".config/Signal", ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json",
	".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json", ".pi/agent/auth.json", ".bash_history", ".zsh_history",
	".config/fish/fish_variables", ".local/share/fish/fish_history", ".psql_history", ".mysql_history",
}

// moves are the variables by which a person keeps something of inHome elsewhere.
var moves = map[string]string{ //nolint:gosec // names, not credentials
	"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_CACHE_HOME": ".cache", "GNUPGHOME": ".gnupg", "NETRC": ".netrc",
	"GH_CONFIG_DIR": ".config/gh", "AWS_SHARED_CREDENTIALS_FILE": ".aws", "AWS_CONFIG_FILE": ".aws", "AZURE_CONFIG_DIR": ".azure",
	"CLOUDSDK_CONFIG": ".config/gcloud", "GOOGLE_APPLICATION_CREDENTIALS": ".config/gcloud", "KUBECONFIG": ".kube", "DOCKER_CONFIG": ".docker",
	"REGISTRY_AUTH_FILE": ".config/containers", "NPM_CONFIG_USERCONFIG": ".npmrc", "CARGO_HOME": ".cargo", "COMPOSER_HOME": ".config/composer",
	"GRADLE_USER_HOME": ".gradle", "HF_HOME": ".cache/huggingface", "KAGGLE_CONFIG_DIR": ".kaggle", "PGPASSFILE": ".pgpass",
	"PASSWORD_STORE_DIR": ".password-store", "CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex", "PI_CODING_AGENT_DIR": ".pi/agent",
}

// homes are the home directories of the user.
func homes() []string {
	all := []string{os.Getenv("HOME")}
	if u, err := user.Current(); err == nil {
		all = append(all, u.HomeDir)
	}
	return slices.DeleteFunc(all, func(home string) bool { return !filepath.IsAbs(home) })
}

// Secrets lists the files and directories, absolute, that no contained command can
// read. They need not exist.
func Secrets() []string {
	var all []string
	for _, home := range homes() {
		for _, name := range inHome {
			all = append(all, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	return all
}

// moved lists what the environment says of where such files are kept. What a directory of
// the work has in it is read all the same.
func moved() []string {
	var all []string
	for variable, from := range moves {
		for _, to := range filepath.SplitList(os.Getenv(variable)) {
			for _, name := range inHome {
				path := filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(name, from)))
				if filepath.IsAbs(path) && within(name, from) && !holds(path, homes()) {
					all = append(all, path)
				}
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
