package summary

import (
	"strings"

	"tenfold"
)

// saidIn joins the texts of a content.
func saidIn(parts []tenfold.Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// lineLength is how many characters of a tool's line are quoted.
const lineLength = 200

// preamble is how lines begin that hosts put around an output.
var preamble = []string{
	"Output:", "Wall time:", "Chunk ID:", "Original token count:", "Total output lines:", "Exit code", "exit code", "Exit Code:", "exit status ",
	"Process exited with code", "Command exited with code", "Process running with session ID",
}
