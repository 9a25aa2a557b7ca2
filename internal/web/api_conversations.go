package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/listing"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/store"
	"tenfold/token"
)

// InConversation is the part of a request that names a conversation by its id or the
// beginning of it. Embed it: huma looks into exported types alone.
type InConversation struct {
	ID string `path:"id" minLength:"1" maxLength:"500" doc:"the conversation's id, or the beginning of one"`
}

func (s *Server) declareConversations() {
	declare(s, operation(http.MethodGet, "meta", "/meta", "What this server offers"), func(context.Context, *struct{}) (Meta, error) {
		return s.backend.Meta(), nil
	})
	declare(s, operation(http.MethodGet, "conversations", "/conversations", "List conversations"), s.conversations)
	declare(s, operation(http.MethodGet, "conversation", "/conversations/{id}", "Describe a conversation"), s.conversation)
}

// listed says which conversations are wanted, in which order, and which page.
type listed struct {
	Q       string `query:"q" doc:"words of the title, the project or the id"`
	Project string `query:"project" doc:"the directory, or one above it"`
	Tool    string `query:"tool"`
	Since   string `query:"since" doc:"went on after: a day, a time, or how long ago (2d)"`
	Until   string `query:"until" doc:"began before; a day counts to its end"`
	Sort    string `query:"sort" enum:"updated,ended,tokens,dollars" default:"updated"`
	Cursor  string `query:"cursor"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

// conversations reads no log: the store knows the totals.
func (s *Server) conversations(ctx context.Context, in *listed) (out Conversations, err error) {
	filter := listing.Filter{Tool: in.Tool}
	for _, bound := range []struct {
		text string
		at   **listing.Moment
	}{{in.Since, &filter.Since}, {in.Until, &filter.Until}} {
		if bound.text == "" {
			continue
		}
		m, err := listing.ParseMoment(bound.text)
		if err != nil {
			return out, err
		}
		*bound.at = &m
	}
	if in.Project != "" {
		filter.Directories = []string{in.Project}
	}
	after, err := in.position()
	if err != nil {
		return out, err
	}
	active, err := s.backend.Active()
	if err != nil {
		return out, err
	}
	var found []ConversationRow
	projects, tools, now := map[string]int{}, map[string]int{}, time.Now()
	for c, err := range s.service.List(ctx) {
		if err != nil {
			return out, err
		}
		row := s.row(c, active)
		if row.Project != "" {
			projects[row.Project]++
		}
		if row.Tool != "" {
			tools[row.Tool]++
		}
		if filter.Matches(c, now) && in.names(row) {
			found = append(found, row)
			out.Sums.Before += row.Tokens.Before
			out.Sums.After += row.Tokens.After
			out.Sums.Dollars += row.Dollars
		}
	}
	in.order(found)
	out.Total, out.Projects, out.Tools = len(found), facets(projects), facets(tools)
	from := min(after, len(found))
	to := min(from+in.Limit, len(found))
	if out.Items = found[from:to]; to < len(found) {
		out.Next = strconv.Itoa(to)
	}
	return out, nil
}

// position is where a page begins. The list is as long as a person's, so that a
// cursor need be no more than that.
func (in *listed) position() (int, error) {
	if in.Cursor == "" {
		return 0, nil
	}
	at, err := strconv.Atoi(in.Cursor)
	if err != nil || at < 0 {
		return 0, refused("unknown cursor "+strconv.Quote(in.Cursor), "take \"next\" of the page before")
	}
	return at, nil
}

// names reports whether a row has all words that are looked for.
func (in *listed) names(r ConversationRow) bool {
	text := strings.ToLower(r.Title + "\n" + r.Project + "\n" + r.ID + "\n" + r.Tool)
	for word := range strings.FieldsSeq(strings.ToLower(in.Q)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// order sorts what comes in the order of the last change.
func (in *listed) order(rows []ConversationRow) {
	switch in.Sort {
	case "ended":
		slices.SortStableFunc(rows, func(x, y ConversationRow) int { return y.Ended.Compare(x.Ended) })
	case "tokens":
		slices.SortStableFunc(rows, func(x, y ConversationRow) int { return cmp.Compare(y.Tokens.Before, x.Tokens.Before) })
	case "dollars":
		slices.SortStableFunc(rows, func(x, y ConversationRow) int { return cmp.Compare(y.Dollars, x.Dollars) })
	}
}

// facets lists what was counted, the most frequent first.
func facets(counts map[string]int) []Facet {
	all := make([]Facet, 0, len(counts))
	for value, n := range counts {
		all = append(all, Facet{Value: value, Count: n})
	}
	slices.SortFunc(all, func(x, y Facet) int { return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Value, y.Value)) })
	return all
}

// row is what the store knows of a conversation.
func (s *Server) row(c store.Conversation, active string) ConversationRow {
	began, ended := listing.Span(c)
	dollars, _ := s.accounts.dollars(c)
	return ConversationRow{
		ID: c.ID, Title: c.Title, Tool: session.ToolOf(c), Project: c.Origin.Directory, Turns: c.Stats.Turns, Entries: c.Version,
		Tokens:  Tokens{Before: c.Stats.TokensBefore, After: c.Stats.TokensAfter, Method: report.CounterName(s.service.Counter())},
		Dollars: dollars,
		Began:   began.UTC(), Ended: ended.UTC(), Updated: c.Updated.UTC(), Active: c.ID == active,
	}
}

func (s *Server) conversation(ctx context.Context, in *InConversation) (out Conversation, err error) {
	active, err := s.backend.Active()
	if err != nil {
		return out, err
	}
	err = s.sessions.with(ctx, in.ID, func(o *opened) error {
		view, scale := o.session.Projection(), o.figures()
		out.ConversationRow = s.row(o.row, active)
		out.Tokens = report.Totals(view, scale)
		out.Turns, out.Entries = view.Log().Turns(), view.Log().Version()
		out.Model = view.Config().Model
		out.Compactions = compactions(view, scale)
		out.Sums = sums(view, scale)
		out.Status, err = s.status(ctx, o)
		out.Window = out.Status.Window
		return err
	})
	return out, err
}

// compactions are those of the log, the oldest first.
func compactions(view *tenfold.Projection, scale token.Scale) []Compaction {
	var all []Compaction
	for o := range view.Overlays() {
		c := o.Compaction
		e, _ := view.Log().Entry(o.Seq)
		out := Compaction{
			ID: o.ID, Seq: o.Seq, Command: c.Command, At: e.Time.UTC(), FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Does: report.Slots(c), First: o.First, Last: o.Last,
			Strategy: c.Strategy, Profile: c.Profile, Source: c.Source, Reason: c.Reason, Live: o.Live,
			Before: scale.Tokens(c.TokensBefore), After: scale.Tokens(c.TokensAfter),
		}
		if c.Summary != nil {
			out.Summary, out.Model = c.Summary.Text, c.Summary.Model
			if u := c.Summary.Usage; u != nil && u.Cost != nil {
				out.Dollars = *u.Cost
			}
		}
		all = append(all, out)
	}
	return all
}

// sums add up entries and tokens by fate, like the command line's "diff".
func sums(view *tenfold.Projection, scale token.Scale) []FateSum {
	totals := view.Totals()
	var names []string
	var counts []tenfold.Count
	for _, fate := range tenfold.Fates() {
		if c := totals.Of(fate); c.Entries > 0 {
			names, counts = append(names, fate.String()), append(counts, c)
		}
	}
	for _, c := range []struct {
		name string
		tenfold.Count
	}{{"added", totals.Added}, {"config", totals.Config}} {
		if c.Before > 0 || c.After > 0 {
			names, counts = append(names, c.name), append(counts, c.Count)
		}
	}
	out := make([]FateSum, len(names))
	for i, c := range scale.Counts(counts...) {
		out[i] = FateSum{Fate: names[i], Entries: c.Entries, Before: c.Before, After: c.After}
	}
	return out
}
