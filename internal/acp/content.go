package acp

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/tool"
	"tenfold/toolbox"
)

// visible makes a text of a model, a tool or a file safe to show.
func visible(text string) string { return terminal.Visible(text) }

// notice is a message of the program's own, apart from what the model says.
func notice(text string) sdk.SessionUpdate {
	return sdk.UpdateAgentMessageText("\n\n*" + strings.ReplaceAll(terminal.VisibleLine(text), "*", `\*`) + "*\n\n")
}

// partsOf reads what a person sent. Files that are only named stay names: the
// model reads them with its tools, and in the version that is on disk then. What cannot
// be taken is an error, and not left out of what they said.
func partsOf(blocks []sdk.ContentBlock) ([]tenfold.Part, error) {
	var parts []tenfold.Part
	text := func(s string) {
		if n := len(parts); n > 0 && parts[n-1].File == nil {
			parts[n-1].Text += s
		} else if s != "" {
			parts = append(parts, tenfold.Part{Text: s})
		}
	}
	file := func(f tenfold.File, data string) error {
		// A provider would refuse it, and every later request with it.
		if raw, err := base64.StdEncoding.DecodeString(data); err != nil || len(raw) == 0 {
			return invalid("the prompt has a file without valid base64 data: send it again")
		}
		f.URI = "data:" + f.MediaType + ";base64," + data
		parts = append(parts, tenfold.Part{File: &f})
		return nil
	}
	for _, b := range blocks {
		var err error
		switch {
		case b.Text != nil:
			text(b.Text.Text)
		case b.ResourceLink != nil:
			text("@" + pathOf(b.ResourceLink.Uri))
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			text("\n<file path=\"" + strings.ReplaceAll(pathOf(r.Uri), `"`, "%22") + "\">\n" + r.Text + "\n</file>\n")
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			r := b.Resource.Resource.BlobResourceContents
			f := tenfold.File{Type: tenfold.PartFile, Name: pathOf(r.Uri), MediaType: "application/octet-stream"}
			if r.MimeType != nil {
				f.MediaType = *r.MimeType
			}
			err = file(f, r.Blob)
		case b.Image != nil:
			err = file(tenfold.File{Type: tenfold.PartImage, MediaType: b.Image.MimeType}, b.Image.Data)
		default:
			err = invalid("the prompt has a part that is not taken here: send text, images or files")
		}
		if err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || strings.TrimSpace(p.Text) != "" }) {
		return nil, invalid("the prompt is empty")
	}
	return parts, nil
}

// pathOf gives the path of a file's address, and any other address as it is.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	return u.Path
}

// fenced shows a text as it is: an editor would take it for Markdown.
func fenced(text, language string) sdk.ToolCallContent {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return sdk.ToolContent(sdk.TextBlock(fence + language + "\n" + strings.TrimRight(visible(text), "\n") + "\n" + fence))
}

// shorten keeps the beginning and the end of a long text.
func shorten(text string) string {
	if len(text) <= mostShown {
		return text
	}
	half := mostShown / 2
	return strings.ToValidUTF8(text[:half], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// imageOf gives an image that is in the log itself.
func imageOf(p tenfold.Part) (sdk.ContentBlock, bool) {
	if p.File == nil || p.File.Type != tenfold.PartImage {
		return sdk.ContentBlock{}, false
	}
	head, data, ok := strings.Cut(p.File.URI, ";base64,")
	if mime, isData := strings.CutPrefix(head, "data:"); ok && isData {
		return sdk.ImageBlock(data, mime), true
	}
	return sdk.ContentBlock{}, false
}

// titleOf is a call in one line.
func titleOf(branch, name, subject string) string {
	return terminal.Excerpt(terminal.CallLine(branch, name, subject), 120)
}

// kinds and effects say which sign an editor shows for a call.
var (
	kinds = map[tool.Kind]sdk.ToolKind{
		tool.Reads: sdk.ToolKindRead, tool.Lists: sdk.ToolKindSearch, tool.Searches: sdk.ToolKindSearch, tool.Writes: sdk.ToolKindEdit,
		tool.Edits: sdk.ToolKindEdit, tool.Shell: sdk.ToolKindExecute, tool.Fetches: sdk.ToolKindFetch, tool.Plans: sdk.ToolKindThink,
	}
	effects = map[toolbox.Effect]sdk.ToolKind{
		toolbox.Reads: sdk.ToolKindRead, toolbox.Edits: sdk.ToolKindEdit, toolbox.Commands: sdk.ToolKindExecute,
	}
)

func kindOf(name string, effect toolbox.Effect) sdk.ToolKind {
	known, _ := tool.Lookup(name)
	return cmp.Or(kinds[known.Kind], effects[effect], sdk.ToolKindOther)
}

func locations(directory string, paths []string) []sdk.ToolCallLocation {
	var all []sdk.ToolCallLocation
	for _, p := range paths {
		all = append(all, sdk.ToolCallLocation{Path: absolute(directory, p)})
	}
	return all
}

func absolute(directory, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(directory, filepath.FromSlash(p))
}

// changeOf shows what a call of our own tools changes in a file.
func changeOf(directory string, c tenfold.ToolCall) []sdk.ToolCallContent {
	var a struct {
		Path    string `json:"path"`
		Content string `json:"content"`
		Old     string `json:"old"`
		New     string `json:"new"`
	}
	if json.Unmarshal([]byte(c.Arguments), &a) != nil || a.Path == "" || len(c.Arguments) > mostShown {
		return nil
	}
	switch c.Name {
	case "fs_create_file":
		return []sdk.ToolCallContent{sdk.ToolDiffContent(absolute(directory, a.Path), a.Content)}
	case "fs_modify_file":
		return []sdk.ToolCallContent{sdk.ToolDiffContent(absolute(directory, a.Path), a.New, a.Old)}
	}
	return nil
}

// rawInput is a call's arguments as JSON, whatever the model wrote.
func rawInput(arguments string) any {
	if v := jsontext.Value(arguments); v.IsValid() {
		return v
	}
	return arguments
}
