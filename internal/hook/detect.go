package hook

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Found is a client on this machine.
type Found struct {
	// Path is its executable, empty where there is none on the PATH; Version what
	// it says, empty where it does not say.
	Path, Version string
}

// Find looks for a client on the PATH and asks it for its version.
func Find(ctx context.Context, a About) Found {
	const patience = 20 * time.Second // an agent of 200 MB that starts on a busy machine
	for _, name := range a.Commands {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "--version") //nolint:gosec // the name is the program's own, and the person's PATH says where it is
		cmd.WaitDelay = time.Second
		var out limited
		cmd.Stdout = &out
		cmd.Env = append(os.Environ(), "NO_COLOR=1")
		_ = cmd.Run() // what it said counts
		return Found{Path: path, Version: versionPattern.FindString(out.String())}
	}
	return Found{}
}

// limited keeps the first bytes that are written to it.
type limited struct{ strings.Builder } // which has no ReadFrom, by which a copy would go past Write

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	const most = 4 << 10
	_, _ = l.Builder.Write(p[:min(len(p), max(most-l.Len(), 0))])
	return len(p), nil
}

var versionPattern = regexp.MustCompile(`\d+(?:\.\d+)+`)

// CompareVersions compares dotted numbers: -1 where a is older than b. What is not
// a number counts as 0.
func CompareVersions(a, b string) int {
	numbers := func(v string) (out []int) {
		for part := range strings.SplitSeq(v, ".") {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		for len(out) > 0 && out[len(out)-1] == 0 {
			out = out[:len(out)-1] // 2.1 is 2.1.0
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b))
}

// Support says whether an adapter supports a version.
type Support string

// The kinds of support.
const (
	// Supported: from the oldest version to the newest one it was tried with.
	Supported Support = "supported"
	// Newer: it was not tried with the version, which is expected to work.
	Newer Support = "newer than tested"
	// TooOld: it does not work with the version.
	TooOld Support = "too old"
	// UnknownVersion: the client does not say.
	UnknownVersion Support = "unknown version"
)

// Supports says whether a client's adapter supports a version.
func (a About) Supports(version string) Support {
	switch {
	case version == "":
		return UnknownVersion
	case CompareVersions(version, a.Since) < 0:
		return TooOld
	case CompareVersions(version, a.Tested) > 0:
		return Newer
	}
	return Supported
}

// State says how an install stands.
type State string

// The states.
const (
	Current  State = "current"
	Outdated State = "outdated" // install again would change it
	Changed  State = "changed"  // a person changed a file of it
	Missing  State = "missing"  // a file of it is gone
)

// StateOf says how an install stands: p is the place where it would be installed
// today.
func (h *Host) StateOf(c Client, i Install, p Place) State {
	state := Current
	for _, w := range i.Files {
		switch data, there, err := fileAt(w.Path); {
		case err != nil || !there:
			return Missing
		case w.own() && sum(data) != w.After:
			state = Changed
		case !w.own():
			if without, _ := w.without(data); bytes.Equal(without, data) {
				return Missing // what was added is not there
			}
		}
	}
	if state != Current {
		return state
	}
	p.Scope, p.Dir, p.NoRecall = i.Scope, cmp.Or(i.Dir, p.Dir), i.NoRecall
	_, _, changes, err := h.planInstall(c, p)
	if err != nil || slices.ContainsFunc(changes, func(c change) bool { return c.Action != "unchanged" }) {
		return Outdated
	}
	return Current
}

// Binary is the path by which adapters run this program: a stable one on the PATH,
// such as a package manager's link, before that of the executable itself.
func Binary() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if path, err := exec.LookPath("tenfold"); err == nil && filepath.IsAbs(path) {
		one, errOne := os.Stat(path)
		other, errOther := os.Stat(self)
		if errOne == nil && errOther == nil && os.SameFile(one, other) {
			return path, nil
		}
	}
	return self, nil
}
