package transcript

import (
	"math"
	"strings"
	"time"

	"tenfold"
)

// amend takes numbers out of an entry that cannot be right, whatever the file
// says: negative counts, counts that no text of its size has, times that no
// log can hold, costs that are no amount. A count that is gone is counted again
// where it can be. It reports whether there were any.
func amend(e *tenfold.Entry) (amended bool) {
	count := func(n *int) {
		if *n < 0 || *n > math.MaxInt32 {
			*n, amended = 0, true
		}
	}
	usage := func(u *tenfold.Usage) {
		for _, n := range [...]*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
			count(n)
		}
		if c := u.Cost; c != nil && !(*c >= 0 && *c < 1e9) {
			u.Cost, amended = nil, true
		}
	}
	if !e.Time.IsZero() && !possibleTime(e.Time) {
		e.Time, amended = time.Time{}, true
	}
	if e.Tokens != 0 && (e.Tokens < 0 || !possibleTokens(e.Tokens, e.Payload)) {
		e.Tokens, amended = 0, true
	}
	switch p := e.Payload.(type) {
	case tenfold.Usage:
		usage(&p)
		if amended {
			e.Payload = p
		}
	case tenfold.CompactionFailed:
		count(&p.Tokens)
		count(&p.Limit)
		if amended {
			e.Payload = p
		}
	case tenfold.Compaction:
		count(&p.TokensBefore)
		count(&p.TokensAfter)
		if s := p.Summary; s != nil {
			own := *s
			count(&own.Covers.Entries)
			count(&own.Covers.Tokens)
			if own.Usage != nil {
				u := *own.Usage
				usage(&u)
				own.Usage = &u
			}
			p.Summary = &own
		}
		if amended {
			e.Payload = p
		}
	}
	return amended
}

// possibleConversation is a conversation without a time that cannot be.
func possibleConversation(c Conversation) Conversation {
	if !possibleTime(c.Created) {
		c.Created = time.Time{}
	}
	return c
}

// possibleTime reports whether a log can hold a time.
func possibleTime(t time.Time) bool { return t.Year() >= 1678 && t.Year() <= 2261 }

const (
	// tokenBytes is more than the longest token of any vocabulary holds.
	tokenBytes = 256
	// fileTokens is the most that a file, or an item of a provider, counts for.
	fileTokens = 2000
	// frameTokens are what a counter may add for what is around a text.
	frameTokens = 100
)

// plainTokens may be said of any payload: other counters see what a text does
// not show, as a prompt around it.
const plainTokens = 1 << 17

// possibleTokens reports whether a payload can be so many tokens: one for each
// byte at most, beyond what any may have, and no text is made of tokens longer
// than there are.
func possibleTokens(n int, payload tenfold.Payload) bool {
	text, files := 0, 0
	parts := func(list []tenfold.Part) {
		for _, p := range list {
			text += len(p.Text)
			if p.File != nil {
				files += fileTokens + len(p.File.Name) + len(p.File.Detail)
			}
		}
	}
	switch p := payload.(type) {
	case tenfold.UserMessage:
		parts(p.Parts)
		for _, a := range p.Attachments {
			text += len(a.Name) + len(a.Content)
		}
	case tenfold.AssistantMessage:
		text = len(p.Text)
	case tenfold.Reasoning:
		if text = len(p.Text); strings.TrimSpace(p.Text) == "" {
			files, text = text+len(p.Encrypted)+len(p.Signature), 0
		}
	case tenfold.ToolCall:
		text = len(p.Name) + len(p.Arguments)
	case tenfold.ToolResult:
		parts(p.Parts)
	case tenfold.ProviderItem:
		files = fileTokens
	}
	return n >= text/tokenBytes && n <= max(text+files+frameTokens, plainTokens)
}
