// Package excerpt chooses the lines of a log that later work is likely to need.
//
// An [Index] knows the atoms of a log (package atom): where each stands, who
// used it last and for what, which files it came from. It is kept up as
// entries arrive, so that a choice looks at no text twice. [Index.Choose] then
// takes lines, best first, until a budget is spent: the value of a line is
// that of the atoms no line taken before has shown, as its cost is that of
// its tokens, of the marks around it and of the call it stands in. What comes
// out is a [Choice]: ranges of lines, no texts.
//
// A choice depends on the log alone. It is made of whole numbers (the same on
// every processor), sees nothing that came later, and asks no model.
package excerpt
