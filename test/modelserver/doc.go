// Package modelserver plays the vendors of models: one HTTP server that speaks
// Anthropic's messages (with count_tokens), OpenAI's responses and chat
// completions, and Gemini, streamed or not. It answers by a [Script], records
// every request, reports the usage that it is told to report or that its model
// of the provider's prompt cache gives, and refuses what the real services
// refuse, with their wording: calls without results, roles, ids, empty texts,
// and thinking that is bound to another prefix (live.md, B1–B4).
//
// It is for tests and demonstrations: real clients are started with their base
// URL pointed at it, and the test looks at [Server.Requests], which is what a
// model would have been sent.
//
//	s := modelserver.New(modelserver.Sequence(
//		modelserver.Calls(modelserver.Call("Read", `{"file_path":"go.mod"}`)),
//		modelserver.Text("It is a Go module."),
//	))
//	h := httptest.NewServer(s)
//
// Its checks share no code with the writers and validators of Tenfold, so that
// a mistake in our reading of a wire format does not pass by itself.
package modelserver
