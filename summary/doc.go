// Package summary writes summaries: what stands for a stretch of conversation
// once a strategy hides it.
//
// A ledger holds the facts that a program can take from the log exactly
// (semantics M3): what the user asked and forbade, word for word; the plan;
// what failed and was not put right; which files were changed; how each
// command ended. It invents no prose: each line quotes the log.
//
// [Digest] is the summarizer that needs no model and no network (M4): the
// ledger and the exchanges that matter most, within a budget of tokens. The
// same log gives the same digest.
//
// [Model] has a language model write the summary (S-11): it is shown raw entries,
// in parts where they do not fit, asked for a structured answer, and given the
// ledger's facts to stand beside it.
//
// Package check looks up in the raw entries what a summary names, and says what
// stands nowhere and what of that misleads: a [Model] whose answer misleads is
// asked once more and then given up.
//
// [Ladder] is summarizers of which the next takes over where one fails, most
// often a [Model] and then the [Digest] (A6).
//
// [Recorded] keeps what a summarizer read and wrote as files, with what looks
// like a secret blacked out (M5).
//
// [Classifier] has a model name turns that are off the task (S-13); a person
// says which of them may go.
//
// Put together as the command line does it:
//
//	summarizer := summary.Recorded{
//		Of: summary.Ladder{
//			summary.Model{Provider: provider.Retry(m, provider.Policy{}), Facts: summary.LedgerFacts, Cost: provider.Cost},
//			summary.Digest{},
//		},
//		Artifacts: summary.Directory(dir), Conversation: id, Now: time.Now,
//	}
//
// [Constraints] finds the sentences in which somebody states a standing
// constraint, by the fixed list of [atom.ConstraintPatterns].
package summary
