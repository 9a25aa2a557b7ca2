package tenfold

import (
	"slices"
	"strings"
	"unicode"
)

// standing notes that an entry says something about a subject: one that two
// contexts have in common makes the later a version of the earlier (P8a).
type standing struct{ seq, subject int32 }

// addContext notes what a context is about, in its branch.
func (l *Log) addContext(seq int32, n *node, m UserMessage) {
	add := func(subject string) {
		s := standing{seq, l.subjects.of(l.branches.list[n.branch] + "\n" + subject)}
		if last := len(l.contexts) - 1; last < 0 || l.contexts[last] != s {
			l.contexts = append(l.contexts, s)
		}
	}
	for _, p := range m.Parts {
		switch {
		case p.File != nil:
			add(clip("file " + p.File.Name + " " + p.File.URI))
		case !isBlank(p.Text):
			add(contextSubject(p.Text))
		}
	}
	for _, a := range m.Attachments {
		add(clip("attachment " + a.Name))
	}
}

// soleTags enclose a standing instruction of which there is one at a time, so
// that the tag alone tells what it is about.
var soleTags = []string{
	"environment_context", "environment_details", "user_instructions", "permissions instructions", "collaboration_mode",
	"skills_instructions", "apps_instructions", "plugins_instructions", "personality_spec", "model_switch",
	"recommended_plugins", "goal_context", "session_context", "available_skills", "current_datetime", "env",
}

// contextSubject tells what a standing instruction is about: its opening tag,
// and the first line with a letter in it where the tag is one that many share.
// Another text under the same subject is a newer version. Where in doubt two
// texts have two subjects: showing both costs tokens, hiding one costs a rule.
func contextSubject(text string) string {
	text = strings.TrimSpace(text)
	tag := ""
	if name, rest, ok := openingTag(text); ok {
		tag, text = "<"+name+">", rest
		if slices.Contains(soleTags, name) {
			return tag
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, unicode.IsLetter) {
			return tag + clip(line)
		}
	}
	return tag + clip(text)
}

// openingTag splits a text that begins with a tag such as "<skill>".
func openingTag(text string) (name, rest string, ok bool) {
	const longest = 100
	if !strings.HasPrefix(text, "<") {
		return "", "", false
	}
	end := strings.IndexByte(text[:min(len(text), longest)], '>')
	if end < 2 || strings.ContainsAny(text[:end], "\n") {
		return "", "", false
	}
	return text[1:end], text[end+1:], true
}

// clip bounds what is kept of a subject.
func clip(text string) string { return text[:min(len(text), 300)] }

// contextSeqs lists the contexts among the entries lo to hi, in order.
func (l *Log) contextSeqs(lo, hi int32) []int32 {
	var found []int32
	for i := l.contextAt(lo); i < len(l.contexts) && l.contexts[i].seq <= hi; i++ {
		found = append(found, l.contexts[i].seq)
	}
	return slices.Compact(found)
}

// contextAt is how many notes on contexts there are before an entry.
func (l *Log) contextAt(seq int32) int {
	i, _ := slices.BinarySearchFunc(l.contexts, seq, func(s standing, seq int32) int { return int(s.seq - seq) })
	return i
}

// hides reports whether the overlay can hide a user message that the rules for
// ours would show: what another tool's hides, that tool hid.
func (c *Compaction) hides() bool {
	return c.Source != SourceImport && (c.Summary != nil || c.Turns == Omit || c.Texts != nil)
}

// newestContexts lists the contexts from lo to hi that say of some subject what
// holds when the overlay at seq is made: what a version that is appended later
// says changes nothing before it (P11a), and what the model no longer saw, since
// another tool had dropped it, does not come back.
func (p *Projection) newestContexts(lo, hi, seq int32) []int32 {
	l := p.log
	if len(l.contexts) == 0 {
		return nil
	}
	var found []int32
	newer := make([]bool, len(l.subjects.list))
	for i := l.contextAt(seq) - 1; i >= 0 && l.contexts[i].seq >= lo; i-- {
		c := l.contexts[i]
		if n := l.node(c.seq); newer[c.subject] || !p.reads(n) || !p.shows(c.seq, n) {
			continue
		}
		newer[c.subject] = true
		if c.seq <= hi {
			found = append(found, c.seq)
		}
	}
	slices.Reverse(found)
	return slices.Compact(found)
}

// stands reports whether the overlay must show the entry: a standing instruction
// in its newest version (P8a).
func (p *Projection) stands(by int32, n *node, seq int32) bool {
	_, newest := slices.BinarySearch(p.overlays[by].contexts, seq)
	return newest && n.is(flagContext)
}

// unhidden tells why a policy for texts may shorten a user message and not hide
// it; ReasonNone where it may.
func (p *Projection) unhidden(by int32, n *node, seq int32, m *UserMessage) Reason {
	switch {
	case m.IsRequest():
		return ReasonTyped
	case p.stands(by, n, seq):
		return ReasonContext
	}
	return ReasonNone
}
