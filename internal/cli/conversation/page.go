package conversation

import (
	"context"
	"strconv"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/htmlexport"
	"tenfold/internal/number"
	"tenfold/internal/redact"
	"tenfold/session"
)

// htmlFormat is the page to share. It is not a format of a transcript: nothing reads it
// back.
const htmlFormat = "html"

// pageJSON describes a page that was written.
type pageJSON struct {
	exportJSON
	// Redacted are how many of each kind were replaced.
	Redacted map[string]int `json:"redacted"`
	// Cut is how many texts were too long for it.
	Cut int `json:"cut"`
}

// exportPage writes a conversation as one HTML file.
func exportPage(ctx context.Context, a *command.App, s *session.Session, out string, o htmlexport.Options) error {
	c, err := a.Workspace.Store.Conversation(ctx, s.ID())
	if err != nil {
		return err
	}
	o.ID, o.Title, o.Created, o.Tool = c.ID, c.Title, c.Created, session.FormatOf(c)
	o.Directory = c.Origin.Directory
	to, err := transcripts.OpenDestination(a, out)
	if err != nil {
		return err
	}
	defer to.Abandon()
	r, err := htmlexport.Write(to, s.Projection(), o)
	if err == nil {
		err = to.Commit()
	}
	if err != nil {
		return err
	}
	done := pageJSON{exportJSON: exportJSON{Conversation: c.ID, Format: htmlFormat, Compacted: o.Compacted, Warnings: []string{}}, Redacted: map[string]int{}, Cut: r.Cut}
	var words []string
	for k, n := range r.Redacted {
		if n > 0 {
			one, many := redact.Kind(k).Words()
			words = append(words, number.CountOf(n, one, many))
			done.Redacted[one] = n
		}
	}
	t := a
	switch {
	case to.File != nil:
		done.Path = out
	case a.JSON: // the page went to standard output
		t = a.Aside()
		defer func() { _ = t.Flush() }()
	}
	return t.Result(done, func() {
		switch {
		case o.Unredacted:
			a.Warn("nothing was redacted: the page may hold secrets")
		case len(words) > 0:
			a.Noticef("redacted %s; read the page before you share it", terminal.VisibleLine(strings.Join(words, ", ")))
		default:
			a.Noticef("found nothing to redact; read the page before you share it")
		}
		if r.Cut > 0 {
			a.Noticef("%s longer than %s KB: their ends are not in the page", number.CountOf(r.Cut, "text is", "texts are"), strconv.Itoa(htmlexport.LongestText>>10))
		}
	})
}
