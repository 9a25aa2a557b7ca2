package wire

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/provider"
)

// A Problem is what a provider says went wrong, before or in a stream.
type Problem struct { //nolint:errname // it becomes a provider.Error
	Status int
	Header http.Header
	// Words are what names the problem: types, codes, statuses and reasons,
	// as the provider writes them.
	Words   []string
	Message string
	// Used and Limit are tokens, After a wait, where members say them.
	Used, Limit int
	After       time.Duration
}

// Error implements error.
func (p *Problem) Error() string { return p.Message }

// problemBody is an error's object, the members of all vendors together.
type problemBody struct {
	Type    jsontext.Value `json:"type"`
	Code    jsontext.Value `json:"code"`
	Status  jsontext.Value `json:"status"`
	Message jsontext.Value `json:"message"`
	Error   jsontext.Value `json:"error"`
	Detail  jsontext.Value `json:"detail"`
	Details []struct {
		Reason jsontext.Value `json:"reason"`
		Delay  jsontext.Value `json:"retryDelay"`
	} `json:"details"`
	Prompt Int `json:"n_prompt_tokens"`
	Window Int `json:"n_ctx"`
}

// ParseProblem reads the body of an error response or an error event.
func ParseProblem(status int, header http.Header, raw []byte) *Problem {
	p := &Problem{Status: status, Header: header}
	v := jsontext.Value(strings.TrimSpace(string(raw)))
	if v.Kind() == '[' { // Gemini's, in a list
		var list []jsontext.Value
		if Unmarshal(v, &list) == nil && len(list) > 0 {
			v = list[0]
		}
	}
	if !p.object(v, 4) && p.Message == "" {
		p.Message = pageText(string(raw))
	}
	p.Message = cmp.Or(p.Message, http.StatusText(p.Status))
	return p
}

// object reads an error object, or what holds one, not too deep.
func (p *Problem) object(v jsontext.Value, depth int) bool {
	var b problemBody
	if depth == 0 {
		return false
	}
	switch v.Kind() {
	case '{':
		if Unmarshal(v, &b) != nil {
			return false
		}
	case '"':
		p.Message = rawjson.Text(v)
		return true
	default:
		return false
	}
	if b.Error != nil && b.Error.Kind() != 'n' && p.object(b.Error, depth-1) {
		return true
	}
	for _, w := range []jsontext.Value{b.Type, b.Code, b.Status} {
		p.word(rawjson.Text(w))
	}
	if n := Int(0); p.Status == 0 && b.Code.Kind() == '0' && n.UnmarshalJSON(b.Code) == nil {
		p.Status = int(n)
	}
	for _, d := range b.Details {
		p.word(rawjson.Text(d.Reason))
		if wait, err := time.ParseDuration(rawjson.Text(d.Delay)); err == nil {
			p.After = max(p.After, wait)
		}
	}
	p.Used, p.Limit = int(b.Prompt), int(b.Window)
	p.Message = cmp.Or(rawjson.Text(b.Message), rawjson.Text(b.Detail))
	// A message may itself be the JSON of an error behind the one that speaks.
	if strings.HasPrefix(strings.TrimSpace(p.Message), "{") {
		inner := &Problem{}
		if inner.object(jsontext.Value(strings.TrimSpace(p.Message)), depth-1) && inner.Message != "" {
			p.Message, p.Words = inner.Message, append(p.Words, inner.Words...)
			p.After = max(p.After, inner.After)
		}
	}
	return p.Message != "" || len(p.Words) > 0
}

func (p *Problem) word(w string) {
	if w != "" && w != "error" {
		p.Words = append(p.Words, w)
	}
}

// pageText is what a gateway's page says, without its tags.
func pageText(page string) string {
	if !strings.Contains(page, "<") {
		return page
	}
	var b strings.Builder
	in := false
	for _, r := range page {
		switch {
		case r == '<':
			in = true
			b.WriteByte(' ')
		case r == '>':
			in = false
		case !in:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (p *Problem) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.Words, w) })
}

func (p *Problem) says(parts ...string) bool {
	text := strings.ToLower(p.Message)
	return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(text, s) })
}

// Kind tells what a caller can do about the problem.
func (p *Problem) Kind() provider.Kind {
	switch {
	case p.tooLarge():
		return provider.TooLarge
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden, p.Status == http.StatusPaymentRequired,
		p.has("authentication_error", "permission_error", "billing_error", "invalid_api_key", "insufficient_quota",
			"API_KEY_INVALID", "UNAUTHENTICATED", "PERMISSION_DENIED", "invalid_authentication"),
		p.says("credit balance is too low", "api key not valid", "api key expired"):
		return provider.Authentication
	case p.has("content_policy_violation", "content_filter", "invalid_prompt", "ResponsibleAIPolicyViolation", "refusal"):
		return provider.Refused
	case p.Status == http.StatusTooManyRequests, p.has("rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"):
		return provider.RateLimited
	case p.Status == http.StatusRequestTimeout, p.Status == http.StatusGatewayTimeout,
		p.has("timeout_error", "DEADLINE_EXCEEDED"):
		return provider.TimedOut
	case p.Status >= 500, p.has("overloaded_error", "api_error", "server_error", "server_is_overloaded", "slow_down",
		"UNAVAILABLE", "INTERNAL", "service_unavailable"):
		return provider.Overloaded
	}
	return provider.Invalid
}

