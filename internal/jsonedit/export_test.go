package jsonedit

import "strings"

// Comments gives all comments of a text.
func Comments(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			p := parser{text: []byte(text), at: i}
			_, _ = p.space()
			out.WriteString(strings.Join(strings.Fields(text[i:p.at]), ""))
			i = p.at - 1
		}
	}
	return out.String()
}
