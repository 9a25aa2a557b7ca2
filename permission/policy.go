package permission

import (
	"path"
	"slices"
	"strings"
	"sync"

	"tenfold/toolbox"
)

// Rules are what a [Policy] goes by. Each rule is TOOL or TOOL:PATTERN.
//
// TOOL is the name of a tool; "*" in it stands for any characters. What PATTERN is
// depends on what the call does:
//
//   - Commands: words of a simple command, separated by blanks. A "*" within a word
//     stands for any characters but "/", a word "*" for any one word, and a last
//     word "*" for any further words, or none: "shell:go test *".
//   - Reads and Edits: a slash-separated path from the workspace, in which "*" stands
//     for any characters, "/" too: "fs_read_file:config/*". Without a slash it is a
//     file's name in any directory: "fs_modify_file:*.lock".
//   - Others: the call's subject, with "*" for any characters.
//
// A rule to deny or ask that matches one of a call's paths or commands matches the
// call, with further words too; one to allow must match all of them. Deny beats
// ask, and ask beats allow.
//
// A rule to allow with a pattern allows a command line only if all its simple
// commands are allowed or known to read only, those in substitutions included, and if
// it does nothing else:
// sets no variable, defines no function, writes to no file but /dev/null, starts
// nothing in the background. A program that runs others (sudo, env, xargs, sh, find
// -exec, git -c …) is allowed only by a rule without "*" that has exactly its words.
type Rules struct {
	Allow, Ask, Deny []string
	// Contained tells that commands can be contained, and are to be; Network that
	// they have the network there.
	Contained, Network bool
}

// A Policy is a [Judge] by rules. It does no I/O.
type Policy struct {
	allow, ask, deny   []rule
	contained, network bool

	mu    sync.Mutex
	edits bool
	// said has the tools that were consented to, and the command lines and the words of
	// commands, each with its tool.
	said map[string]bool
}

// New reads the rules. An error is a [problem.Error].
func New(r Rules) (*Policy, error) {
	p := &Policy{contained: r.Contained, network: r.Network, said: map[string]bool{}}
	for _, list := range []struct {
		to    *[]rule
		texts []string
	}{{&p.allow, r.Allow}, {&p.ask, r.Ask}, {&p.deny, r.Deny}} {
		for _, text := range list.texts {
			parsed, err := parseRule(text)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, parsed)
		}
	}
	return p, nil
}

// Judge decides about a call of a tool of that name.
//
// Denied is what a rule denies. Asked is what a rule says, what might be what a rule
// denies (a command whose words are only known when it runs), and an edit of what
// other programs run or obey by themselves. Allowed is what a rule or a
// consent allows; then what reads, or changes only the conversation; commands where
// they can be contained, contained; and commands that are known to read only. All
// else is asked.
//
// Commands that a rule or a person allows run outside of containment. Rules are
// about what a command says: what a script does that it runs, no rule can see.
func (p *Policy) Judge(tool string, intent toolbox.Intent) Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := newCall(tool, intent)
	doubt := ""
	for _, r := range p.deny {
		switch c.touches(r) {
		case yes:
			return Verdict{Action: Deny, Reason: "the rule " + r.text + " denies it"}
		case maybe:
			doubt = "it may be what the rule " + r.text + " denies"
		}
	}
	if doubt != "" {
		return Verdict{Action: Ask, Firm: true, Reason: doubt}
	}
	for _, r := range p.ask {
		if c.touches(r) != no {
			return Verdict{Action: Ask, Firm: true, Reason: "the rule " + r.text + " says to ask"}
		}
	}
	if name := c.guarded(); name != "" {
		return Verdict{Action: Ask, Firm: true, Reason: "other programs act on what is in " + name}
	}
	if p.allows(c) {
		return Verdict{Action: Allow, Reason: "it was allowed by name"}
	}
	switch intent.Effect {
	case toolbox.Reads, toolbox.Converses:
		return Verdict{Action: Allow, Reason: "it changes nothing but the conversation"}
	case toolbox.Edits:
		return Verdict{Action: Ask, Reason: "edits need consent, once in a session"}
	case toolbox.Commands:
		if p.contained {
			return Verdict{Action: Allow, Contained: true, Network: p.network, Reason: "it runs contained"}
		}
		if c.onlyReads() {
			return Verdict{Action: Allow, Reason: "it is known to read only"}
		}
		return Verdict{Action: Ask, Reason: `no rule allows it, and it cannot be contained: "tenfold doctor" says why`}
	default:
		return Verdict{Action: Ask, Reason: "no rule allows it"}
	}
}

