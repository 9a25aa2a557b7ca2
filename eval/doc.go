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
//     says or calls something, with its results. A cut at 25 % comes after the
//     first quarter of the requests, rounded down, with all their results,
//     however late those arrived. A conversation's own compactions are left
//     out: it is measured as if there had been none.
//   - N is how many entries of the prefix a reader of the root sees, df(a) how
//     many of them hold an atom a (package atom). Reasoning counts in N and
//     nowhere else: it is neither a source of an atom nor a use of one.
//   - An atom is carried at a cut, with a horizon of H requests, if it stands
//     in the prefix, a tool input of one of the H requests after the cut uses
//     it, and no tool result or user message between the cut and that use shows
//     it. It weighs ln(1 + N/df). A tool input is any text in a call's
//     arguments.
//   - An entry is lines: of a message or a result the lines of its text,
//     cleaned and trimmed of white space; of a call one line with its name and
//     its short texts, then the lines of its bodies, which are texts of more
//     than 200 bytes or three lines. The same rule renders what is raw and what
//     a view shows, where bodies are what was one in the raw call. Lines without a word are none.
//   - Presence is the weight of the carried atoms that stand anywhere in the
//     view, over the weight of all.
//   - CUR, contextual carried-use recall, asks for more: the atom stands in a
//     line of the view that comes from an entry holding it, and at least 30 % of
//     the other words of a line of that entry which holds the atom, one word at
//     the least, stand in the same line of the view. What comes from no entry, a
//     summary or a mark, counts if it does so with a line of any entry.
//   - CUR-strict asks for 60 % of the other words (30 % where the source line
//     has more than 30 words), and that half of the words of the view's line
//     are the source line's.
//   - A word is letters, digits and underscores in a row. Words are compared as
//     sets, and the words of the atom itself are not among the others.
//   - CUR of result-only atoms is CUR over the carried atoms that stand in
//     nothing but tool results before the cut.
//   - Density is how many of a view's characters stand in lines of which atoms
//     make up more than 60 % of the characters. A list of names scores high.
//   - Kept is the tokens of the view over those of the raw prefix, with all
//     stubs, marks and summaries counted; system prompt and tool definitions
//     are left out of both.
//   - User is the share of the typed user messages of at most 500 tokens that
//     stand in the view whole.
//   - Trail is the share of the files written or edited in the prefix, as the
//     tool table knows, whose path stands in a line of the last call that
//     changed the file, or in a line of a summary that says more than the path.
//   - Stale is the tokens of shown results that read a file which was changed
//     later, over all tokens shown.
//   - Violations counts what the four provider profiles find wrong with the
//     view (P10). Policies that are not overlays have no such figure.
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
