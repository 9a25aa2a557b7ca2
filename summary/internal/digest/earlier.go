package digest

import (
	"fmt"
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/strategy"
)

// earlierShare is which part of the budget summaries of others may take: one in
// so many (M4b).
const earlierShare = 4

// quoted is a summary that is not ours, and who wrote it.
type quoted struct{ by, text string }

// earlier gives the summaries of a range that this package did not make, the
// newest first: those that another tool made and a transcript brought along
// (M4b), and those that a model wrote and a new one takes the place of (S-8).
// Digests say nothing that is not in the range.
func earlier(r strategy.SummaryRequest) []quoted {
	var all []quoted
	put := func(by, text string) {
		text = conclusionOf(strings.TrimSpace(text))
		if text != "" && !strings.HasPrefix(text, historyLine) && !slices.ContainsFunc(all, func(q quoted) bool { return q.text == text }) {
			all = append(all, quoted{by, text})
		}
	}
	if r.Log != nil {
		revoked := map[string]bool{}
		var made []tenfold.Compaction
		for e := range r.Log.Entries() {
			switch p := e.Payload.(type) {
			case tenfold.CompactionRevoked:
				revoked[p.Target] = !revoked[p.Target]
			case tenfold.Compaction:
				if p.Summary != nil && p.Source == tenfold.SourceImport && p.FromTurn <= r.Range.ToTurn && p.ToTurn >= r.Range.FromTurn {
					p.Reason = e.ID // to find out whether it still counts
					made = append(made, p)
				}
			}
		}
		for _, c := range slices.Backward(made) {
			if !revoked[c.Reason] {
				put("another tool", c.Summary.Text)
			}
		}
	}
	for _, text := range slices.Backward(r.Prior) {
		put("a model", text)
	}
	return all
}

// conclusionOf leaves out what a model thought aloud before it wrote a summary.
func conclusionOf(text string) string {
	if before, after, ok := strings.Cut(text, "</analysis>"); ok && strings.Contains(before, "<analysis>") {
		return strings.TrimSpace(after)
	}
	if before, after, ok := strings.Cut(text, "\nSummary:\n"); ok && strings.Contains(before, "\nAnalysis:\n") {
		return strings.TrimSpace(after)
	}
	return text
}

// addEarlier quotes summaries of others, as far as so many tokens go.
func (s *items) addEarlier(all []quoted, counter tenfold.Counter, tokens int) {
	for i, q := range all {
		text := ""
		for characters := tokens * 5; characters > 600; characters = characters * 4 / 5 {
			text = fmt.Sprintf("- written by %s, not checked:\n%s", q.by, quote(opening(q.text, characters)))
			if counter.Count(text) <= tokens {
				break
			}
			text = ""
		}
		if text == "" {
			return
		}
		tokens -= counter.Count(text)
		s.add(inEarlier, rankEarlier, i, "%s", text)
	}
}

// promote puts what speaks of a focus before what else has no precedence, and
// tells how much there is.
func (s items) promote(focus *atom.Focus) []string {
	if focus.Empty() {
		return nil
	}
	n := 0
	for i := range s {
		it := &s[i]
		if focus.Matches(it.text) == 0 {
			continue
		}
		n++
		if !it.must {
			it.rank = min(it.rank, rankFocus)
		}
	}
	switch n {
	case 0:
		return []string{"focus: nothing found"}
	case 1:
		return []string{"focus: 1 passage"}
	}
	return []string{fmt.Sprintf("focus: %d passages", n)}
}
