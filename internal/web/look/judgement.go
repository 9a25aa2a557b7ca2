package look

import "time"

// A Judgement is what was found out about a view, which the next page of it need not
// find out again.
type Judgement struct {
	Version  int64
	Problems []string
	Cached   int
	Warm     time.Time
}
