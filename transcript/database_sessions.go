package transcript

import (
	"context"
)

// branchDepth bounds how deep sub-agents of sub-agents become branches of
// branches; deeper ones stand beside their parents.
const branchDepth = 16

// sessionTree is which sessions there are and which started which.
type sessionTree struct {
	list     map[string]sessionNode
	children map[string][]string
	roots    []string
}

type sessionNode struct {
	rowid   int64
	id      string
	parent  string
	created int64
}

// readSessions lists the sessions by time. Those whose parent is gone, or who
// are their own ancestors, are roots.
func readSessions(ctx context.Context, d *database, table, parent, created string) (*sessionTree, error) {
	t := &sessionTree{list: map[string]sessionNode{}, children: map[string][]string{}}
	column := func(name string) string {
		if d.has(table, name) {
			return quoteName(name)
		}
		return "NULL"
	}
	var order []sessionNode
	query := "SELECT rowid, id, " + column(parent) + ", " + column(created) + " FROM " + quoteName(table) + " WHERE octet_length(id) < 1000 ORDER BY 4, 1"
	if err := d.each(ctx, query, nil, func(row []any) {
		n := sessionNode{id: asText(row[1]), parent: asText(row[2])}
		n.rowid, _ = row[0].(int64)
		n.created, _ = row[3].(int64)
		if _, twice := t.list[n.id]; !twice {
			t.list[n.id] = n
			order = append(order, n)
		}
	}); err != nil {
		return nil, err
	}
	reached := map[string]bool{}
	var queue []string
	root := func(id string) {
		reached[id] = true
		t.roots = append(t.roots, id)
		queue = append(queue, id)
	}
	for _, n := range order {
		if _, ok := t.list[n.parent]; ok && n.parent != n.id {
			t.children[n.parent] = append(t.children[n.parent], n.id)
		} else {
			root(n.id)
		}
	}
	for i := 0; ; {
		for len(queue) > 0 {
			id := queue[0]
			queue = queue[1:]
			for _, child := range t.children[id] {
				if !reached[child] {
					reached[child] = true
					queue = append(queue, child)
				}
			}
		}
		for ; i < len(order) && reached[order[i].id]; i++ {
		}
		if i == len(order) {
			return t, nil
		}
		root(order[i].id) // in a circle
	}
}
