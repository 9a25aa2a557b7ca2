package tenfold

import "fmt"

// Check works out the fate of each entry and the sums anew, from the overlays
// alone, and says where the projection is another.
func (p *Projection) Check() error {
	l := p.log
	var moved [fateCount]Count
	mute := 0
	for seq := int32(1); seq <= p.version; seq++ {
		n := p.log.node(seq)
		want := state{}
		if n.visible() && p.reads(n) && !n.is(flagVoid) {
			d := p.resolve(seq, n)
			want = newState(d, n.tokens)
			if want != (state{}) {
				moved[Kept] = moved[Kept].minus(Count{1, int(n.tokens), int(n.tokens)})
				moved[d.fate] = moved[d.fate].plus(Count{1, int(n.tokens), int(d.tokens)})
			}
			if n.kind == codeCall && !p.answered(n) && !want.shown() {
				mute++
			}
		}
		if got := p.state(seq); got != want {
			return fmt.Errorf("entry %d is %s (%s) by %d for %d less, not %s (%s) by %d for %d less",
				seq, got.fate(), got.reason(), got.by(), got.saved, want.fate(), want.reason(), want.by(), want.saved)
		}
	}
	again := Log{nodes: l.nodes}
	for again.n = 1; again.n <= l.n; again.n++ {
		again.sumUp(again.n, l.node(again.n))
	}
	for at := int32(1); at <= blockOf(l.n); at++ {
		if got, want := *l.blocks.at(at), *again.blocks.at(at); got != want {
			return fmt.Errorf("block %d is %+v, not %+v", at, got, want)
		}
	}
	var sum sums
	for at := int32(1); at <= blockOf(l.n); at++ {
		p.addSums(&sum, at, 1)
	}
	if sum != p.sums {
		return fmt.Errorf("the blocks sum to %v, all to %v", sum, p.sums)
	}
	if moved != p.moved || mute != p.hiddenCalls {
		return fmt.Errorf("moved %v and %d mute, not %v and %d", p.moved, p.hiddenCalls, moved, mute)
	}
	return nil
}

// EntryByEntry counts the blocks of the log whose entries are kept one by one.
func (p *Projection) EntryByEntry() int {
	n := 0
	for _, piece := range p.pieces {
		if piece != nil && piece.states != nil {
			n++
		}
	}
	return n
}

// ContextSubject is what P8a takes a standing instruction to be about.
func ContextSubject(text string) string { return contextSubject(text) }

func Fragment(line string, from, to int) (int, int) {
	from, to, _ = fragment(line, sentenceEnds(line), from, to)
	return from, to
}
