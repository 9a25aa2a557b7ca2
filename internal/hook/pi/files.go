package pi

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"text/template"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
)

//go:embed adapter.ts
var adapter string

var adapterTemplate = template.Must(template.New("adapter").Parse(adapter))

// Limits of the adapter.
const (
	// slow is a little more than Tenfold itself allows for.
	slow = 15 * time.Second
	// large is how many characters a tool's result has that may be too large. Most
	// are smaller, and are not to wait for a process.
	large = 16 << 10
)

func (Client) Files(p hook.Place) ([]hook.File, error) {
	var out bytes.Buffer
	binary, err := jsontext.AppendQuote(nil, p.Binary)
	if err != nil {
		return nil, err
	}
	values := map[string]any{"Binary": string(binary), "Slow": slow.Milliseconds(), "Large": large}
	if err := adapterTemplate.Execute(&out, values); err != nil {
		return nil, err
	}
	return []hook.File{{Path: filepath.Join(p.Pi(), "extensions", "tenfold.ts"), Content: out.Bytes()}}, nil
}
