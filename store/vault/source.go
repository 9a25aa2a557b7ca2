package vault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"tenfold/problem"
)

// The environment variables that say where master keys come from; at most one of them
// may be set. Nothing else names them but the operator's flags: a repository's
// configuration cannot.
const (
	EnvKey     = "TENFOLD_MASTER_KEY"
	EnvFile    = "TENFOLD_MASTER_KEY_FILE"
	EnvCommand = "TENFOLD_MASTER_KEY_COMMAND"
)

// A Source says where the operator keeps the master keys, as text for [Parse]. At most
// one field is set.
type Source struct {
	// Key is the text itself, File the name of a file that holds it.
	Key, File string
	// Command is a program that prints it, such as "pass show tenfold", with arguments
	// separated by spaces; no shell reads it.
	Command string
}

// FromEnvironment gives the source that the environment names.
func FromEnvironment(lookUp func(string) string) Source {
	return Source{Key: lookUp(EnvKey), File: lookUp(EnvFile), Command: lookUp(EnvCommand)}
}

const (
	// maxKeys is the longest text of master keys, and commandTime how long a command
	// may take: a person may have to unlock something.
	maxKeys     = 64 << 10
	commandTime = 2 * time.Minute
)

// Open reads the master keys; without any source it gives nil. What the command says
// to its standard error goes to stderr.
func (s Source) Open(ctx context.Context, stderr io.Writer) (*Vault, error) {
	var given []string
	var text string
	var err error
	for _, from := range []struct {
		name, value string
		read        func() (string, error)
	}{
		{EnvKey, s.Key, func() (string, error) { return s.Key, nil }},
		{"file " + s.File, s.File, func() (string, error) { return readFile(s.File) }},
		{"command", s.Command, func() (string, error) { return output(ctx, s.Command, stderr) }},
	} {
		if from.value == "" {
			continue
		}
		if given = append(given, from.name); len(given) == 1 {
			text, err = from.read()
		}
	}
	fail := func(err error) (*Vault, error) {
		return nil, &problem.Error{Op: "read the master key", Subject: strings.Join(given, ", "), Err: err, Hint: "it is the base64 of 32 random bytes: openssl rand -base64 32"}
	}
	switch {
	case len(given) == 0:
		return nil, nil
	case len(given) > 1:
		return fail(errors.New("more than one source is given"))
	case err != nil:
		return fail(err)
	}
	v, err := Parse(text)
	if err != nil {
		return fail(err)
	}
	return v, nil
}

// readFile reads a file that nobody else may read.
func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	about, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !private(about.Mode()) {
		return "", fmt.Errorf("others may read it (mode %#o): chmod 600", about.Mode().Perm())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeys))
	return string(b), err
}

// private reports whether only the owner, and the group of a secret that a service
// manager hands over, may read a file.
func private(mode fs.FileMode) bool {
	return !mode.IsRegular() || mode.Perm()&0o007 == 0 || runtime.GOOS == "windows"
}

// output runs a command and gives what it prints.
func output(ctx context.Context, command string, stderr io.Writer) (string, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return "", errors.New("it is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the operator's own command
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if len(out) > maxKeys {
		return "", fmt.Errorf("it printed more than %d bytes", maxKeys)
	}
	return string(out), err
}
