package store

import "tenfold/store/internal/fulltext"

// Empty reports whether the query asks for no word, and so finds nothing.
func (q Query) Empty() bool { return fulltext.Parse(q.Text).Empty() }

// Marks gives where the words that the query asks for stand in a text, such as
// a hit's snippet: pairs of byte offsets, in order, that do not overlap.
func (q Query) Marks(text string) [][2]int { return fulltext.Parse(q.Text).Marks(text) }

// Phrases gives what the query asks for: words, and phrases of words parted by
// single spaces, folded as [AppendWords] folds a text.
func (q Query) Phrases() []string { return fulltext.Parse(q.Text).Phrases() }

// AppendWords appends the words of a text to dst, each between single spaces, as
// every store looks for them: a phrase stands in the text where it stands, between
// spaces, in what this gives.
func AppendWords(dst []byte, text string) []byte { return fulltext.AppendWords(dst, text) }
