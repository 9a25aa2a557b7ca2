package pi

import (
	"cmp"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// piAPI says which API, provider and model of pi a response came from. pi sends signed
// thinking back only to the ones it came from.
type piAPI struct{ api, provider, model string }

// readAPIs takes from the lines of a session of pi's own what they say.
func (x *piWriter) readAPIs() {
	x.apis, x.models = map[string]piAPI{}, map[string]piAPI{}
	var r Record
	known := map[piAPI]piAPI{} // each text once
	for e := range x.v.Projection.Log().Entries() {
		if e.Source == "" || e.Source[0] != '{' {
			continue
		}
		r.Parse(&x.scan, []byte(e.Source))
		at := piAPI{r.Msg.api, r.Msg.provider, r.Msg.model}
		if at.provider == "" || x.scan.Err != nil {
			continue
		}
		if _, ok := known[at]; !ok {
			known[at] = at
		}
		x.apis[intake.RecordID(e.ID)] = known[at]
		x.models[cmp.Or(at.model, r.modelID)] = known[at]
	}
}

// apiOf is what the line of an entry says; for one of elsewhere it is guessed by
// the model's name.
func (x *piWriter) apiOf(e tenfold.Entry, model string) piAPI {
	said, ok := x.apis[intake.RecordID(e.ID)]
	if !ok {
		said = x.models[model]
	}
	guess := piAPI{"openai-responses", "openai", cmp.Or(model, "unknown")}
	switch {
	case strings.Contains(model, "claude"):
		guess = piAPI{"anthropic-messages", "anthropic", model}
	case strings.Contains(model, "gemini"):
		guess = piAPI{"google-generative-ai", "google", model}
	}
	return piAPI{cmp.Or(said.api, guess.api), cmp.Or(said.provider, guess.provider), cmp.Or(said.model, guess.model)}
}
