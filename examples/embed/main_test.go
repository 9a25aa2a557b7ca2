package main

import (
	"bytes"
	"os"
	"testing"
)

// The loop stays short enough to read at once.
func TestTheProgramIsShort(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if n := bytes.Count(text, []byte("\n")); err != nil || n > 60 {
		t.Errorf("main.go has %d lines, more than 60: %v", n, err)
	}
}

func Example() {
	main()
	// Output:
	// tools: ""
	// end: "I have read oven.go."
	// tools: ""
	// end: "I have read cake.go."
	// tools: ""
	// end: "I have read icing.go."
	// compacted: 1499 → 1067 tokens
	// tools: ""
	// end: "I have read plate.go."
}
