package commandline_test

import (
	"testing"

	"tenfold/internal/commandline"
)

// Blanks, comments in front and how much of the output is wanted make no other command.
func TestKey(t *testing.T) {
	for line, want := range map[string]string{
		"make  all 2>&1":             "make all",
		"# build\n\nmake all;":       "make all",
		"go test ./... | tail -n 20": "go test ./... | tail",
		"go test ./... | tail -20":   "go test ./... | tail",
		"echo 'a  b'  \"c  d\"":      "echo 'a  b' \"c  d\"",
		"make a\n# then\nmake b":     "make a \n # then \n make b",
		"":                           "",
	} {
		if got := commandline.Key(line); got != want {
			t.Errorf("%q has the key %q, want %q", line, got, want)
		}
	}
}

func TestTriedAgain(t *testing.T) {
	for _, c := range []struct {
		failed, by string
		want       bool
	}{
		{"sh run.sh a", "sh run.sh a", true},
		{`sh "run.sh" a`, "sh 'run.sh' a", true},
		{"sh run.sh", "CONV=1 sh run.sh", true},
		{"OS=b sh run.sh", "OS=b CONV=1 sh run.sh", true},
		{"OS=b sh run.sh", "OS=c sh run.sh", false},
		{"OS=b sh run.sh", "sh run.sh", false},
		{"sh run.sh a", "sh run.sh b", false},
		{`sh "a" "b"`, `sh "a b"`, false},
		{`sh ""`, "sh", false},
		{"A=1", "A=2", false},
		{"make; make", "make; make", false}, // who knows which
		{"echo $A", "echo $A", false},
		{"", "", false},
	} {
		if got := commandline.RunOf(c.failed).TriedAgain(commandline.RunOf(c.by)); got != c.want {
			t.Errorf("%s, by %s: %t", c.failed, c.by, got)
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	f.Add(`A=1 sh "x y" 'z' | tail -5; # done`)
	f.Fuzz(func(t *testing.T, line string) {
		key := commandline.Key(line)
		if r := commandline.RunOf(key); len(r.Words) > 0 && !r.TriedAgain(r) {
			t.Errorf("%q is not itself", line)
		}
		commandline.Commands(line)
	})
}

func TestSameUse(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"gh pr view 5 --json a", "gh pr view 5 --json b", true},
		{"gh pr view 5", "gh issue view 5", false},
		{"gh pr create --tittle a", "gh pr view 5", false},
		{"docker compose up --detatch", "docker compose down", false},
		{"docker compose up --detatch", "docker compose up -d", true},
		{"go test --foo ./a", "go test ./...", true},
		{"go test ./a --foo", "go test ./...", true},
		{"uv run pytest --cov", "uv run pytest", true},
		{"uv run pytest --cov", "uv run ruff check", false},
		{"npm run biuld", "npm run lint", false},
		{"python -m pytest --cov", "python -m pytest", true},
		{"python -m pytest --cov", "python -m black .", false},
		{"sudo apt-get instal a", "sudo systemctl restart b", false},
		{"kubectl -n shop aply -f a", "kubectl -n shop get pods", false},
		{"make a", "make", false},
		{"", "", false},
	} {
		if got := commandline.RunOf(c.was).SameUse(commandline.RunOf(c.is)); got != c.want {
			t.Errorf("%q, then %q: %t", c.was, c.is, got)
		}
	}
}
