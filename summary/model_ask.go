package summary

import (
	"context"
	"math"
	"slices"
	"strings"

	"tenfold"
	"tenfold/provider"
)

// ask has the model answer once, in at most so many tokens, which the view is
// told, and gives the answer read and as it was said.
func (w *writing) ask(ctx context.Context, maxTokens int, view func(most int) *tenfold.Projection) (answer, string, error) {
	said, err := askWithinLimits(ctx, w.Provider, maxTokens, w.track, func(most int) provider.Request {
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

// askWithinLimits asks for an answer that the model may give: where the provider refuses
// one as long and says how long it may be, it is asked once more within that,
// and not for more from then on.
func askWithinLimits(ctx context.Context, m provider.Model, maxTokens int, track *tracker, request func(most int) provider.Request) (string, error) {
	most := min(maxTokens, track.mostOutput(math.MaxInt))
	said, err := collectText(ctx, m, request(most), track)
	if limit := provider.MaxOutput(err); limit > 0 && limit < most && said == "" && ctx.Err() == nil {
		said, err = collectText(ctx, m, request(track.mostOutput(limit)), track)
	}
	return said, err
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
	streamed := 0
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
		return said, &stoppedError{cutOff: true, text: said}
	default:
		return said, nil
	}
}
