// Package excerpt chooses the lines of a log that later work is likely to need.
//
// An [Index] knows the atoms of a log (package atom): where each stands, who
// used it last and for what, which files it came from. It knows the blocks of
// results and of what the agent wrote: functions, hunks, paragraphs, of about 25
// lines at most. It is kept up as entries arrive, so that a choice looks at no
// text twice.
//
// [Index.Choose] takes blocks and single lines, best first, until a budget is
// spent. A line is worth the atoms that no line taken before has shown: for each
// the chance that it is used again, and how rare it is. A block is worth the atoms
// of its lines, and the chance that its text is edited next: whether its file is
// worked on, spoken of, or changed since; whether an error names a place near it or
// a search has found a line of it; how much of what is talked of is in it. Only the
// newest version of a text counts. The worths of all names and of all blocks are
// brought to one scale, on which [Options.Edits] weighs them. What is taken costs
// its tokens, the marks around it and the call it stands in; gaps of one or two
// short lines are filled. What comes out is a [Choice]: ranges of lines, no texts.
//
// The recipe is that of semantics F6 and F7, measured on real sessions; the weights
// of both chances were fitted on six sources of them, and figures are given of others
// beside. The tests FitOfWeights and FitOfNames fit them anew.
//
// A choice depends on the log alone. It is made of whole numbers (the same on
// every processor), sees nothing that came later, and asks no model.
package excerpt
