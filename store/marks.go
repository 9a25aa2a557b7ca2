package store

import "tenfold/store/internal/fulltext"

// Empty reports whether the query asks for no word, and so finds nothing.
func (q Query) Empty() bool { return fulltext.Parse(q.Text).Empty() }

// Marks gives where the words that the query asks for stand in a text, such as
// a hit's snippet: pairs of byte offsets, in order, that do not overlap.
func (q Query) Marks(text string) [][2]int { return fulltext.Parse(q.Text).Marks(text) }
