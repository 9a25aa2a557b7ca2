package summary

import (
	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

type (
	// A Digest is the summarizer that needs no model (M4): the ledger of the
	// range and its key exchanges, in Markdown, within Tokens or a budget that
	// it works out. It works offline, and writes the same text for the same
	// request. Its zero value is ready to use.
	Digest = digest.Digest
	// A Ledger is the facts of a conversation, or of a stretch of one, that a
	// program can take from its raw entries exactly (M3). It is kept entry by
	// entry with Add or AddAt, which cost the size of the entry; Text writes it
	// within a budget, and Constraints are what people demanded. It is not safe
	// for concurrent use. Get one from [NewLedger].
	Ledger = digest.Ledger
)

// DigestName is what a summary says wrote it when that was the digest.
const DigestName = digest.Name

// NewLedger makes an empty ledger. Its budgets are counted by c, nil meaning
// the default encoding (T1).
func NewLedger(c tenfold.Counter) *Ledger { return digest.NewLedger(c) }

// LedgerOf makes the ledger of the raw entries of a request's whole range, also
// of those that prior summaries stand for (S-8).
func LedgerOf(r strategy.SummaryRequest) *Ledger { return digest.LedgerOf(r) }

// LedgerFacts are the facts of a request's range for a [Model]: the ledger of
// its raw entries, those that prior summaries stand for included.
func LedgerFacts(r strategy.SummaryRequest) Facts { return digest.FactsOf(r) }

// Constraints gives the lines of a text that state a constraint, by
// [atom.ConstraintPatterns], verbatim and in order: of a line over 400 bytes the
// sentences that do, each cut to 400 bytes around what was found. They are
// parts of the text, nil when there are none.
func Constraints(text string) []string { return digest.Constraints(text) }
