package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/listing"
	"tenfold/internal/report"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
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
	declare(s, operation(http.MethodGet, "meta", "/meta", "What this server offers"), func(context.Context, *struct{}) (shape.Meta, error) {
		m := s.backend.Meta()
		m.Jobs = s.jobs != nil
		return m, nil
	})
	declare(s, operation(http.MethodGet, "conversations", "/conversations", "List conversations"), s.conversations)
	declare(s, operation(http.MethodGet, "conversation", "/conversations/{id}", "Describe a conversation"), s.conversation)
}

// listed says which conversations are wanted, in which order, and which page.
type listed struct {
	Q       string `query:"q" doc:"words of the title, the project or the id"`
	Project string `query:"project" doc:"the directory, or one above it"`
	Tool    string `query:"tool"`
	Since   string `query:"since" doc:"only conversations active after this: a day, a time, or how long ago (2d)"`
	Until   string `query:"until" doc:"only conversations that began before this; a day is included"`
	Sort    string `query:"sort" enum:"updated,ended,tokens,dollars" default:"updated" doc:"the last appended to first, which alone reads no more than a page of the store; by the last activity, by tokens or by cost. Only a walk over all pages in the order of updated misses none, whatever is appended meanwhile: what changed since it began comes again on its last pages"`
	Totals  bool   `query:"totals" doc:"include total, sums, projects and tools of the whole list"`
	Cursor  string `query:"cursor"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

// conversations reads no log, and of the store one page, unless more is asked for: then
// the whole list, if it was not read lately.
func (s *Server) conversations(ctx context.Context, in *listed) (out shape.Conversations, err error) {
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
	active, err := s.backend.Active()
	if err != nil {
		return out, err
	}
	now := time.Now()
	passes := func(c store.Conversation) bool { return filter.Matches(c, now) && in.names(c) }
	if in.Sort == "updated" {
		walk, err := walkOf(in.Cursor)
		if err != nil {
			return out, err
		}
		page, next, err := listing.Page(ctx, s.service, walk, in.Limit, passes)
		for _, c := range page {
			out.Items = append(out.Items, s.row(c, active))
		}
		if out.Next = cursorOf(next); err != nil || !in.Totals {
			return out, err
		}
	}
	all, asOf, err := s.census.list(ctx)
	if err != nil {
		return out, err
	}
	var found []costed
	projects, tools, sums := map[string]int{}, map[string]int{}, shape.ListSums{}
	for _, c := range all {
		if c.Origin.Directory != "" {
			projects[c.Origin.Directory]++
		}
		if tool := session.ToolOf(c); tool != "" {
			tools[tool]++
		}
		if passes(c) {
			dollars, once := s.accounts.dollars(c)
			found = append(found, costed{c, dollars})
			tokens := s.listed(c)
			sums.Before += tokens.Before
			sums.After += tokens.After
			sums.Dollars += once // as the page of money has it
		}
	}
	out.AsOf = new(asOf.UTC())
	if in.Totals {
		out.Total, out.Sums, out.Projects, out.Tools = new(len(found)), &sums, facets(projects), facets(tools)
	}
	if in.Sort == "updated" {
		return out, nil
	}
	s.order(in.Sort, found)
	from := 0
	if in.Cursor != "" {
		if from, err = strconv.Atoi(in.Cursor); err != nil || from < 0 {
			return out, unknownCursor(in.Cursor)
		}
	}
	from = min(from, len(found))
	to := min(from+in.Limit, len(found))
	for _, c := range found[from:to] {
		out.Items = append(out.Items, s.row(c.Conversation, active))
	}
	if to < len(found) {
		out.Next = strconv.Itoa(to)
	}
	return out, nil
}

// cursorOf writes where a walk stands, whatever bytes its ids have.
func cursorOf(w *listing.Walk) string {
	if w == nil {
		return ""
	}
	text, err := json.Marshal([...]*cursorPlace{newCursorPlace(w.After), newCursorPlace(w.Began), newCursorPlace(w.Until)})
	if err != nil {
		panic(err) // numbers and bytes are always written
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func walkOf(cursor string) (*listing.Walk, error) {
	if cursor == "" {
		return nil, nil //nolint:nilnil // a walk begins
	}
	var places []*cursorPlace
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &places)
	}
	if err != nil || len(places) != 3 {
		return nil, unknownCursor(cursor)
	}
	return &listing.Walk{After: places[0].place(), Began: places[1].place(), Until: places[2].place()}, nil
}

// A cursorPlace is a place as a cursor has it.
type cursorPlace struct {
	Seconds int64  `json:"s"`
	Nanos   int64  `json:"n"`
	ID      []byte `json:"i"`
}

func newCursorPlace(p *store.Place) *cursorPlace {
	if p == nil {
		return nil
	}
	return &cursorPlace{p.Updated.Unix(), int64(p.Updated.Nanosecond()), []byte(p.ID)}
}

func (c *cursorPlace) place() *store.Place {
	if c == nil {
		return nil
	}
	return &store.Place{Updated: time.Unix(c.Seconds, c.Nanos).UTC(), ID: string(c.ID)}
}

func unknownCursor(cursor string) error {
	return shape.Refused("unknown cursor "+strconv.Quote(cursor), "take \"next\" of the page before")
}

// names reports whether a conversation has all words that are looked for.
func (in *listed) names(c store.Conversation) bool {
	text := strings.ToLower(c.Title + "\n" + c.Origin.Directory + "\n" + c.ID + "\n" + session.ToolOf(c))
	for word := range strings.FieldsSeq(strings.ToLower(in.Q)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// costed is a conversation with what it cost.
type costed struct {
	store.Conversation
	dollars float64
}

// listed is what a conversation has and what a model sees of it, as the store knows them.
func (s *Server) listed(c store.Conversation) shape.Tokens {
	return report.Listed(report.CounterName(s.service.Counter()), c.Stats)
}

// order sorts what comes in the order of the last change.
func (s *Server) order(by string, all []costed) {
	switch by {
	case "ended":
		slices.SortStableFunc(all, func(x, y costed) int {
			_, xEnded := listing.Span(x.Conversation)
			_, yEnded := listing.Span(y.Conversation)
			return yEnded.Compare(xEnded)
		})
	case "tokens":
		slices.SortStableFunc(all, func(x, y costed) int {
			return cmp.Compare(s.listed(y.Conversation).Before, s.listed(x.Conversation).Before)
		})
	case "dollars":
		slices.SortStableFunc(all, func(x, y costed) int { return cmp.Compare(y.dollars, x.dollars) })
	}
}

// facets lists what was counted, the most frequent first.
func facets(counts map[string]int) []shape.Facet {
	all := make([]shape.Facet, 0, len(counts))
	for value, n := range counts {
		all = append(all, shape.Facet{Value: value, Count: n})
	}
	slices.SortFunc(all, func(x, y shape.Facet) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Value, y.Value))
	})
	return all
}

// row is what the store knows of a conversation.
func (s *Server) row(c store.Conversation, active string) shape.ConversationRow {
	began, ended := listing.Span(c)
	dollars, _ := s.accounts.dollars(c)
	return shape.ConversationRow{
		ID: c.ID, Title: c.Title, Fault: c.Fault, Tool: session.ToolOf(c), Project: c.Origin.Directory, Turns: c.Stats.Turns, Entries: c.Version,
		Tokens:  s.listed(c),
		Dollars: dollars,
		Began:   began.UTC(), Ended: ended.UTC(), Updated: c.Updated.UTC(), Active: c.ID == active,
	}
}

func (s *Server) conversation(ctx context.Context, in *InConversation) (out shape.Conversation, err error) {
	active, err := s.backend.Active()
	if err != nil {
		return out, err
	}
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		view, scale := o.Session.Projection(), o.Figures()
		out.ConversationRow, out.Created = s.row(o.Row, active), o.Row.Created.UTC()
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
func compactions(view *tenfold.Projection, scale token.Scale) []shape.Compaction {
	var all []shape.Compaction
	for o := range view.Overlays() {
		c := o.Compaction
		e, _ := view.Log().Entry(o.Seq)
		out := shape.Compaction{
			ID: o.ID, Seq: o.Seq, Command: c.Command, At: e.Time.UTC(), FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Does: report.Slots(c), First: o.First, Last: o.Last,
			Strategy: c.Strategy, Profile: c.Profile, Source: c.Source, Reason: c.Reason, Live: o.Live,
		}
		out.Before, out.After = scale.Sizes(c)
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
func sums(view *tenfold.Projection, scale token.Scale) []shape.FateSum {
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
	out := make([]shape.FateSum, len(names))
	for i, c := range scale.Counts(counts...) {
		out[i] = shape.FateSum{Fate: names[i], Entries: c.Entries, Before: c.Before, After: c.After}
	}
	return out
}
