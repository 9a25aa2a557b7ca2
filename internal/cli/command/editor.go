package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Edit opens a file in the person's editor.
func (a *App) Edit(ctx context.Context, file string) error {
	if err := a.Flush(); err != nil {
		return err
	}
	if !a.InTTY && os.Getenv("VISUAL") == "" && os.Getenv("EDITOR") == "" {
		return Usage("cannot edit: stdin is not a terminal", "set VISUAL or EDITOR to a program that needs none")
	}
	c := editor(ctx, file)
	// Standard output may be a pipe; standard error is where people look.
	c.Stdin, c.Stdout, c.Stderr = a.In, a.Err, a.Err
	if !a.InTTY && runtime.GOOS != "windows" {
		// Standard input is a pipe: many editors need the terminal, where there is one.
		if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
			defer func() { _ = tty.Close() }()
			c.Stdin = tty
		}
	}
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return Hinted(fmt.Errorf("run the editor: %w; nothing was changed", err), "editor", "set VISUAL or EDITOR to your editor")
	}
	return nil
}

// editor is the command that edits a file: $VISUAL or $EDITOR, which may have
// arguments.
func editor(ctx context.Context, file string) *exec.Cmd {
	name := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if runtime.GOOS == "windows" {
		words := strings.Fields(name)
		if len(words) == 0 {
			words = []string{"notepad"}
		}
		return exec.CommandContext(ctx, words[0], append(words[1:], file)...) //nolint:gosec // the person's own editor
	}
	name = cmp.Or(name, "vi")
	return exec.CommandContext(ctx, "sh", "-c", name+` "$@"`, "sh", file) //nolint:gosec // the person's own editor
}