// Consent takes in that a person allowed such calls for the rest of the session:
// all edits of the work tree; a command as it stands and, if it is a simple one, as
// a part of others; any other tool as a whole. Nothing of it beats a rule.
func (p *Policy) Consent(tool string, intent toolbox.Intent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch intent.Effect {
	case toolbox.Edits:
		p.edits = true
	case toolbox.Commands:
		p.said[key(tool, "", intent.Command)] = true
		if s := parse(intent.Command); s.plain && len(s.commands) == 1 {
			if words, ok := literal(s.commands[0]); ok {
				p.said[key(tool, words...)] = true
			}
		}
	default:
		p.said[tool] = true
	}
}

// allows tells whether a rule or a consent allows the call.
func (p *Policy) allows(c call) bool {
	if p.said[c.tool] || c.Effect == toolbox.Edits && p.edits || c.Effect == toolbox.Commands && p.said[key(c.tool, "", c.Command)] {
		return true
	}
	rules := slices.DeleteFunc(slices.Clone(p.allow), func(r rule) bool { return !matches(r.tool, c.tool) })
	if slices.ContainsFunc(rules, func(r rule) bool { return r.whole }) {
		return true
	}
	if c.Effect != toolbox.Commands {
		return len(c.subjects) > 0 && !slices.ContainsFunc(c.subjects, func(s string) bool {
			return !slices.ContainsFunc(rules, func(r rule) bool { return concerns(r.pattern, s, c.paths) })
		})
	}
	named := false
	for _, words := range c.script.commands {
		exact, known := literal(words)
		// What follows a change of directory means something else than what was consented to.
		allowed := known && !c.script.moves && p.said[key(c.tool, exact...)] || slices.ContainsFunc(rules, func(r rule) bool {
			return r.begins(words, true) == yes && (!isSpecial(words) || slices.Equal(r.words, exact))
		})
		named = named || allowed
		if !allowed && !c.script.onlyReads(words) {
			return false
		}
	}
	return c.script.plain && named
}

// key is how a consent to a tool with these words is kept; a command line follows an
// empty one.
func key(tool string, words ...string) string { return tool + "\x00" + strings.Join(words, "\x00") }

// A call is what is judged.
type call struct {
	tool string
	toolbox.Intent
	// subjects are what the patterns of rules are held against: paths, or a line.
	subjects []string
	paths    bool
	script   script
}

func newCall(tool string, intent toolbox.Intent) call {
	c := call{tool: tool, Intent: intent, paths: intent.Effect == toolbox.Reads || intent.Effect == toolbox.Edits}
	switch {
	case c.paths:
		for _, p := range intent.Paths {
			c.subjects = append(c.subjects, path.Clean(strings.ReplaceAll(p, `\`, "/")))
		}
	case intent.Effect == toolbox.Commands:
		c.script = parse(intent.Command)
	default:
		c.subjects = []string{intent.Subject}
	}
	return c
}

// touches tells whether a rule to deny or ask is about the call.
func (c call) touches(r rule) answer {
	switch {
	case !matches(r.tool, c.tool):
		return no
	case r.whole:
		return yes
	case c.Effect != toolbox.Commands:
		// File systems may ignore case, so what protects does.
		return sure(slices.ContainsFunc(c.subjects, func(s string) bool { return concerns(strings.ToLower(r.pattern), strings.ToLower(s), c.paths) }))
	}
	found := no
	if c.script.doubtful {
		found = maybe
	}
	for _, words := range slices.Concat(c.script.commands, c.script.inner) {
		found = max(found, r.begins(words, false), r.occurs(words))
	}
	return found
}

// onlyReads tells whether all commands of a call are known to read only.
func (c call) onlyReads() bool {
	return c.script.plain && !slices.ContainsFunc(c.script.commands, func(words []word) bool { return !c.script.onlyReads(words) })
}

// guarded names the directory or file in an edit's paths that other programs run or
// obey by themselves; empty if there is none.
func (c call) guarded() string {
	for _, p := range c.subjects {
		for name := range strings.SplitSeq(strings.ToLower(p), "/") {
			if c.Effect == toolbox.Edits && slices.Contains(guarded, strings.TrimRight(name, ". ")) {
				return name
			}
		}
	}
	return ""
}
