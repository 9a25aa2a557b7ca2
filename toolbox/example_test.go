package toolbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tenfold/toolbox"
)

// A tool says what a call would do before it does it.
func ExampleBuiltin() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "cake.txt"), []byte("flour\neggs\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	tools, err := toolbox.Builtin(dir, toolbox.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tools {
		if t.Definition().Name != "fs_grep_files" {
			continue
		}
		const arguments = `{"pattern":"egg"}`
		intent, err := t.Intent(arguments)
		fmt.Println(intent.Effect, err)
		result, err := t.Run(context.Background(), toolbox.Call{ID: "1", Arguments: arguments})
		fmt.Print(result.Parts[0].Text)
		fmt.Println(err)
	}
	// Output:
	// reads <nil>
	// cake.txt:2:eggs
	// <nil>
}
