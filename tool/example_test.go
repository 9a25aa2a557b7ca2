package tool_test

import (
	"fmt"

	"tenfold/tool"
)

func ExampleLookup() {
	read, _ := tool.Lookup("Read")
	fmt.Println(read.Kind, read.Call(`{"file_path":"/src/./main.go","offset":10,"limit":5}`).Reads)

	shell, _ := tool.Lookup("Bash")
	fmt.Println(shell.Call(`{"command":"git status && cat main.go"}`).Unknown)
	fmt.Println(shell.Call(`{"command":"make"}`).Unknown)
	// Output:
	// read [{/src/main.go 10 14 false}]
	// false
	// true
}

func ExampleSettings() {
	no := false
	settings := tool.Settings{"Read": {Dedup: &no}}
	fmt.Println(settings.Tool("Read").Dedup == tool.DedupNever, settings.Tool("Grep").Dedup == tool.DedupUnchanged)
	// Output: true true
}
