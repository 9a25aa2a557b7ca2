package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/runes"
	"tenfold/internal/shield"
	"tenfold/problem"
	"tenfold/tool"
)

// RecallTokens is the most tokens of one answer (A9, live §5). What is left
// over is had by the reference that the answer ends with.
const RecallTokens = 2000

// longestName is how many bytes of a tool's name a heading shows.
const longestName = 80

// leastRecall is the least that an answer may be limited to: room for a heading.
const leastRecall = 200

// A Passage is text of a log, as the raw log has it.
type Passage struct {
	// Conversation is the id, Ref the reference that was answered, with its handle.
	Conversation string `json:"conversation"`
	Ref          string `json:"ref"`
	// Pieces are the entries, in order.
	Pieces []Piece `json:"pieces"`
	// Next is the reference to what did not fit; empty at the end.
	Next string `json:"next,omitzero"`
	// Tokens is what Text costs, by the counter of T1.
	Tokens int `json:"tokens"`
}

// A Piece is one entry of a passage, or some lines of one.
type Piece struct {
	Ref  string       `json:"ref"`
	Seq  int64        `json:"seq"`
	Turn int          `json:"turn"`
	Kind tenfold.Kind `json:"kind"`
	// Tool is the name of the tool of a call or of a result.
	Tool string `json:"tool,omitzero"`
	// Outcome is how the call of a result ended, where that is known (L12).
	Outcome tenfold.Outcome `json:"outcome,omitzero"`
	// First and Last are the lines in Text, of Lines.
	First int `json:"first"`
	Last  int `json:"last"`
	Lines int `json:"lines"`
	// Text is raw: as the log has it, whatever it holds.
	Text string `json:"text"`

	id    string
	whole bool // nothing of it is left out
}

// Heading is the line above a piece's text: what it is, and where in the log.
func (p Piece) Heading() string {
	what := map[tenfold.Kind]string{
		tenfold.KindUserMessage: "user", tenfold.KindAssistantMessage: "assistant", tenfold.KindReasoning: "reasoning",
		tenfold.KindToolCall: "call", tenfold.KindToolResult: "result",
	}[p.Kind]
	out := "[" + p.Ref + " " + what
	if p.Tool != "" {
		out += " " + shield.Label(p.Tool[:min(len(p.Tool), longestName)])
	}
	if p.Outcome != "" {
		out += ", " + shield.Label(string(p.Outcome[:min(len(p.Outcome), longestName)]))
	}
	out += ", turn " + strconv.Itoa(p.Turn)
	if !p.whole {
		out += ", lines " + strconv.Itoa(p.First) + "-" + strconv.Itoa(p.Last) + " of " + strconv.Itoa(p.Lines)
	}
	return out + "]"
}

// Text is the passage as a model reads it: each piece under its heading, and last
// how to go on.
func (p Passage) Text() string {
	var b strings.Builder
	for _, piece := range p.Pieces {
		b.WriteString(piece.Heading() + "\n" + p.shield(strings.TrimSuffix(piece.Text, "\n")) + "\n")
	}
	if p.Next != "" {
		b.WriteString(nextLine(p.Next))
	}
	return b.String()
}

func nextLine(ref string) string { return "[more: " + ref + "]\n" }

// Read gives the text that a reference names: of each entry from the first to
// the last that the first one's reader sees. They are entries of this session: a
// reference that names a conversation is for the session of that, which
// [Service.Resolve] finds. Limit is in tokens, at most [RecallTokens], which 0 means.
// Nothing is written.
func (s *Session) Read(r Ref, limit int) (Passage, error) {
	return s.passage(r, s.visibleSeqs(r), limit)
}

// Recall gives to a model what Read does. It is recorded, so that the next compaction
// keeps it: those lines, or all of an entry that was given whole.
func (s *Session) Recall(ctx context.Context, r Ref, limit int) (Passage, error) {
	return s.renderPassage(ctx, r, s.visibleSeqs(r), limit)
}

