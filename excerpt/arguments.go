package excerpt

import (
	"strings"

	"tenfold"
)

// arguments gives the texts in a call's arguments: short ones, which its
// opening shows, and bodies.
func arguments(raw string) (short, bodies []string) {
	for _, leaf := range tenfold.ArgumentTexts(raw) {
		if leaf.Body {
			bodies = append(bodies, leaf.Text)
		} else if strings.TrimSpace(leaf.Text) != "" {
			short = append(short, leaf.Text)
		}
	}
	return short, bodies
}
