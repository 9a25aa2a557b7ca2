package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/pi"
)

// piTree writes session files for tests, and knows what pi's model sees.
type piTree struct {
	lines []string
	nodes []piTreeNode
	leaf  int
}

type piTreeNode struct {
	parent int
	says   string // what the model sees, "" for nothing
	calls  bool   // its result must follow
	kept   int    // of a compaction
	sum    string
}

func newPiTree() *piTree {
	return &piTree{leaf: -1, lines: []string{`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}`}}
}

func (p *piTree) add(typ, members string, n piTreeNode) int {
	id, parent := len(p.nodes), "null"
	if p.leaf >= 0 {
		parent = fmt.Sprintf(`"n%d"`, p.leaf)
	}
	n.parent = p.leaf
	p.nodes = append(p.nodes, n)
	p.lines = append(p.lines, fmt.Sprintf(`{"type":%q,"id":"n%d","parentId":%s,"timestamp":"2026-01-01T00:00:00Z",%s}`, typ, id, parent, members))
	p.leaf = id
	return id
}

func (p *piTree) user() int {
	text := fmt.Sprintf("ask %d", len(p.nodes))
	return p.add("message", fmt.Sprintf(`"message":{"role":"user","content":%q}`, text), piTreeNode{says: fmt.Sprintf("user  %q", text)})
}

func (p *piTree) say() int {
	text := fmt.Sprintf("say %d", len(p.nodes))
	return p.add("message", fmt.Sprintf(`"message":{"role":"assistant","model":"m","content":[{"type":"text","text":%q}]}`, text), piTreeNode{says: fmt.Sprintf("assistant   %q", text)})
}

func (p *piTree) call() int {
	id := fmt.Sprintf("t%d", len(p.nodes))
	p.add("message", fmt.Sprintf(`"message":{"role":"assistant","model":"m","content":[{"type":"toolCall","id":%q,"name":"read","arguments":{}}]}`, id),
		piTreeNode{says: fmt.Sprintf("call  %s read {}", id), calls: true})
	return p.add("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"content":[{"type":"text","text":"r"}]}`, id),
		piTreeNode{says: fmt.Sprintf("result  %s \"r\"", id)})
}

// fail adds a response that broke off, which pi does not send.
func (p *piTree) fail() int {
	stop := []string{"aborted", "error"}[len(p.nodes)%2]
	return p.add("message", fmt.Sprintf(`"message":{"role":"assistant","model":"m","stopReason":%q,"content":[{"type":"text","text":"I was"},{"type":"toolCall","id":"f%d","name":"read","arguments":{}}]}`, stop, len(p.nodes)), piTreeNode{})
}

func (p *piTree) compact(kept int) int {
	sum := fmt.Sprintf("sum %d", len(p.nodes))
	return p.add("compaction", fmt.Sprintf(`"summary":%q,"firstKeptEntryId":"n%d"`, sum, kept), piTreeNode{sum: sum, kept: kept})
}

func (p *piTree) path() []int {
	var path []int
	for n := p.leaf; n >= 0; n = p.nodes[n].parent {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// sees is what pi sends: the path to the leaf, from its last compaction on.
func (p *piTree) sees() []string {
	var out []string
	path := p.path()
	last := -1
	for i, n := range path {
		if p.nodes[n].sum != "" {
			last = i
		}
	}
	kept := last < 0
	if last >= 0 {
		out = append(out, fmt.Sprintf("user  %q", pi.CompactionSummary(p.nodes[path[last]].sum)))
	}
	for i, n := range path {
		kept = kept || n == p.nodes[path[max(last, 0)]].kept || i > last
		if says := p.nodes[n].says; kept && says != "" {
			out = append(out, says)
		}
	}
	return out
}

func squeeze(lines []string) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Join(strings.Fields(l), " "))
	}
	return strings.Join(out, "\n")
}

