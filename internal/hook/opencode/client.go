package opencode

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"tenfold/internal/hook"
	"tenfold/internal/rawjson"
)

// Client is opencode.
type Client struct{}

// About implements [hook.Client].
func (Client) About() hook.About {
	return hook.About{Name: "opencode", Title: "opencode", Commands: []string{"opencode"}, Since: "1.2", Tested: "1.18.33", Adapter: 1}
}

// adapter is the plug-in; command stands where the words to run are written.
//
//go:embed adapter.js
var adapter []byte

const command = `["tenfold"]`

// Files implements [hook.Client]. opencode loads what lies in the directory
// "plugin" of its configuration; all versions of 1.x do.
func (Client) Files(p hook.Place) ([]hook.File, error) {
	content := adapter
	if p.Binary != "" {
		content = bytes.Replace(adapter, []byte(command), fmt.Appendf(nil, `[%s, "tenfold"]`, rawjson.Quote(p.Binary)), 1)
	}
	return []hook.File{{Path: filepath.Join(p.OpenCode(), "plugin", "tenfold.js"), Content: content}}, nil
}

// Handle implements [hook.Client].
func (Client) Handle(ctx context.Context, h *hook.Host, name string, in []byte) ([]byte, error) {
	var e event
	if err := rawjson.Unmarshal(in, &e); err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	h.Saw(e.Info.Version)
	if e.Session == "" {
		return nil, errors.New("the event names no session")
	}
	answers := map[string]func(*event, context.Context, *hook.Host) (*answer, error){
		"messages": (*event).messages, "session": (*event).session, "compacting": (*event).compacting, "tool": (*event).tool,
	}
	handle, ok := answers[name]
	if !ok {
		return nil, hook.ErrUnknownEvent
	}
	a, err := handle(&e, ctx, h)
	if err != nil || a == nil {
		return nil, err
	}
	return json.Marshal(a)
}
