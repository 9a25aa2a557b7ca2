package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A stream cuts the Markdown that a model writes into pieces that can be rendered
// one by one: whole blocks, as they are finished. Each byte is looked at once, and
// what waits for its block to end is bounded by mostPending.
type stream struct {
	pending []byte
	at      int    // how much of pending was looked at: whole lines
	whole   int    // how much of it is whole blocks
	blank   bool   // the last line looked at is blank
	fence   string // that closes the code under way
	joined  bool   // pending goes on with a block that had to be cut
}

// mostPending is how much text waits for its block to end.
const mostPending = 16 << 10

// A chunk is Markdown that can be rendered by itself. Joined tells that it goes on
// with the block before.
type chunk struct {
	markdown string
	joined   bool
}

// add takes in what was written, and gives what is finished.
func (s *stream) add(text []byte) []chunk {
	var chunks []chunk
	for len(text) > 0 {
		n := min(len(text), mostPending)
		s.pending, text = append(s.pending, text[:n]...), text[n:]
		s.scanLines()
		if s.whole > 0 {
			chunks = append(chunks, s.takeChunk(s.whole))
		}
		if len(s.pending) > mostPending {
			chunks = append(chunks, s.takeChunk(s.cutPlace()))
		}
	}
	return chunks
}

// scanLines looks at the lines that are whole.
func (s *stream) scanLines() {
	for s.at < len(s.pending) {
		// A block begins after a blank line, unless it is indented: then it may
		// belong to the item of a list.
		if c := s.pending[s.at]; s.blank && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			s.whole, s.blank = s.at, false
		}
		end := bytes.IndexByte(s.pending[s.at:], '\n')
		if end < 0 {
			return
		}
		line := string(bytes.TrimSpace(s.pending[s.at : s.at+end]))
		s.at += end + 1
		switch {
		case s.fence == "":
			s.fence = fenceOf(line)
			s.blank = line == ""
		case strings.HasPrefix(line, s.fence) && strings.Trim(line, s.fence[:1]) == "":
			s.fence = ""
		}
	}
}

// fenceOf is the mark that a line opens a block of code with.
func fenceOf(line string) string {
	for _, mark := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 && (mark == "~" || !strings.Contains(line[n:], mark)) {
			return line[:min(n, 64)]
		}
	}
	return ""
}

// takeChunk takes the first n bytes. Code that goes on after them is closed, and opened
// again.
func (s *stream) takeChunk(n int) chunk {
	c := chunk{string(s.pending[:n]), s.joined}
	s.joined = n > s.whole
	s.pending, s.at, s.whole = s.pending[n:], max(s.at-n, 0), 0
	if s.joined && s.fence != "" {
		c.markdown = strings.TrimSuffix(c.markdown, "\n") + "\n" + s.fence
		s.pending = append([]byte(s.fence+"\n"), s.pending...)
		s.at += len(s.fence) + 1
	}
	return c
}

// cutPlace is where to cut a block that is too long: between lines, or words, or
// anywhere but in a character.
func (s *stream) cutPlace() int {
	least := len(s.fence) + 1
	if n := bytes.LastIndexByte(s.pending, '\n') + 1; n > least {
		return n
	}
	if n := bytes.LastIndexByte(s.pending, ' ') + 1; n > least {
		return n
	}
	n := len(s.pending)
	for back := 1; back < utf8.UTFMax; back++ {
		if last := s.pending[n-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				n -= back
			}
			break
		}
	}
	return n
}

// end gives what is left.
func (s *stream) end() (chunk, bool) {
	left := chunk{string(s.pending), s.joined}
	*s = stream{}
	return left, strings.TrimSpace(left.markdown) != ""
}

// tail is the end of what is not finished, at most so many bytes.
func (s *stream) tail(most int) string {
	from := max(len(s.pending)-most, 0)
	for from > 0 && from < len(s.pending) && !utf8.RuneStart(s.pending[from]) {
		from++
	}
	return string(s.pending[from:])
}
