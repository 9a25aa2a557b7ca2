package tool_test

import (
	"fmt"

	"tenfold/tool"
)

func ExampleLookup() {
	read, _ := tool.Lookup("Read")
	fmt.Println(read.Kind, read.Reads(`{"file_path":"/src/./main.go","offset":10,"limit":5}`))

	shell, _ := tool.Lookup("Bash")
	_, known := shell.Changes(`{"command":"git status && cat main.go"}`)
	fmt.Println(known)
	_, known = shell.Changes(`{"command":"make"}`)
	fmt.Println(known)
	// Output:
	// read [{/src/main.go 10 14 false}]
	// true
	// false
}

func ExampleSettings() {
	no := false
	settings := tool.Settings{"Read": {Dedup: &no}}
	fmt.Println(settings.Tool("Read").Dedup == tool.DedupNever, settings.Tool("Grep").Dedup == tool.DedupUnchanged)
	// Output: true true
}
