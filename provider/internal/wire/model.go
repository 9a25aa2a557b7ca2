package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/rawjson"
	"tenfold/provider"
	"tenfold/token"
)

// A Format is how a vendor's requests are written and its answers are read.
type Format struct {
	Profile body.Profile
	// Address is where a request goes.
	Address string
	// Ask writes what a request holds beside the conversation.
	Ask func(Asked) rawjson.Object
	// Mark asks for a request to be kept in the prompt cache; nil where that is
	// done unasked.
	Mark func(view rawjson.Object)
	// Tool edits the definition of each tool; nil leaves them as they are.
	Tool func(tool *rawjson.Object)
	// Decoder makes a decoder for one answer.
	Decoder func() Decoder

	// CountAddress is where the provider counts, empty where it does not, and
	// Counted the member of its answer with the tokens.
	CountAddress, Counted string
	// CountBody writes the question from the conversation part of a request.
	CountBody func(view rawjson.Object) rawjson.Object
}

// Asked is what a request asks for beside an answer.
type Asked struct {
	MaxTokens int            // 0 leaves it to the model
	NoTools   bool           // there are tools, and none may be called
	Schema    jsontext.Value // nil for plain text
	// Conversation names the conversation whose next request begins with this one; empty for
	// one that does not go on.
	Conversation string
}

// A Model is a model of any vendor; it implements [provider.Model].
type Model struct {
	name   string
	end    *Endpoint
	extra  rawjson.Object
	format Format
}

// NewModel makes a model of options and of a format. Each request carries the
// header.
func NewModel(name string, header http.Header, o provider.Options, f Format) (*Model, error) {
	m := &Model{name: name, end: NewEndpoint(name, header, o), format: f}
	if o.Extra != "" {
		var err error
		if m.extra, err = ParseObject([]byte(o.Extra)); err != nil {
			return nil, m.invalid("the extra members of the request are not a JSON object", `write them like {"seed":1}`)
		}
	}
	return m, nil
}

func (m *Model) invalid(message, hint string) error {
	return &provider.Error{Kind: provider.Invalid, Model: m.name, Message: message, Hint: hint}
}

// ModelOf splits "anthropic/claude-…" after its first slash: what stands
// behind it is what the vendor calls the model. It also checks the address that
// the model is reached at; empty is the vendor's own.
func ModelOf(name, base string) (string, error) {
	_, model, ok := strings.Cut(name, "/")
	if !ok || model == "" || strings.ContainsAny(model, "?#& \t\r\n") || strings.Contains(model, "..") {
		return "", &provider.Error{
			Kind: provider.Invalid, Message: fmt.Sprintf("invalid model name %q", name),
			Hint: "use PROVIDER/MODEL, for example anthropic/claude-sonnet-5-5",
		}
	}
	if base != "" {
		if err := provider.CheckBaseURL(base); err != nil {
			return "", &provider.Error{
				Kind: provider.Invalid, Model: name, Message: "the base URL " + err.Error(), Err: err,
				Hint: "use the form http://localhost:11434/v1",
			}
		}
	}
	return model, nil
}

// MostOutput gives a limit of an answer that the model takes: older models
// refuse a request for more than they can give.
func MostOutput(model string, most int) int {
	if limit, ok := (token.Windows{}).Output(model); ok {
		return min(most, limit)
	}
	return most
}

func (m *Model) Name() string { return m.name }

func (m *Model) Profile() body.Profile { return m.format.Profile }

func (m *Model) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		body, err := m.body(r)
		if err != nil {
			yield(provider.Event{}, err)
			return
		}
		m.end.stream(ctx, m.format.Address, body, m.format.Decoder(), yield)
	}
}

// Count implements [provider.Model]. Where the provider does not count, it is
// an estimate, the texts of the body counted with o200k, and no request is made.
func (m *Model) Count(ctx context.Context, r provider.Request) (provider.Count, error) {
	view, err := m.view(r)
	if err != nil {
		return provider.Count{}, err
	}
	if m.format.CountAddress == "" {
		return provider.Count{Tokens: CountTexts(token.O200k(), view.Bytes())}, nil
	}
	raw, err := m.end.Fetch(ctx, m.format.CountAddress, m.format.CountBody(view).Bytes())
	if err != nil {
		return provider.Count{}, err
	}
	return Counted(m.name, raw, m.format.Counted)
}

// view writes the conversation part of a request.
func (m *Model) view(r provider.Request) (rawjson.Object, error) {
	if r.View == nil {
		return nil, m.invalid("the request has no view", "set Request.View")
	}
	raw, err := m.format.Profile.Write(r.View)
	if err != nil {
		return nil, err
	}
	return ParseObject(raw)
}

// body writes the whole request.
func (m *Model) body(r provider.Request) ([]byte, error) {
	view, err := m.view(r)
	if err != nil {
		return nil, err
	}
	if r.Cache && m.format.Mark != nil {
		m.format.Mark(view)
	}
	if m.format.Tool != nil {
		m.editTools(view)
	}
	asked := Asked{MaxTokens: r.MaxTokens, NoTools: r.NoTools && view.Get("tools") != nil}
	if r.Cache {
		asked.Conversation = nameOf(r.View)
	}
	if r.Schema != "" {
		var object map[string]any
		if json.Unmarshal([]byte(r.Schema), &object) != nil {
			return nil, m.invalid("the schema is not a JSON object", "set Request.Schema to a JSON Schema")
		}
		asked.Schema = jsontext.Value(strings.TrimSpace(r.Schema))
	}
	o := m.format.Ask(asked)
	o.Merge(view)
	o.Merge(m.extra)
	return o.Bytes(), nil
}

// nameOf names what a view shows, a conversation or a branch of one, by its first entry.
func nameOf(p *tenfold.Projection) string {
	e, _ := p.Log().Entry(1)
	sum := sha256.Sum256([]byte(e.ID + "\x00" + p.Branch()))
	return hex.EncodeToString(sum[:16])
}

// editTools has the format edit the tools of a request.
func (m *Model) editTools(view rawjson.Object) {
	var tools []jsontext.Value
	if Unmarshal(view.Get("tools"), &tools) != nil {
		return
	}
	for i := range tools {
		if tool, err := ParseObject(tools[i]); err == nil {
			m.format.Tool(&tool)
			tools[i] = tool.Bytes()
		}
	}
	view.Set("tools", rawjson.List(tools))
}
