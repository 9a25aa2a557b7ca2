package database

import (
	"context"
	"slices"
)

// BranchDepth bounds how deep sub-agents of sub-agents become branches of
// branches; deeper ones stand beside their parents.
const BranchDepth = 16

// SessionTree is which sessions there are and which started which.
type SessionTree struct {
	List     map[string]sessionNode
	Children map[string][]string
	Roots    []string
}

type sessionNode struct {
	Rowid   int64
	id      string
	Parent  string
	Created int64
}

// ReadSessions lists the sessions by time. Those whose parent is gone, or who
// are their own ancestors, are roots.
func ReadSessions(ctx context.Context, d *Database, table, parent, created string) (*SessionTree, error) {
	t := &SessionTree{List: map[string]sessionNode{}, Children: map[string][]string{}}
	column := func(name string) string {
		if d.Has(table, name) {
			return quoteName(name)
		}
		return "NULL"
	}
	var order []sessionNode
	query := "SELECT rowid, id, " + column(parent) + ", " + column(created) + " FROM " + quoteName(table) + " WHERE octet_length(id) < 1000 ORDER BY 4, 1"
	if err := d.Each(ctx, query, nil, func(row []any) {
		n := sessionNode{id: AsText(row[1]), Parent: AsText(row[2])}
		n.Rowid, _ = row[0].(int64)
		n.Created, _ = row[3].(int64)
		if _, twice := t.List[n.id]; !twice {
			t.List[n.id] = n
			order = append(order, n)
		}
	}); err != nil {
		return nil, err
	}
	reached := map[string]bool{}
	var queue []string
	root := func(id string) {
		reached[id] = true
		t.Roots = append(t.Roots, id)
		queue = append(queue, id)
	}
	for _, n := range order {
		if _, ok := t.List[n.Parent]; ok && n.Parent != n.id {
			t.Children[n.Parent] = append(t.Children[n.Parent], n.id)
		} else {
			root(n.id)
		}
	}
	for i := 0; ; {
		for len(queue) > 0 {
			id := queue[0]
			queue = queue[1:]
			for _, child := range t.Children[id] {
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

// RootsOf gives the one root that is named, or all of them.
func (t *SessionTree) RootsOf(only string) []string {
	if only == "" {
		return t.Roots
	}
	if slices.Contains(t.Roots, only) {
		return []string{only}
	}
	return nil
}