// Whatever a tree is like, the view is what pi sends, as long as nobody goes
// back into the middle of a step.
func TestPiTreesShowTheirPath(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPiTree()
		p.user()
		for range 4 + r.IntN(30) {
			switch k := r.IntN(13); {
			case k < 3:
				p.user()
				p.say()
			case k < 5:
				p.say()
			case k < 7:
				p.call()
			case k < 8:
				p.add("label", `"targetId":"n0"`, piTreeNode{})
			case k == 12:
				p.fail()
			case k < 10: // go back
				n := r.IntN(len(p.nodes)+1) - 1
				if n >= 0 && (p.nodes[n].calls || p.nodes[n].sum != "" || strings.HasPrefix(p.nodes[n].says, "user")) {
					continue
				}
				p.leaf = n
			default:
				path := p.path()
				if i := slices.IndexFunc(path, func(n int) bool { return r.IntN(3) == 0 && strings.HasPrefix(p.nodes[n].says, "user") }); i > 0 && p.firstIs(path, i) {
					p.compact(path[i])
				}
			}
		}
		p.user()
		text := strings.Join(p.lines, "\n") + "\n"
		got, err := importText(t, "s.jsonl", text)
		if err != nil {
			t.Fatal(err)
		}
		checkLaws(t, got)
		if have, want := squeeze(seen(t, got.Entries)), squeeze(p.sees()); have != want {
			t.Fatalf("seed %d: seen\n%s\nwant\n%s\nentries\n%s\n%s", seed, have, want, describe(got.Entries), text)
		}
	}
}

// firstIs reports whether something visible stands before the i-th of a path.
func (p *piTree) firstIs(path []int, i int) bool {
	return slices.ContainsFunc(path[:i], func(n int) bool { return p.nodes[n].says != "" })
}

// A person who goes back to a request keeps the request.
func TestPiGoesBackToARequest(t *testing.T) {
	p := newPiTree()
	p.user()
	p.say()
	asked := p.user()
	p.say()
	p.call()
	p.leaf = asked
	p.user()
	got, err := importText(t, "s.jsonl", strings.Join(p.lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if have, want := squeeze(seen(t, got.Entries)), squeeze(p.sees()); have != want {
		t.Errorf("seen\n%s\nwant\n%s", have, want)
	}
}

// What pi 0.87 writes beside messages shows as pi sends it: the system prompt
// as its messages made it, a response that was left out gone, costs counted.
func TestPiNewerLines(t *testing.T) {
	p := newPiTree()
	p.add("message", `"message":{"role":"system","content":"Be brief.","sections":{"a":"One.","b":"Two."},"toolsAdded":[{"name":"read","description":"Reads","parameters":{"type":"object"}},{"name":"ls","description":"","parameters":{}}]}`, piTreeNode{})
	p.user()
	p.call()
	gone := p.say()
	p.nodes[gone].says = ""
	p.add("context_edit", fmt.Sprintf(`"targetId":"n%d","replacement":null`, gone), piTreeNode{})
	p.add("message", `"message":{"role":"system","content":"","sections":{"a":null,"c":"Three."},"toolsRemoved":[{"name":"ls"}]}`, piTreeNode{})
	p.add("usage", `"kind":"cache_warm","provider":"anthropic","model":"m","usage":{"input":0,"output":0,"cacheRead":50,"cacheWrite":0,"cost":{"total":0.5}}`, piTreeNode{})
	p.say()
	got, err := importText(t, "s.jsonl", strings.Join(p.lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	checkLaws(t, got)
	if have, want := squeeze(seen(t, got.Entries)), squeeze(p.sees()); have != want {
		t.Errorf("seen\n%s\nwant\n%s", have, want)
	}
	config := tenfold.Project(logOf(t, got.Entries)).Config()
	if want := "Be brief.\n\nTwo.\n\nThree."; config.System != want {
		t.Errorf("system prompt %q, want %q", config.System, want)
	}
	if len(config.Tools) != 1 || config.Tools[0].Name != "read" {
		t.Errorf("tools %v, want read", config.Tools)
	}
	spent := 0
	for _, e := range got.Entries {
		if u, ok := e.Payload.(tenfold.Usage); ok {
			spent += u.CacheRead
		}
	}
	if spent != 50 {
		t.Errorf("%d tokens read from the cache, want 50", spent)
	}
	out, warnings := exportPi(t, got, false)
	sameLines(t, fileLines(t, out), fileLines(t, []byte(strings.Join(p.lines, "\n"))))
	if len(warnings) > 0 {
		t.Errorf("warnings %v", warnings)
	}

	p.add("context_edit", `"targetId":"n1","replacement":{"content":"Something else"}`, piTreeNode{})
	got, err = importText(t, "s.jsonl", strings.Join(p.lines, "\n"))
	if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "edit of what pi sends") {
		t.Errorf("warnings %v, %v: want one about the edit", got.Warnings, err)
	}
}
