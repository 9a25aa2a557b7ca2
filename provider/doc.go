// Package provider calls models.
//
// A [Model] is one model of one provider. It is shown a projection and streams
// what it answers: pieces of text as they come, and each block as a payload of a
// log once it is whole, with signatures and encrypted content byte for byte.
// [Collect] waits for the whole answer. What goes wrong is an [*Error] whose
// kind says what a caller can do about it; [Retry] does what can be done by
// waiting.
//
// An answer that a model or a filter declined to give in full ends with
// [StopRefused]; a request that was declined before there was an answer is an
// [*Error] of kind [Refused]. [Cost] tells what an answer cost, by prices that
// come with the program and can be overridden.
//
// The sub-packages anthropic, openai and gemini send over net/http. Package
// openai also talks to the servers that speak its wire formats, on this machine
// or elsewhere. Package catalog makes a model of its name and a table of
// settings. Package script plays answers that were written before, for tests,
// demonstrations and work without a network.
//
// Keys come from the environment variable that a configuration names, and from
// nowhere else; they are in no error and no log.
package provider
