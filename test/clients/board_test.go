package clients

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A board is the matrix of clients and cases as a table: what works, what
// fails, and what a client does by itself.
type board struct {
	mu      sync.Mutex
	clients []string
	cases   []string
	cells   map[[2]string]string
}

// newBoard makes one that is shown when the test ends.
func newBoard(t *testing.T) *board {
	b := &board{cells: map[[2]string]string{}}
	t.Cleanup(func() { t.Logf("what the clients make of it\n%s", b) })
	return b
}

// ownDoing is what clients do by themselves when they go on with a session,
// whoever wrote it; the comparisons leave it out.
var ownDoing = map[string]string{
	"claude-code": "adds reminders, and messages of role system",
	"codex":       "says its permissions, instructions and surroundings anew",
	"gemini-cli":  "sends results twice, and its surroundings anew",
}

// run runs a case of a client's place as a test, and notes how it ended.
func (b *board) run(t *testing.T, p *Place, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		client, outer := p.Client.Name, p.tb
		p.tb = t
		t.Cleanup(func() {
			p.tb = outer
			switch {
			case t.Failed():
				b.note(client, name, "FAILS")
			case t.Skipped():
				b.note(client, name, "skipped")
			default:
				b.note(client, name, "works")
			}
		})
		test(t)
	})
}

func (b *board) note(client, name, cell string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.clients, client) {
		b.clients = append(b.clients, client)
		slices.Sort(b.clients)
	}
	if !slices.Contains(b.cases, name) {
		b.cases = append(b.cases, name)
	}
	b.cells[[2]string{client, name}] = cell
}

// String writes a line for each case and a column for each client.
func (b *board) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	wide := len("case")
	for _, name := range b.cases {
		wide = max(wide, len(name))
	}
	var text strings.Builder
	line := func(name string, cell func(client string) string) {
		fmt.Fprintf(&text, "  %-*s", wide, name)
		for _, client := range b.clients {
			fmt.Fprintf(&text, "  %-11s", cell(client))
		}
		text.WriteString("\n")
	}
	line("case", func(client string) string { return client })
	for _, name := range b.cases {
		line(name, func(client string) string {
			if cell, ok := b.cells[[2]string{client, name}]; ok {
				return cell
			}
			return "–"
		})
	}
	for _, client := range b.clients {
		if own, ok := ownDoing[client]; ok {
			fmt.Fprintf(&text, "  %s by itself %s.\n", client, own)
		}
	}
	return text.String()
}
