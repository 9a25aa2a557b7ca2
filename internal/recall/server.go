package recall

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold/internal/runes"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/token"
)

// Name is the name of the server, which clients put before those of its tools.
const Name = "tenfold"

// A Server answers for the conversations of a store.
type Server struct {
	Service *session.Service
	// Here gives the id of the conversation at hand, "" for none: what a call means
	// that names none. It is asked anew by each call, because a client may
	// begin another. It may be nil.
	Here func(context.Context) (string, error)
	// Version is the version of the program.
	Version string
}

// The arguments of the tools. What their descriptions say is all that a model
// knows of them.
type (
	searchArguments struct {
		Query   string `json:"query" jsonschema:"Words that the text has: names, paths, error words. Rare words find best. Quoted words must stand together."`
		Session string `json:"session,omitempty" jsonschema:"Search another conversation: its ID or the number before the colon of a reference. Default: this one, then all."`
		Limit   int    `json:"limit,omitempty" jsonschema:"How many findings, 1 to 20. Default: 5."`
	}
	readArguments struct {
		ID     string `json:"id" jsonschema:"A reference such as 417093:512, from a search or a mark."`
		Offset int    `json:"offset,omitempty" jsonschema:"The line to begin at, from 1."`
		Limit  int    `json:"limit,omitempty" jsonschema:"How many lines. Default: as many as fit."`
	}
	expandArguments struct {
		ID string `json:"id" jsonschema:"What follows recall in a mark, such as 417093:512 or 417093:512-530; or the reference that an answer ends with."`
	}
)

// MCP gives the tools as a server of the Model Context Protocol, to be run over any
// transport.
func (s Server) MCP() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: Name, Title: "Tenfold", Version: s.Version}, &mcp.ServerOptions{
		Instructions: "Earlier parts of this conversation may be shortened. These tools show the original text.",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	mcp.AddTool(server, reading("search", "Search this conversation",
		"Search the complete original text of this conversation, shortened and hidden parts included: what the user said, tool calls and their results. Each finding has an id for read or expand."),
		answering(s.search))
	mcp.AddTool(server, reading("read", "Read an entry",
		"Read original lines of one entry by its id, from an offset on. At most 2,000 tokens an answer; the last line says how to go on."),
		answering(s.read))
	mcp.AddTool(server, reading("expand", "Expand a mark",
		`Show the original that a mark "(recall ID)" stands for: a call with its result, or several calls. What is expanded stays in view after the next compaction. At most 2,000 tokens an answer; the last line says how to go on.`),
		answering(s.expand))
	return server
}

// reading describes a tool that changes nothing for its caller.
func reading(name, title, description string) *mcp.Tool {
	closed := false
	return &mcp.Tool{
		Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

// answering makes a handler of a function that gives a text. An error is an answer
// as well: the model reads it, with the hint.
func answering[In any](answer func(context.Context, In) (string, error)) mcp.ToolHandlerFor[In, any] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := answer(ctx, in)
		if err != nil {
			return nil, nil, errors.New(quoted(problem.ForModel(err), 1000))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
}

// quoted is what an answer repeats of a question, whose length is the model's.
func quoted(text string, most int) string {
	if n := runes.Last(text, most); n < len(text) {
		return text[:n] + "…"
	}
	return text
}

func (s Server) here(ctx context.Context) (string, error) {
	if s.Here == nil {
		return "", nil
	}
	return s.Here(ctx)
}

func (s Server) search(ctx context.Context, in searchArguments) (string, error) {
	here, err := s.here(ctx)
	if err != nil {
		return "", err
	}
	found, err := Search(ctx, s.Service, in.Query, in.Session, here, in.Limit)
	if unread, ok := errors.AsType[*store.UnreadError](err); ok {
		return Findings(found, in.Query) + "\n(" + unread.Error() + ")\n", nil
	}
	if err != nil {
		return "", err
	}
	return Findings(found, in.Query), nil
}

func (s Server) read(ctx context.Context, in readArguments) (string, error) {
	r, err := session.ParseRef(in.ID)
	if err != nil {
		return "", err
	}
	switch {
	case in.Offset < 0 || in.Limit < 0:
		return "", &problem.Error{Code: "usage", Problem: "offset and limit count lines from 1", Hint: "leave them out to begin at the beginning"}
	case (in.Offset > 0 || in.Limit > 0) && r.To > r.From:
		return "", &problem.Error{Code: "usage", Problem: "offset and limit are for a single entry", Hint: "name one of the entries " + strconv.FormatInt(r.From, 10) + " to " + strconv.FormatInt(r.To, 10)}
	}
	if in.Offset > 0 {
		r.Line, r.Byte, r.Last = in.Offset, 0, 0
	}
	if in.Limit > 0 {
		r.Line = max(r.Line, 1)
		r.Last = r.Line + in.Limit - 1
	}
	c, err := s.open(ctx, r)
	if err != nil {
		return "", err
	}
	p, err := c.Recall(ctx, r, 0)
	return p.Text(), err
}

func (s Server) expand(ctx context.Context, in expandArguments) (string, error) {
	r, err := session.ParseRef(in.ID)
	if err != nil {
		return "", err
	}
	c, err := s.open(ctx, r)
	if err != nil {
		return "", err
	}
	p, err := c.Expand(ctx, r, 0)
	return p.Text(), err
}

// open opens the conversation that a reference names.
func (s Server) open(ctx context.Context, r session.Ref) (*session.Session, error) {
	here, err := s.here(ctx)
	if err != nil {
		return nil, err
	}
	id, err := s.Service.Resolve(ctx, r.Conversation, here)
	if err != nil {
		return nil, err
	}
	return s.Service.Open(ctx, id)
}

// Search finds what a query asks for; of names a conversation by its handle, its
// id, or the beginning of that, and here is the one at hand.
func Search(ctx context.Context, s *session.Service, query, of, here string, limit int) ([]session.Finding, error) {
	if limit < 0 || limit > session.MaxFindings {
		return nil, &problem.Error{Code: "usage", Usage: true, Problem: "invalid limit " + strconv.Itoa(limit), Hint: "write 1 to " + strconv.Itoa(session.MaxFindings)}
	}
	if session.EmptyQuery(query) {
		return nil, &problem.Error{Code: "usage", Usage: true, Problem: "no word in the query", Hint: "words consist of letters and digits"}
	}
	if of != "" {
		id, err := s.Resolve(ctx, of, here)
		if err != nil {
			return nil, err
		}
		of = id
	}
	return s.Lookup(ctx, query, of, here, limit)
}

// Findings is what a model reads of findings, within the tokens of one answer.
func Findings(found []session.Finding, query string) string {
	if len(found) == 0 {
		return fmt.Sprintf("Nothing in the log has a word, or a phrase in quotes, of %q. Words are matched whole: try others, or fewer.\n", quoted(query, 200))
	}
	return session.FindingsText(found, token.O200k())
}
