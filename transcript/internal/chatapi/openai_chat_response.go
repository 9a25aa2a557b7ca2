package chatapi

import (
	"strconv"
	"time"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// openaiResponse is what is read of a chat completion: the message of the
// first choice, and what the response reports.
type openaiResponse struct {
	message   engine.Span // in the record's text
	more      bool        // there are other choices
	id, model string
	created   time.Time
	counted   bool
	usage     tenfold.Usage
}

// read reads the response at a place of a record. What is not a response leaves
// nothing.
func (a *openaiResponse) read(s *engine.Scanner, r *ChatRecord, at engine.Span) {
	*a = openaiResponse{}
	s.Reset(at.Of(r.raw))
	if s.Kind() != '{' {
		return
	}
	cached, prompt, written := 0, 0, 0
	engine.EachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			a.id = s.Text()
		case `"model"`:
			a.model = s.Text()
		case `"created"`:
			v := s.Value()
			if s.Err == nil {
				f, _ := strconv.ParseFloat(string(v.Of(s.Raw)), 64)
				a.created = UnixTime(f)
			}
		case `"choices"`:
			a.choices(s, at.From)
		case `"usage"`:
			a.counted = s.Kind() == '{'
			engine.EachMember(s, func(name []byte) {
				switch string(name) {
				case `"prompt_tokens"`:
					prompt = s.Number(s.Value())
				case `"completion_tokens"`:
					a.usage.Output = s.Number(s.Value())
				case `"cache_creation_input_tokens"`:
					written = s.Number(s.Value())
				case `"prompt_tokens_details"`:
					engine.EachMember(s, func(name []byte) {
						if v := s.Value(); string(name) == `"cached_tokens"` {
							cached = s.Number(v)
						}
					})
				default:
					s.Value()
				}
			})
		default:
			s.Value()
		}
	})
	// The prompt's count holds what was cached; ours are apart.
	a.usage.CacheRead, a.usage.CacheWrite = cached, written
	a.usage.Input = max(prompt-cached-written, 0)
}

func (a *openaiResponse) choices(s *engine.Scanner, from int) {
	n := 0
	engine.EachItem(s, func() {
		a.more = n > 0
		engine.EachMember(s, func(name []byte) {
			if v := s.Value(); string(name) == `"message"` && n == 0 && s.Err == nil && s.Raw[v.From] == '{' {
				a.message = engine.Span{From: v.From + from, To: v.To + from}
			}
		})
		n++
	})
}
