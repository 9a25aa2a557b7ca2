package digest

// Visible is how a text is quoted.
var Visible = visible

// Failures is how many failures a ledger has that a later success may put right.
func (l *Ledger) Failures() int { return len(l.failures) }
