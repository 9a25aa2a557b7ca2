package report

import (
	"strings"

	"tenfold"
)

// PartsText joins the texts of a message or a result, and names its files.
func PartsText(parts []tenfold.Part) string {
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text // not copied, however long it is
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.File == nil {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString("[" + string(p.File.Type))
		for _, word := range []string{p.File.Name, p.File.MediaType} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		b.WriteString("]")
	}
	return b.String()
}
