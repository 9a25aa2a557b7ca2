package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/runes"
	"tenfold/internal/shield"
	"tenfold/store"
	"tenfold/tool"
)

// DefaultFindings is how many findings a lookup gives that sets no limit, and
// MaxFindings the most.
const (
	DefaultFindings = 5
	MaxFindings     = 20
)

// A Finding is a message, or a call with its result, that has words of a query.
type Finding struct {
	Conversation string `json:"conversation"`
	// Ref is where to read: a little before Line.
	Ref  string       `json:"ref"`
	Seq  int64        `json:"seq"`
	Turn int          `json:"turn"`
	Kind tenfold.Kind `json:"kind"`
	Tool string       `json:"tool,omitzero"`
	// Hidden says that the view does not show all of it.
	Hidden bool `json:"hidden"`
	// Line is the line, from 1, with most of the words, and Excerpt what it says,
	// raw, shortened.
	Line    int    `json:"line"`
	Excerpt string `json:"excerpt"`

	copied copied
	score  float64
}

// Heading says what a finding is, and where.
func (f Finding) Heading() string {
	out := Piece{Ref: f.Ref, Turn: f.Turn, Kind: f.Kind, Tool: f.Tool, whole: true}.Heading()
	if f.Hidden {
		out = strings.TrimSuffix(out, "]") + ", not in view]"
	}
	return out
}

// Text is the finding as a model reads it: its heading, and the excerpt below.
func (f Finding) Text() string {
	handle := Handle(f.Conversation)
	return f.Heading() + "\n" + shield.Marks(f.Excerpt, '[', "more:", handle+":#") + "\n"
}

// FindingsText is what a model reads of findings, within the tokens of one answer.
func FindingsText(found []Finding, counter tenfold.Counter) string {
	var b strings.Builder
	left := RecallTokens - 40
	for i, f := range found {
		text := f.Text()
		if left -= counter.Count(text); left < 0 && i > 0 {
			b.WriteString("[" + strconv.Itoa(len(found)-i) + " more: use rarer words]\n")
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

// EmptyQuery reports whether a query has no word, and so finds nothing.
func EmptyQuery(query string) bool { return store.Query{Text: query}.Empty() }

// Lookup finds what a model asks for again: messages and calls with their results,
// hidden ones included (D4), the best first. Unlike a search of the store it asks
// for some of the words, the more and the rarer the better, and takes a call and
// its result for one text: a path stands in the one, what the file says in the
// other.
func (s *Session) Lookup(query string, limit int) []Finding {
	phrases := store.Query{Text: query}.Phrases()
	if limit <= 0 {
		limit = DefaultFindings
	}
	limit = min(limit, MaxFindings)
	found, rare := s.matches(phrases)
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seqs[0], a.seqs[0])) })
	out := make([]Finding, 0, limit)
	for _, m := range found[:min(len(found), limit)] {
		out = append(out, s.finding(m, phrases, rare))
	}
	return out
}

// match is a text that has some of the phrases.
type match struct {
	seqs  []int64 // the entries that it is made of
	score float64
}

// How a text is weighed: as BM25 does it, where a phrase that occurs often counts
// little more than one that occurs, and a long text counts less.
const (
	saturation = 1.2
	lengthPart = 0.1
)

// searchable is a text as a lookup reads it.
type searchable struct {
	seqs  []int64 // the entries that it is made of
	words []byte
}

// searchables cuts the log's texts into words, once for each version of the log.
func (s *Session) searchables() []searchable {
	if s.searched == s.log.Version() && s.texts != nil {
		return s.texts
	}
	s.texts, s.searched = []searchable{}, s.log.Version()
	for e := range s.log.Entries() {
		if seqs := s.searchUnit(e); seqs != nil {
			one := searchable{seqs: seqs}
			for _, seq := range seqs {
				one.words = store.AppendWords(one.words, tenfold.SearchText(s.payload(seq)))
			}
			s.texts = append(s.texts, one)
		}
	}
	return s.texts
}

// matches weighs every text of the log, and tells how rare each phrase is.
func (s *Session) matches(phrases []string) ([]match, []float64) {
	if len(phrases) == 0 {
		return nil, nil
	}
	type counted struct {
		searchable
		times []int
	}
	var texts []counted
	with, total := make([]int, len(phrases)), 0
	all := s.searchables()
	for _, text := range all {
		total += len(text.words)
		one := counted{searchable: text}
		for i, p := range phrases {
			if n := bytes.Count(text.words, []byte(" "+p+" ")); n > 0 {
				if one.times == nil {
					one.times = make([]int, len(phrases))
				}
				one.times[i] = n
				with[i]++
			}
		}
		if one.times != nil {
			texts = append(texts, one)
		}
	}
	units := float64(len(all))
	rare := make([]float64, len(phrases))
	for i, n := range with {
		rare[i] = math.Log(1 + (units-float64(n)+0.5)/(float64(n)+0.5))
	}
	found := make([]match, 0, len(texts))
	for _, t := range texts {
		m, has := match{seqs: t.seqs}, 0
		for i, n := range t.times {
			if n > 0 {
				has++
				m.score += rare[i] * float64(n) * (saturation + 1) / (float64(n) + saturation*(1-lengthPart+lengthPart*float64(len(t.words))*units/float64(total)))
			}
		}
		m.score *= float64(has) / float64(len(phrases))
		found = append(found, m)
	}
	return found, rare
}

// searchUnit gives the entries of the text that an entry stands for, a call with its
// result; nil for results, which their calls stand for, for what no model sees, and
// for what recall itself said.
func (s *Session) searchUnit(e tenfold.Entry) []int64 {
	pair := s.log.Pair(e.Seq)
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		if repeats(p) {
			return nil
		}
		if pair > 0 {
			return []int64{e.Seq, pair}
		}
	case tenfold.ToolResult:
		return nil
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.Reasoning:
	default:
		return nil
	}
	return []int64{e.Seq}
}

