package transcript

import (
	"fmt"
	"io"

	"tenfold"
)

// bodyExporter writes the conversation part of one request, ready to send.
type bodyExporter struct{ profile string }

// Export implements [Exporter].
func (x bodyExporter) Export(w io.Writer, v View) ([]string, error) {
	for _, p := range tenfold.Profiles() {
		if p.Name != x.profile {
			continue
		}
		shown, err := v.shown()
		if err != nil {
			return nil, err
		}
		body, err := p.Body(shown)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(append(body, '\n'))
		return nil, err
	}
	return nil, fmt.Errorf("there is no profile %q", x.profile)
}
