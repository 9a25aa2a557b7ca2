package database

import (
	"time"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// BranchDepth bounds how deep sub-agents of sub-agents become branches of
// branches; deeper ones stand beside their parents.
const BranchDepth = 16

// SessionTree is which sessions there are and which started which.
type SessionTree struct {
	d        *Database
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
func ReadSessions(d *Database, table, parent, created string) *SessionTree {
	t := &SessionTree{d: d, List: map[string]sessionNode{}, Children: map[string][]string{}}
	column := func(name string) string {
		if d.Has(table, name) {
			return quoteName(name)
		}
		return "NULL"
	}
	var order []sessionNode
	query := "SELECT rowid, id, " + column(parent) + ", " + column(created) + " FROM " + quoteName(table) + " WHERE octet_length(id) < 1000 ORDER BY 4, 1"
	d.Each(query, nil, func(row []any) {
		n := sessionNode{id: AsText(row[1]), Parent: AsText(row[2])}
		n.Rowid, _ = row[0].(int64)
		n.Created, _ = row[3].(int64)
		if _, twice := t.List[n.id]; !twice {
			t.List[n.id] = n
			order = append(order, n)
		}
	})
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
			return t
		}
		root(order[i].id) // in a circle
	}
}

// Conversations hands on each session that no other one started, or the one that is
// named, as a conversation. Read hands on one session, and has [Branch.Agent] hand on
// those that it started.
func (t *SessionTree) Conversations(only string, format intake.Format, sink intake.Sink, read func(b *Branch) error) error {
	for _, root := range t.Roots {
		if t.d.Err != nil {
			break
		}
		if only != "" && only != root {
			continue
		}
		em := &engine.Emitter{Sink: sink, Place: &engine.RootLog{}, Conv: intake.Conversation{ID: intake.ConversationID(root), Named: true, Format: format}}
		t.d.em = em
		if err := NewBranch(em, t, root, read).session(); err != nil {
			return err
		}
		if err := em.End(); err != nil {
			return err
		}
	}
	return t.d.Err
}

// A Branch is one session of a conversation: its first one, which has no name, or that
// of a sub-agent.
type Branch struct {
	Em       *engine.Emitter // of the conversation
	Tree     *SessionTree
	ID, Name string

	depth int
	read  func(b *Branch) error
	told  map[string]bool
	names *intake.Ids
}

// NewBranch begins a conversation with its first session.
func NewBranch(em *engine.Emitter, tree *SessionTree, id string, read func(b *Branch) error) *Branch {
	return &Branch{Em: em, Tree: tree, ID: id, read: read, told: map[string]bool{}, names: &intake.Ids{}}
}

func (b *Branch) session() error {
	b.told[b.ID] = true
	return b.read(b)
}

// Agent hands on the session of a sub-agent, once, as a branch of that name.
func (b *Branch) Agent(id, name string) error {
	if b.told[id] {
		return nil
	}
	agent := *b
	agent.ID, agent.Name, agent.depth = id, b.names.Unique(intake.BranchName(name)), b.depth+1
	if b.Name != "" && b.depth < BranchDepth {
		agent.Name = b.Name + "." + agent.Name
	}
	defer func(now time.Time) { b.Em.Now = now }(b.Em.Now)
	return agent.session()
}

// Key is the id of the entry that holds the session's own record.
func (b *Branch) Key() string {
	if b.Name == "" {
		return b.Em.Ids.Unique("session")
	}
	return b.Em.Ids.Unique("session/" + b.Name)
}

// Emit hands on an entry of the session.
func (b *Branch) Emit(e tenfold.Entry) error {
	e.Branch = b.Name
	return b.Em.Emit(e)
}
