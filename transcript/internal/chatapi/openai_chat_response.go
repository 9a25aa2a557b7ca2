package chatapi

import (
	"time"

	"tenfold"
	"tenfold/transcript/internal/walk"
)

// openaiResponse is what is read of a chat completion: the message of the
// first choice, and what the response reports.
type openaiResponse struct {
	message   walk.Span // in the record's text
	more      bool      // there are other choices
	id, model string
	created   time.Time
	counted   bool
	usage     tenfold.Usage
}

// read reads the response at a place of a record. What is not a response leaves
// nothing.
func (a *openaiResponse) read(s *walk.Scanner, r *ChatRecord, at walk.Span) {
	*a = openaiResponse{}
	s.Reset(at.Of(r.raw))
	if s.Kind() != '{' {
		return
	}
	cached, prompt, written := 0, 0, 0
	walk.Shape{
		"id", &a.id,
		"model", &a.model,
		"created", func() { a.created = UnixTime(s.Float()) },
		"choices", func() { a.choices(s, at.From) },
		"usage", func() {
			a.counted = s.Kind() == '{'
			walk.Shape{
				"prompt_tokens", &prompt,
				"completion_tokens", &a.usage.Output,
				"cache_creation_input_tokens", &written,
				"prompt_tokens_details", walk.Inner("cached_tokens", &cached),
			}.Read(s)
		},
	}.Read(s)
	// The prompt's count holds what was cached; ours are apart.
	a.usage.CacheRead, a.usage.CacheWrite = cached, written
	a.usage.Input = max(prompt-cached-written, 0)
}

func (a *openaiResponse) choices(s *walk.Scanner, from int) {
	n := 0
	walk.EachItem(s, func() {
		a.more = n > 0
		walk.OneMember(s, "message", func() {
			if v := s.Value(); n == 0 && s.Err == nil && s.Raw[v.From] == '{' {
				a.message = walk.Span{From: v.From + from, To: v.To + from}
			}
		})
		n++
	})
}
