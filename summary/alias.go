package summary

import (
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// A Digest is the summarizer that needs no model (M4): the ledger of the
// range and its key exchanges, in Markdown, within Tokens or a budget that
// it works out. It works offline, and writes the same text for the same
// request. Its zero value is ready to use.
type Digest = digest.Digest

// DigestName is what a summary says wrote it when that was the digest.
const DigestName = digest.Name

// LedgerFacts are the facts of a request's range for a [Model]: the ledger of
// its raw entries, those that prior summaries stand for included.
func LedgerFacts(r strategy.SummaryRequest) Facts { return digest.FactsOf(r) }

// Constraints gives the lines of a text that state a constraint, by
// [atom.ConstraintPatterns], verbatim and in order: of a line over 400 bytes the
// sentences that do, each cut to 400 bytes around what was found. They are
// parts of the text, nil when there are none.
func Constraints(text string) []string { return digest.Constraints(text) }