// Expand gives what a mark stands for: as Recall does, but a reference to one whole
// entry of a call gives the call with its result.
func (s *Session) Expand(ctx context.Context, r Ref, limit int) (Passage, error) {
	seqs := s.visibleSeqs(r)
	if pair := s.log.Pair(r.From); pair > 0 && r.To == r.From && r.Last == 0 && (r.Line == 0 || pair > r.From) {
		seqs = []int64{min(r.From, pair), max(r.From, pair)}
	}
	return s.renderPassage(ctx, r, seqs, limit)
}

// renderPassage renders entries up to a limit, and records what of them was given.
func (s *Session) renderPassage(ctx context.Context, r Ref, seqs []int64, limit int) (Passage, error) {
	p, err := s.passage(r, seqs, limit)
	if err != nil {
		return p, err
	}
	return p, s.AppendLatest(ctx, p.recalled()...)
}

// recalled is what the log is told of a passage: which entries, and which lines of
// those of which a part was given.
func (p Passage) recalled() []tenfold.Entry {
	var whole tenfold.Recalled
	var out []tenfold.Entry
	for _, piece := range p.Pieces {
		switch {
		case piece.whole:
			whole.Entries = append(whole.Entries, piece.id)
		case piece.Kind != tenfold.KindToolCall:
			out = append(out, tenfold.Entry{Payload: tenfold.Recalled{
				Entries: []string{piece.id}, Lines: []tenfold.LineRange{{First: piece.First, Last: piece.Last}},
			}})
		}
	}
	if whole.Entries != nil {
		out = append(out, tenfold.Entry{Payload: whole})
	}
	return out
}

