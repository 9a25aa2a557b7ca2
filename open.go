package tenfold

// openCalls are the calls that wait for their results. Providers use ids again,
// and some give all calls the same: those of one id and one step wait in a row,
// each node's pair the negated next one, and the rows of the steps in a pile.
// So a call and a result take the same few lookups however many are open.
type openCalls struct {
	rows map[rowKey]row
	base *openCalls // what a fork shares
}

// rowKey names a row: the newest of its id at depth 0, the others by their
// place in the pile, the oldest at 1.
type rowKey struct {
	branch, depth int32
	id            string
}

// row is the open calls of one step; zero for none.
type row struct {
	first, last int32 // seqs
	below       int32 // how many rows lie under it
}

func (o *openCalls) get(key rowKey) row {
	r, ok := o.rows[key]
	for !ok && o.base != nil {
		o = o.base
		r, ok = o.rows[key]
	}
	return r
}

func (o *openCalls) set(key rowKey, r row) {
	if r == (row{}) && o.base == nil {
		delete(o.rows, key)
		return
	}
	if o.rows == nil {
		o.rows = map[rowKey]row{}
	}
	o.rows[key] = r
}

func (l *Log) setRow(key rowKey, was, r row) {
	l.trail.row(key, was)
	l.open.set(key, r)
}

// link sets the pair of a node.
func (l *Log) link(seq, pair int32) *node {
	n := l.nodes.edit(seq)
	l.trail.pair(seq, n.pair)
	n.pair = pair
	return n
}

// await has a call wait for its result.
func (l *Log) await(seq int32, n *node, callID string) {
	key := rowKey{branch: n.branch, id: callID}
	top := l.open.get(key)
	next := row{first: seq, last: seq}
	if top.last > 0 {
		last := l.node(top.last)
		if last.turn == n.turn && last.step == n.step {
			l.link(top.last, -seq)
			next.first, next.below = top.first, top.below
		} else {
			next.below = top.below + 1
			l.setRow(rowKey{n.branch, next.below, callID}, row{}, top)
		}
	}
	l.setRow(key, top, next)
}

// answer pairs a result with the nearest open call of its id: in the newest
// step that has one, the first of them. A map over the whole log would pair
// wrongly. It returns the call, nil for an orphan.
func (l *Log) answer(seq int32, n *node, callID string) *node {
	key := rowKey{branch: n.branch, id: callID}
	top := l.open.get(key)
	if top.first == 0 {
		return nil
	}
	next := top
	next.first = -l.node(top.first).pair
	if next.first == 0 {
		if next = (row{}); top.below > 0 {
			under := rowKey{n.branch, top.below, callID}
			next = l.open.get(under)
			l.setRow(under, next, row{})
		}
	}
	l.setRow(key, top, next)
	call := l.link(top.first, seq)
	n.pair, n.tool = top.first, call.tool
	return call
}
