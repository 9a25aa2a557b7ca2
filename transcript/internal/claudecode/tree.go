package claudecode

import (
	"cmp"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// claudeNode is a line's place in the tree that uuid and parentUuid make.
type claudeNode struct {
	parent     int32 // index, -1 for none or unknown
	turn, step int32
	shown      bool // it has an entry on the root that a model sees
	branch     string
}

// remember enters a line into the tree; -1 when it has no id of its own.
func (c *claude) remember(l *claudeLine, id string) int32 {
	if l.uuid == "" || id != l.uuid {
		return -1
	}
	parent := int32(-1)
	if i, ok := c.nodes[l.parent]; ok && l.parent != "" {
		parent = i
	}
	n := int32(len(c.tree)) //nolint:gosec // an import has far fewer entries
	c.tree = append(c.tree, claudeNode{parent: parent})
	c.nodes[id] = n
	return n
}

// branch names the branch of a message line (L7). Old files hold sub-agents'
// chains in line; a file that begins with one is the sub-agent's own, and the
// chain is its root.
func (c *claude) branch(l *claudeLine, node int32, id string) string {
	if !l.sidechain {
		return ""
	}
	if !c.own && c.startsOwn(l) {
		c.own = true
	}
	if c.own {
		return ""
	}
	var branch string
	switch {
	case strings.HasPrefix(l.agentID, branchMark):
		names := strings.Split(l.agentID[len(branchMark):], ".")
		for i, name := range names[:min(len(names), 64)] {
			names[i] = cmp.Or(intake.BranchName(name), "-")
		}
		branch = strings.Join(names[:min(len(names), 64)], ".")
	case l.agentID != "":
		branch = "sidechain." + intake.BranchName(l.agentID)
	case node >= 0 && c.tree[node].parent >= 0 && c.tree[c.tree[node].parent].branch != "":
		branch = c.tree[c.tree[node].parent].branch
	default:
		branch = c.chain(id)
	}
	c.chains[branch] = branch
	if node >= 0 {
		c.tree[node].branch = branch
	}
	return branch
}

// chain names a new sidechain after the line it begins with, shortly.
func (c *claude) chain(id string) string {
	name := intake.BranchName(id)
	if short := "sidechain." + name[:min(8, len(name))]; c.chains[short] == "" {
		return short
	}
	return "sidechain." + name
}

// promptLimit is how many of the newest prompts are looked at for rewinds.
const promptLimit = 1024

// rewind looks whether a prompt hangs from where an earlier prompt hung: the
// person went back and wrote something else, and the model never saw the
// abandoned stretch again. It is hidden by an overlay, but only when it is
// whole turns beyond doubt: a stretch shown too much does less harm than one
// hidden wrongly.
func (c *claude) rewind(l *claudeLine, id string) {
	node, ok := c.nodes[id]
	if !ok {
		node = -1
	}
	if len(c.prompts) >= 2*promptLimit {
		c.prompts = append(c.prompts[:0], c.prompts[promptLimit:]...)
	}
	prompts := c.prompts
	c.prompts = append(c.prompts, node)
	if node < 0 || c.tree[node].parent < 0 {
		return
	}
	parent := c.tree[node].parent
	earlier, again := c.prompted[parent]
	c.prompted[parent] = node
	if !again {
		return
	}
	from := -1
	for i, p := range prompts {
		if p == earlier {
			from = i
		}
	}
	if from < 0 || c.opened != intake.TurnOpen || !c.descend(prompts[from+1:], earlier) || !c.tree[earlier].shown ||
		(c.tree[parent].shown && c.tree[parent].turn >= c.tree[earlier].turn) {
		c.Warn.Add(l.number, "rewound prompt could not be told from what followed and stays visible",
			"rewound prompts could not be told from what followed and stay visible")
		return
	}
	c.Warn.Add(l.number, "rewound prompt and its replies are hidden",
		"rewound prompts and their replies are hidden")
	// The abandoned prompts are no ground for later ones.
	c.prompts = append(c.prompts[:from], node)
	_ = c.emit(tenfold.Entry{ID: id + "/rewind", Payload: engine.Hidden(int(c.tree[earlier].turn), c.Place.Turn, "rewound in claude-code")})
}

// descend reports whether every line of the list hangs below the ancestor.
func (c *claude) descend(lines []int32, ancestor int32) bool {
	for _, n := range lines {
		for ; n != ancestor; c.walked++ {
			if n < 0 || c.walked >= intake.WalkLimit {
				return false
			}
			n = c.tree[n].parent
		}
	}
	return true
}
