package tenfold

// Snapshot gives the projection as it is now: what is appended to its log, and
// what it advances to, no longer reaches it. The log and the projection stay as
// they are; what they share with the snapshot they copy when they next change it.
func (p *Projection) Snapshot() *Projection {
	q := p.Preview()
	p.log.nodes.freeze()
	p.log.blocks.freeze()
	p.log.sources.freeze()
	p.named.freeze()
	p.pinned.freeze()
	p.owner, p.borrowed = new(owner), true
	if !p.layout.stale {
		q.layout = p.layout
	}
	return q
}
