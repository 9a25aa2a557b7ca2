package tool_test

import (
	"testing"

	"tenfold/tool"
)

func TestRefusal(t *testing.T) {
	for text, want := range map[string]bool{
		"The user doesn't want to proceed with this. To tell you how to proceed, the user said:\nnot like that": true,
		"The user doesn't want to proceed with this tool use.":                                                  false,
		"grep: the user said: nothing":                                                                          false,
		"":                                                                                                      false,
	} {
		if got := tool.Refusal(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