// visibleSeqs lists the entries of a reference that a model could see.
func (s *Session) visibleSeqs(r Ref) (seqs []int64) {
	first, ok := s.log.Entry(r.From)
	for seq := r.From; ok && seq <= min(r.To, s.log.Version()); seq++ {
		if e, _ := s.log.Entry(seq); e.Branch == first.Branch && recallText(e.Payload) != "" {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// passage renders entries up to a limit.
func (s *Session) passage(r Ref, seqs []int64, limit int) (Passage, error) {
	if limit <= 0 || limit > RecallTokens {
		limit = RecallTokens
	}
	r.Conversation = Handle(s.id)
	out := Passage{Conversation: s.id, Ref: r.String()}
	if len(seqs) == 0 {
		wrong := "nothing in it that a model could see"
		if r.From > s.log.Version() {
			wrong = fmt.Sprintf("the conversation has entries 1 to %d", s.log.Version())
		}
		return out, &problem.Error{Code: "not_found", Subject: "reference " + r.String(), Problem: wrong, Hint: "search finds entries by their words", Err: ErrNoEntry}
	}
	count := func(text string) int { return s.log.Counter().Count(out.shield(text)) }
	left := max(limit, leastRecall) - count(nextLine(r.Conversation+":1000000-1000000#1000000.1000000"))
	for i, seq := range seqs {
		next := Ref{Conversation: r.Conversation, From: seq, To: seq, Line: 1, Last: r.Last}
		if r.To > r.From {
			next.To = r.To
		}
		if seq == r.From {
			next.Line, next.Byte = max(r.Line, 1), r.Byte
		}
		piece := s.piece(seq, r.Conversation)
		text, ok := lineAt(recallText(s.payload(seq)), next.Line, next.Byte)
		if !ok {
			return out, &problem.Error{
				Code: "not_found", Subject: "reference " + r.String(), Problem: fmt.Sprintf("entry %d ends before that, in line %d", seq, piece.Lines),
				Hint: "name an earlier line, or none for all of it", Err: ErrNoEntry,
			}
		}
		piece.First = next.Line
		left -= count(piece.Heading()+"\n") + headingSlack
		done := false
		if left >= leastText || i == 0 {
			piece.Text, next, done = takeLines(count, text, next, left)
			piece.Last = piece.First + strings.Count(strings.TrimSuffix(piece.Text, "\n"), "\n")
			piece.whole = done && piece.First == 1 && r.Byte == 0 && piece.Last == piece.Lines
			out.Pieces = append(out.Pieces, piece)
			left -= count(piece.Text)
		}
		if !done {
			if next.To > next.From && next.Line == 1 && next.Byte == 0 {
				next.Line = 0 // the rest of a range, from the beginning of an entry on
			}
			out.Next = next.String()
			break
		}
	}
	out.Tokens = s.log.Counter().Count(out.Text())
	return out, nil
}

// shield takes apart what in a text of the log reads like a heading or like the
// reference at the end: it would speak as somebody else.
func (p Passage) shield(text string) string {
	handle, _, _ := strings.Cut(p.Ref, ":")
	return shield.Marks(text, '[', "more:", handle+":#")
}

// How many tokens a heading may cost more once its lines are known, and how many
// must be left for a piece to be begun.
const (
	headingSlack = 12
	leastText    = 40
)

func (s *Session) payload(seq int64) tenfold.Payload {
	e, _ := s.log.Entry(seq)
	return e.Payload
}

// piece says what an entry is.
func (s *Session) piece(seq int64, handle string) Piece {
	e, _ := s.log.Entry(seq)
	turn, _, _ := s.log.Where(seq)
	p := Piece{
		Ref: Ref{Conversation: handle, From: seq, To: seq}.String(), Seq: seq, Turn: turn,
		Kind: e.Payload.Kind(), Lines: countLines(recallText(e.Payload)), id: e.ID,
	}
	switch payload := e.Payload.(type) {
	case tenfold.ToolCall:
		p.Tool = payload.Name
	case tenfold.ToolResult:
		call, _ := s.log.CallOf(seq)
		p.Tool = call.Name
		p.Outcome = tool.OutcomeOf(p.Tool, payload)
	}
	return p
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// lineAt is a text from a line on, and from a byte of that on, both from 1.
func lineAt(text string, line, at int) (string, bool) {
	for range line - 1 {
		end := strings.IndexByte(text, '\n')
		if end < 0 || end == len(text)-1 {
			return "", false
		}
		text = text[end+1:]
	}
	if end := strings.IndexByte(text, '\n'); at > len(text) || (end >= 0 && at > end+1) {
		return "", false
	}
	return text[runes.Last(text, at-1):], true
}

// takeLines gives as many lines of a text as so many tokens are enough for, of a longer
// one a part of its first line, and where to go on. Done says that nothing is left
// over.
func takeLines(count func(string) int, text string, from Ref, left int) (taken string, next Ref, done bool) {
	next = from
	size := 0
	for line := range strings.Lines(text) {
		if from.Last > 0 && next.Line > from.Last {
			return text[:size], next, true
		}
		if cost := costOf(count, line, left); cost <= left {
			left -= cost
			size += len(line)
			next.Line, next.Byte = next.Line+1, 0
			continue
		}
		if size > 0 {
			return text[:size], next, false
		}
		part := longestBeginning(count, line, left)
		next.Byte = max(from.Byte, 1) + len(part)
		if len(part) == len(line) {
			next.Line, next.Byte = next.Line+1, 0
		}
		return part, next, len(part) == len(text)
	}
	return text[:size], next, true
}

// longestToken is more bytes than a token has on average in any text.
const longestToken = 64

// costOf counts a line, unless it is far too long: then it is more than what is left.
func costOf(count func(string) int, line string, left int) int {
	if len(line) > max(left, 1)*longestToken {
		return left + 1
	}
	return count(line)
}

// longestBeginning is the longest beginning of a line, to within a tenth, that costs at
// most so many tokens; at least one character.
func longestBeginning(count func(string) int, line string, tokens int) string {
	for size := min(len(line), max(tokens, 1)*longestToken); ; size = size * 9 / 10 {
		if size = runes.Last(line, size); size == 0 {
			_, size = utf8.DecodeRuneInString(line)
			return line[:size]
		}
		if count(line[:size]) <= tokens {
			return line[:size]
		}
	}
}

// recallText is what a model could see of a payload, or could once: empty for what
// it never sees.
func recallText(p tenfold.Payload) string {
	switch p := p.(type) {
	case tenfold.ToolCall:
		return tool.ArgumentsText(p.Arguments)
	case tenfold.ToolResult, tenfold.UserMessage, tenfold.AssistantMessage, tenfold.Reasoning:
		return tenfold.SearchText(p)
	}
	return ""
}
