package summary

import (
	"tenfold"
	"tenfold/strategy"
)

// LedgerFacts are the facts of a request's range for a [Model]: the ledger of
// its raw entries, those that prior summaries stand for included.
func LedgerFacts(r strategy.SummaryRequest) Facts {
	f := ledgerFacts{ledger: NewLedger(tenfold.Chars4{})}
	if r.Log != nil {
		f.ledger = NewLedger(r.Log.Counter())
	}
	for turn, e := range raw(r) {
		f.ledger.AddAt(turn, e)
		if m, ok := e.Payload.(tenfold.UserMessage); ok && !m.Synthetic {
			f.constraints = append(f.constraints, Constraints(partsText(m.Parts))...)
		}
	}
	return f
}

type ledgerFacts struct {
	ledger      *Ledger
	constraints []string
}

func (f ledgerFacts) Text(budget int) string { return f.ledger.Text(budget) }

func (f ledgerFacts) Constraints() []string { return f.constraints }
