package transcript

import (
	"fmt"
	"io"

	"tenfold/body"
)

// bodyExporter writes the conversation part of one request, ready to send.
type bodyExporter struct{ profile string }

// Export implements [Exporter].
func (x bodyExporter) Export(w io.Writer, v View) ([]string, error) {
	for _, p := range body.Profiles() {
		if p.Name != x.profile {
			continue
		}
		shown, err := v.shown()
		if err != nil {
			return nil, err
		}
		b, err := p.Write(shown)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(append(b, '\n'))
		return nil, err
	}
	return nil, fmt.Errorf("there is no profile %q", x.profile)
}
