// Package eval measures what a compaction leaves of what later work needs, on
// real conversations, without a model.
//
// # What is measured
//
// A conversation is cut after one of its requests, and the part before the cut,
// the prefix, is compacted. What the agent did afterwards tells what it needed.
// The words, exactly:
//
//   - A request is one model response, a step of the root (semantics L6) that
//     says or calls something, with its results. Requests count from 0; a cut at
//     25 % comes after request last × 25 / 100, rounded down, with all its
//     results, however late those arrived, and with what the person said before
//     the next request. A conversation ends here at the first summary that its
//     own tool made: what an agent did after one tells what the summary kept.
//
//   - N is how many entries of the prefix a reader of the root sees, df(a) how
//     many of them hold an atom a: a path, an identifier, an id or a number, as
//     the reference scripts find them, names inside paths among them.
//
//   - An atom is carried at a cut, with a horizon of H requests, if it stands
//     in the prefix, a tool input of one of the H requests after the cut uses
//     it, and no tool result or user message between the cut and that use shows
//     it. It weighs ln(1 + N/df).
//
//   - An entry is the lines of its text: of a message, a result, reasoning; of a
//     call the values of its arguments, below one another.
//
//   - Presence is the weight of the carried atoms that stand anywhere in the
//     view, over the weight of all.
//
//   - CUR, contextual carried-use recall, asks for more: the atom stands in a
//     line of the view that has 60 % of the words of one of its source lines,
//     and not more than 60 words; 30 % where the source line has more than 30
//     words. Source lines are those with the atom in the newest six entries of
//     the prefix that hold it.
//
//   - CUR-strict asks for as much of the words other than the atom's own, and
//     that half of the words of the view's line are the source line's.
//
//   - EDR, edit-ready recall, is the share of edits whose old text stands
//     contiguous in the view. The edits are those of the H requests after the
//     cut whose old text (old_string and its other names, the context and minus
//     lines of a patch's hunk) has 12 characters and two words, stands contiguous
//     in the prefix, and in no result, message or call between the cut and the
//     edit. Line numbers and blanks at the ends of lines are left aside.
//
//   - A word is letters, digits and underscores in a row. Words are compared as
//     sets.
//
//   - CUR of result-only atoms is CUR over the carried atoms that stand in
//     nothing but tool results before the cut.
//
//   - Run is how many neighbouring lines of its entry, itself counted, the median
//     line stands among that is kept of results and texts. Marks is the share of
//     a view's lines that are nothing but words of ours: marks, stubs, the note (fit.md F7).
//
//   - Density is how many of a view's characters stand in lines of 12 and
//     more of which atoms make up more than 60 %. A list of names scores high.
//
//   - Kept is the tokens of the view over those of the raw prefix, with all
//     stubs, marks and summaries counted; system prompt and tool definitions
//     are left out of both, and of what a target is a share of: not every
//     transcript has them.
//
//   - User is the share of the requests of the person of at most 500 tokens that
//     stand in the view whole.
//
//   - Trail is the share of the files written or edited in the prefix, as the
//     tool table knows, whose path stands in a line of the last call that
//     changed the file, or in a line of a summary that says more than the path.
//
//   - Stale is the tokens of shown results that read a file which was changed
//     later, over all tokens shown.
//
//   - Violations counts what the four provider profiles find wrong with the
//     view (P10). Policies that are not overlays have no such figure.
//
//   - A held-out commit (live V4) prepares a plan at the cut and holds it against the
//     k requests after it: of the names that their calls used and that the prefix
//     showed, those that the plan would hide are kept, and the plan is made again.
//     CUR early is over the carried atoms that those k requests use first, CUR late
//     over those that the requests after them do, as far as the horizon reaches.
//
// # What it does not prove
//
// A carried atom that stands in the view is available to the model; that the
// task succeeds with it is not shown. A policy that optimises what is measured
// here does well here. An agent that lacks an atom can also look it up again,
// which these figures count as a loss.
//
// # How figures are joined
//
// A session's figure is the mean over its cuts, a source's the mean over its
// sessions, and the figure of a run the mean over its sources, so that a
// source with many sessions does not drown the others. The tenth percentile is
// over sessions. Intervals are of 95 %, by drawing sessions anew within each
// source, 1,000 times, with a fixed seed.
//
// [Open] makes a conversation ready, [Session.Cut] cuts it, [Cut.View] applies
// a [Policy], and [Cut.Score] measures the view. [Run] does all that over many
// transcripts, and [Report] writes what came out.
package eval
