package summary

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"tenfold"
	"tenfold/provider"
)

// ask has the model answer once, in at most so many tokens, which the view is
// told, and gives the answer read and as it was said.
func (w *writing) ask(ctx context.Context, maxTokens int, view func(most int) *tenfold.Projection) (answer, string, error) {
	said, err := w.askWithinLimits(ctx, maxTokens, func(most int) provider.Request {
		return provider.Request{View: view(most), MaxTokens: most, NoTools: true, Schema: answerSchema}
	})
	if err != nil {
		return answer{}, said, err
	}
	got, err := parseAnswer(said)
	if err == nil && got.Text() == "" {
		err = &stoppedError{}
	}
	return got, said, err
}

// thinkingRoom is how many tokens a model may think before its answer.
const thinkingRoom = 16_000

// askWithinLimits asks for an answer that the model may give: where the provider refuses
// one as long and says how long it may be, it is asked once more within that,
// and not for more from then on. So it is, with room to think, where a model that nobody
// knew to think thought until its answer had to end.
func (w *writing) askWithinLimits(ctx context.Context, maxTokens int, request func(most int) provider.Request) (string, error) {
	most := min(maxTokens, w.track.mostOutput(math.MaxInt))
	r := w.withRoom(request(most))
	said, err := collectText(ctx, w.Provider, r, w.track)
	if limit := provider.MaxOutput(err); limit > 0 && limit < r.MaxTokens && said == "" && ctx.Err() == nil {
		most = min(most, w.track.mostOutput(limit))
		r = w.withRoom(request(most))
		said, err = collectText(ctx, w.Provider, r, w.track)
	}
	if stop := (*stoppedError)(nil); errors.As(err, &stop) && stop.thought && ctx.Err() == nil {
		w.track.makeRoom(thinkingRoom)
		if more := w.withRoom(request(most)); more.MaxTokens > r.MaxTokens {
			r = more
			said, err = collectText(ctx, w.Provider, r, w.track)
		}
	}
	if err == nil && r.MaxTokens > most && w.counter.Count(said) > 2*most { // it took the room for words; vocabularies differ
		err = &stoppedError{cutOff: true, text: said}
	}
	return said, err
}

// withRoom lets the model think before its answer, as far as its window and its limit go.
func (w *writing) withRoom(r provider.Request) provider.Request {
	window := w.window()
	left := window - window/20 - r.View.Tokens()
	r.MaxTokens = max(r.MaxTokens, min(r.MaxTokens+w.track.makeRoom(0), left, w.maxOutput(), w.track.mostOutput(math.MaxInt)))
	return r
}

// collectText collects the text of an answer. A model that does not take a request
// with a schema is asked without one: the words of the request say what shape is
// wanted too, and many servers enforce none. A stream that broke off is asked for
// once more: nobody has seen any of it, and what retries never begins one anew.
func collectText(ctx context.Context, m provider.Model, r provider.Request, track *tracker) (string, error) {
	call := track.call(r.View.Tokens())
	if track.plain.Load() {
		r.Schema = ""
	}
	said, err := collectAnswer(ctx, m, r, track, call)
	if r.Schema != "" && said == "" && provider.KindOf(err) == provider.Invalid && provider.MaxOutput(err) == 0 {
		r.Schema = ""
		if said, err = collectAnswer(ctx, m, r, track, call); err == nil {
			track.plain.Store(true)
		}
	}
	if ctx.Err() == nil && track.began(call) && brokeOff(err) {
		call = track.call(r.View.Tokens())
		said, err = collectAnswer(ctx, m, r, track, call)
	}
	if err == nil {
		err = track.unreadError(call, r.View.Tokens())
	}
	return said, err
}

func brokeOff(err error) bool {
	return slices.Contains([]provider.Kind{provider.CutOff, provider.Overloaded, provider.Unreachable}, provider.KindOf(err))
}

// collectAnswer collects the text of one answer. An answer that is no good whatever it
// says is a [*stoppedError]. No more is taken in than the answer may have: a
// token has rarely more than sixteen bytes.
func collectAnswer(ctx context.Context, m provider.Model, r provider.Request, track *tracker, call int) (string, error) {
	most := r.MaxTokens*16 + 1<<12
	var text strings.Builder
	streamed, thought := 0, 0
	stop := provider.Stop("")
	for e, err := range m.Stream(ctx, r) {
		if err != nil {
			if provider.KindOf(err) == provider.Refused {
				return text.String(), &stoppedError{declined: true, text: text.String()}
			}
			return text.String(), err
		}
		if ctx.Err() != nil {
			return text.String(), ctx.Err()
		}
		block, _ := e.Block.(tenfold.AssistantMessage)
		if block.Signature != "" {
			continue // of what it does, to the user: no part of the answer
		}
		if streamed += len(e.Text); max(streamed, text.Len()+len(block.Text)) > most {
			return "", &stoppedError{cutOff: true}
		}
		text.WriteString(block.Text)
		thought += len(e.Reasoning)
		track.arrived(call, len(e.Text)+len(e.Reasoning), e.Usage)
		if e.Stop != "" {
			stop = e.Stop
		}
	}
	switch said := text.String(); {
	case ctx.Err() != nil:
		return said, ctx.Err()
	case stop == provider.StopRefused:
		return said, &stoppedError{declined: true, text: said}
	case stop != provider.StopEnd && stop != provider.StopTools:
		// Also a stream that ended without saying so.
		return said, &stoppedError{cutOff: true, text: said, thought: stop == provider.StopLength && (said == "" || thought > len(said))}
	default:
		return said, nil
	}
}
