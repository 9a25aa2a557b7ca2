// Package summary writes summaries: what stands for a stretch of conversation
// once a strategy hides it.
//
// A [Ledger] holds the facts that a program can take from the log exactly
// (semantics M3): what the user asked and forbade, word for word; the plan;
// what failed and was not put right; which files were changed; how each
// command ended. It invents no prose: each line quotes the log.
//
// [Digest] is the summarizer that needs no model and no network (M4): the
// ledger and the exchanges that matter most, within a budget of tokens. The
// same log gives the same digest.
//
// [Constraints] finds the sentences in which somebody states a standing
// constraint, by the fixed list of [ConstraintPatterns].
package summary
