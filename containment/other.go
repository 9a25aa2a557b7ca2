//go:build !linux || (!amd64 && !arm64)

package containment

import (
	"context"
	"os/exec"
	"runtime"
)

func look() (Level, string) {
	return Level{}, "commands cannot be contained on " + runtime.GOOS + "/" + runtime.GOARCH
}

// build is not come to: Check fails before.
func build(context.Context, []string, string, order, Level) *exec.Cmd { return nil }

// Enter returns at once.
func Enter() {}
