package chatapi

import (
	"fmt"
	"io"

	"tenfold/body"
	"tenfold/transcript/internal/engine"
)

// bodyExporter writes the conversation part of one request, ready to send.
type bodyExporter struct{ profile string }

// Export implements [engine.Exporter].
func (x bodyExporter) Export(w io.Writer, v engine.View) ([]string, error) {
	for _, p := range body.Profiles() {
		if p.Name != x.profile {
			continue
		}
		shown, err := v.Shown()
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
