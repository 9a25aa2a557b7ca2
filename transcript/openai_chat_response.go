package transcript

import (
	"strconv"
	"time"

	"tenfold"
)

// openaiResponse is what is read of a chat completion: the message of the
// first choice, and what the response reports.
type openaiResponse struct {
	message   span // in the record's text
	more      bool // there are other choices
	id, model string
	created   time.Time
	counted   bool
	usage     tenfold.Usage
}

// read reads the response at a place of a record. What is no response leaves
// nothing.
func (a *openaiResponse) read(s *scanner, r *chatRecord, at span) {
	*a = openaiResponse{}
	s.reset(at.of(r.raw))
	if s.kind() != '{' {
		return
	}
	cached, prompt, written := 0, 0, 0
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"id"`:
			a.id = s.text()
		case `"model"`:
			a.model = s.text()
		case `"created"`:
			v := s.value()
			if s.err == nil {
				f, _ := strconv.ParseFloat(string(v.of(s.raw)), 64)
				a.created = unixTime(f)
			}
		case `"choices"`:
			a.choices(s, at.from)
		case `"usage"`:
			a.counted = s.kind() == '{'
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"prompt_tokens"`:
					prompt = s.number(s.value())
				case `"completion_tokens"`:
					a.usage.Output = s.number(s.value())
				case `"cache_creation_input_tokens"`:
					written = s.number(s.value())
				case `"prompt_tokens_details"`:
					eachMember(s, func(name []byte) {
						if v := s.value(); string(name) == `"cached_tokens"` {
							cached = s.number(v)
						}
					})
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	})
	// The prompt's count holds what was cached; ours are apart.
	a.usage.CacheRead, a.usage.CacheWrite = cached, written
	a.usage.Input = max(prompt-cached-written, 0)
}

func (a *openaiResponse) choices(s *scanner, from int) {
	if s.kind() != '[' {
		s.value()
		return
	}
	s.token()
	for n := 0; s.more(); n++ {
		a.more = n > 0
		eachMember(s, func(name []byte) {
			if v := s.value(); string(name) == `"message"` && n == 0 && s.err == nil && s.raw[v.from] == '{' {
				a.message = span{v.from + from, v.to + from}
			}
		})
	}
	s.token()
}