// repeats reports whether a call is one of recall's own: its result repeats what
// stands elsewhere.
func repeats(c tenfold.ToolCall) bool {
	return tool.Recalls(c.Name) || strings.Contains(c.Arguments, "tenfold recall ")
}

// finding describes a match by the line that has the rarest of the phrases; of a call
// and its result the result's, where both say as much.
func (s *Session) finding(m match, phrases []string, rare []float64) Finding {
	f := Finding{Conversation: s.id, score: m.score}
	best := -1.0
	for _, seq := range m.seqs {
		number, first := 0, true
		for line := range strings.Lines(recallText(s.payload(seq))) {
			number++
			has, words := 0.0, store.AppendWords(nil, line[:min(len(line), longestLooked)])
			for i, p := range phrases {
				if bytes.Contains(words, []byte(" "+p+" ")) {
					has += rare[i]
				}
			}
			if has > best || (has == best && first && has > 0) {
				best, first = has, false
				f.Seq, f.Line, f.Excerpt = seq, number, strings.TrimRight(line, "\r\n")
			}
		}
	}
	if f.Seq == 0 {
		f.Seq, f.Line = m.seqs[0], 1
	}
	f.Excerpt = excerptAround(f.Excerpt, phrases)
	at := s.piece(f.Seq, Handle(s.id))
	f.Turn, f.Kind, f.Tool = at.Turn, at.Kind, at.Tool
	e, _ := s.log.Entry(f.Seq)
	f.copied = copied{e.ID, e.Time.UnixNano(), f.Excerpt}
	ref := Ref{Conversation: Handle(s.id), From: f.Seq, To: f.Seq}
	if f.Line > 2*linesBefore {
		ref.Line = f.Line - linesBefore
	}
	f.Ref = ref.String()
	for _, seq := range m.seqs {
		fate, _, _ := s.projection.Fate(seq)
		f.Hidden = f.Hidden || fate != tenfold.Kept && s.projection.Why(seq) != tenfold.ReasonUnsigned
	}
	return f
}

const (
	// longestLooked is how many bytes of a line are looked at.
	longestLooked = 32 << 10
	// linesBefore is how far before its best line a finding is read.
	linesBefore = 5
	// longestExcerpt is how many bytes of a line an excerpt shows.
	longestExcerpt = 240
)

// excerptAround is the part of a line around the first of the phrases.
func excerptAround(line string, phrases []string) string {
	line = strings.TrimSpace(line)
	if len(line) <= longestExcerpt {
		return line
	}
	from := 0
	if marks := (store.Query{Text: `"` + strings.Join(phrases, `" "`) + `"`}).Marks(line[:min(len(line), longestLooked)]); len(marks) > 0 {
		from = max(marks[0][0]-longestExcerpt/3, 0)
	}
	from, to := runes.Last(line, from), runes.Next(line, from+longestExcerpt)
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}

// Lookup finds what a model asks for again. It looks in the conversation of the
// given id, and where that is empty in the one at hand, then in all others: there by
// the store's search, for all words and then for each. What is damaged there is left out:
// a [*store.UnreadError] tells of it beside what was found.
func (s *Service) Lookup(ctx context.Context, query, conversation, here string, limit int) ([]Finding, error) {
	if limit <= 0 {
		limit = DefaultFindings
	}
	limit = min(limit, MaxFindings)
	var unread *store.UnreadError
	if one := cmp.Or(conversation, here); one != "" {
		session, err := s.Open(ctx, one)
		switch {
		case err != nil && (conversation != "" || store.MayPass(ctx, err)):
			return nil, err
		case errors.Is(err, store.ErrNotFound): // it was removed
		case err != nil:
			unread = &store.UnreadError{Entries: 1, First: err}
		default:
			if found := session.Lookup(query, limit); len(found) > 0 || conversation != "" {
				return found, nil
			}
		}
	}
	return s.lookupInAll(ctx, query, limit, unread)
}

// lookupInAll asks the store which conversations have the words, and looks
// closer at the first few. Unread is what is damaged of the one at hand.
func (s *Service) lookupInAll(ctx context.Context, query string, limit int, unread *store.UnreadError) ([]Finding, error) {
	hits, err := s.Search(ctx, store.Query{Text: query, Limit: limit * hitsEach})
	if err != nil && !errors.As(err, &unread) {
		return nil, err
	}
	if len(hits) == 0 {
		for _, p := range (store.Query{Text: query}).Phrases() {
			some, err := s.Search(ctx, store.Query{Text: strconv.Quote(p), Limit: limit * hitsEach})
			if err != nil && !errors.As(err, &unread) {
				return nil, err
			}
			hits = append(hits, some...)
		}
	}
	var order []string
	for _, h := range hits {
		if !slices.Contains(order, h.Conversation) && len(order) < mostOpened {
			order = append(order, h.Conversation)
		}
	}
	var found []Finding
	for _, id := range order {
		session, err := s.Open(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil && store.MayPass(ctx, err) {
			return nil, err
		}
		if err != nil {
			unread = cmp.Or(unread, &store.UnreadError{Entries: 1, First: err})
			continue
		}
		found = append(found, session.Lookup(query, limit)...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.score, a.score) })
	found = withoutCopies(found, func(f Finding) copied { return f.copied })
	found = found[:min(len(found), limit)]
	if unread != nil {
		return found, unread
	}
	return found, nil
}

// How many hits are asked for in place of one finding, and how many conversations
// are opened at most to look closer.
const (
	hitsEach   = 8
	mostOpened = 8
)