func (p *Problem) tooLarge() bool {
	switch {
	case p.Status == http.StatusRequestEntityTooLarge,
		p.has("context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length"):
		return true
	case p.Status == http.StatusTooManyRequests:
		// OpenAI says so of one request that is over the limit of a minute:
		// waiting cannot help.
		return p.says("request too large for")
	}
	return p.says("prompt is too long", "exceed context limit", "maximum context length", "exceeds the context window",
		"exceeds the maximum number of tokens allowed", "exceed context window", "exceeds the available context size",
		"too large for model with", "context length exceeded", "input is too long")
}

// Failure makes the problem an error for a caller.
func (e *Endpoint) Failure(p *Problem, body []byte) *provider.Error {
	out := &provider.Error{
		Kind: p.Kind(), Model: e.Name, Status: p.Status, Message: e.clean(p.Message, body), After: p.wait(),
	}
	switch out.Kind {
	case provider.TooLarge:
		out.Used, out.Limit = p.Used, p.Limit
		if out.Limit == 0 {
			out.Used, out.Limit = tokenFigures(p.Message)
		}
		out.After = 0
		out.Hint = "compact the conversation, or ask for a shorter answer"
	case provider.Authentication:
		out.Hint = "check the key and the account it belongs to"
		if p.has("insufficient_quota", "billing_error") || p.Status == http.StatusPaymentRequired || p.says("credit balance") {
			out.Hint = "the account has no credit left"
		}
		out.After = 0
	case provider.RateLimited, provider.Overloaded, provider.TimedOut:
		out.Hint = "wait and try again"
	case provider.Refused:
		out.Hint = "the provider's filter declined; rephrase the request"
	case provider.Invalid:
		out.MaxOutput = maxOutput(p.Message)
		switch {
		case out.MaxOutput > 0:
			out.Hint = "set max_output of the model in the configuration to at most that many tokens"
		case p.Status == http.StatusNotFound:
			out.Hint = "check the model's name and the base URL"
		case p.Status >= 300 && p.Status < 400:
			out.Message = "the address answers with a redirect, which is not followed"
			out.Hint = "set the base URL to the address it redirects to"
		default:
			out.Hint = "the provider does not take the request as it is: check the model's name and what its server supports, or use another model"
		}
	}
	return out
}

// tokenFigures finds the used tokens and the limit in the words vendors put
// them in.
func tokenFigures(message string) (used, limit int) {
	text := strings.ToLower(message)
	nums := numbers(text)
	first := func(after string) int {
		if _, rest, ok := strings.Cut(text, after); ok {
			if n := numbers(rest); len(n) > 0 {
				return n[0]
			}
		}
		return 0
	}
	switch {
	case strings.Contains(text, "exceed context limit") && len(nums) >= 3: // input + answer > limit
		return nums[0] + nums[1], nums[2]
	case strings.Contains(text, "request too large for"):
		return first("requested "), first("limit ")
	case strings.Contains(text, "maximum context length is"):
		limit = first("maximum context length is")
		_, rest, _ := strings.Cut(text, "maximum context length is")
		if n := numbers(rest); len(n) > 1 {
			used = n[1]
		}
		if answer := first("is too large: "); answer > 0 {
			used += answer
		}
		return used, limit
	case len(nums) >= 2:
		return nums[0], nums[len(nums)-1]
	}
	return 0, 0
}

// outputWords name the limit of an answer, as requests and vendors call it.
var outputWords = []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "output tokens", "completion tokens", "maximum tokens you requested"}

// maxOutput finds how long an answer may be in the words in which vendors refuse
// a request for a longer one; 0 when a message says something else.
func maxOutput(message string) int {
	text := strings.ToLower(message)
	if !slices.ContainsFunc(outputWords, func(w string) bool { return strings.Contains(text, w) }) {
		return 0
	}
	for _, w := range []struct {
		before, after string
		less          int
	}{
		{"supports at most ", "", 0},                           // OpenAI, Azure
		{" > ", ", which is the maximum", 0},                   // Anthropic
		{"range is from 1 (inclusive) to ", " (exclusive)", 1}, // Gemini
		{"range is from 1 (inclusive) to ", " (inclusive)", 0}, //
		{"less than or equal to ", "", 0},                      // Groq, Mistral
		{"<= ", "", 0},                                         //
		{"range of max_tokens is [1, ", "]", 0},                // DeepSeek
		{"range of max_tokens should be [1, ", "]", 0},         // Qwen
		{"exceeds the model limit of ", "", 0},                 // Bedrock
	} {
		_, rest, ok := strings.Cut(text, w.before)
		for ; ok; _, rest, ok = strings.Cut(rest, w.before) {
			rest := strings.TrimLeft(rest, "` ")
			digits := strings.IndexFunc(rest+" ", func(r rune) bool { return (r < '0' || r > '9') && r != ',' && r != '_' })
			if strings.HasSuffix(rest[:digits], ",") {
				digits--
			}
			if n := numbers(rest[:digits]); len(n) == 1 && strings.HasPrefix(rest[digits:], w.after) && n[0] > w.less {
				return n[0] - w.less
			}
		}
	}
	return 0
}

// numbers gives the whole numbers of a text of two digits or more, with or
// without separators, that stand alone.
func numbers(text string) []int {
	var out []int
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' || (i > 0 && isWord(text[i-1])) {
			i++
			continue
		}
		n, digits := 0, 0
		for i < len(text) && ((text[i] >= '0' && text[i] <= '9') ||
			((text[i] == ',' || text[i] == '_') && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9')) {
			if text[i] != ',' && text[i] != '_' && digits < 12 {
				n, digits = n*10+int(text[i]-'0'), digits+1
			}
			i++
		}
		if digits > 1 && (i == len(text) || !isWord(text[i])) {
			out = append(out, n)
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '-' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
}
