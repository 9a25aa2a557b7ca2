package mcpclient

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif" // the types that all providers take
	_ "image/jpeg"
	_ "image/png"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/toolbox/internal/output"
)

const (
	// maxImages is how many images of a result are taken, maxImage the bytes and
	// maxPixels the pixels of one.
	maxImages, maxImage, maxPixels = 4, 3 << 20, 16 << 20
)

// isImage reports whether bytes are a whole image of that type. One that is not
// would stay in the log, and a provider would refuse every request from then on.
func isImage(media string, data []byte) bool {
	if len(data) > maxImage {
		return false
	}
	size, form, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || "image/"+form != media || size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height || max(size.Width, size.Height) > 8000 {
		return false
	}
	_, _, err = image.Decode(bytes.NewReader(data))
	return err == nil
}

// contents gives what a result says as one text, and its images. What cannot be
// shown is named.
func contents(res *mcp.CallToolResult) (text string, images []tenfold.Part) {
	var texts []string
	add := func(text string) { texts = append(texts, text) }
	file := func(media, name string, data []byte) {
		if len(images) == maxImages || !isImage(media, data) {
			add(fmt.Sprintf("[not shown: %s %s, %s]", output.Line(media, 40), output.Line(name, 200), number.Count(len(data), "byte")))
			return
		}
		images = append(images, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: media, URI: "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)}})
	}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			add(c.Text)
		case *mcp.ImageContent:
			file(c.MIMEType, "image", c.Data)
		case *mcp.AudioContent:
			file(c.MIMEType, "audio", c.Data)
		case *mcp.ResourceLink:
			add(fmt.Sprintf("[%s: %s]", output.Line(c.Name, 200), output.Line(c.URI, 500)))
		case *mcp.EmbeddedResource:
			switch r := c.Resource; {
			case r == nil:
			case r.Blob != nil:
				file(r.MIMEType, r.URI, r.Blob)
			default:
				add(r.Text)
			}
		}
	}
	if len(res.Content) == 0 && res.StructuredContent != nil {
		if value, err := json.Marshal(res.StructuredContent, json.Deterministic(true)); err == nil {
			add(string(value))
		}
	}
	return strings.Join(texts, "\n"), images
}
