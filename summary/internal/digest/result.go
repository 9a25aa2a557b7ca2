package digest

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
