// Package token counts tokens, exactly and offline, and says what a count is
// worth: how full a model's context window is, and how far an estimate can be
// trusted.
//
// # Counting
//
// A language model does not read characters but tokens, pieces of text from a
// fixed vocabulary: "token" is one, "tokenization" two, " zyzzyva" four. Prices,
// limits and context windows are in tokens, so whoever decides what to keep of
// a conversation has to count them. A [Counter] does that:
//
//	n := token.O200k().Count("How many tokens is this?")
//
// [O200k] is the default and [Cl100k] the encoding of older models; both agree
// with the published encodings on every text. [Heuristic] takes four
// characters for a token. [Named] finds a counter by its name in a
// configuration.
//
// Counters are safe for concurrent use and do not allocate. The vocabularies
// are part of the program; the first use of one builds its tables, which takes
// some 15 milliseconds and 8 megabytes. A text need not be counted as a
// whole, but tokens may reach over a place where it is cut: only the sum over
// texts that are sent as separate parts is exact.
//
// How it works: an encoding first splits a text into pieces, roughly words,
// by rules that are regular expressions in the original and hand-written
// scanners here. A piece that is in the vocabulary is one token. Any other
// is encoded by taking the longest token that may come next and stepping back
// where that leads nowhere, which gives the same tokens as merging pairs of
// neighbours but takes time linear in the length of the piece. Most pieces
// were seen a moment ago and are answered from a small cache.
//
// # Estimates and what the provider reports
//
// Providers count with vocabularies of their own, add tokens around messages,
// and report the sum afterwards. A [Calibration] learns from the usage records of
// a conversation what its provider counts for an estimated token, and gives a
// [Scale] that converts estimates. A [Source] says where a figure comes from, so
// that it is never shown as more than it is.
//
// # Context windows
//
// [Windows] knows how many tokens fit into the context of a model. The zero
// value holds the table that ships with the program; configuration adds to it
// with [Windows.With].
package token
