package tenfold

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenfold/internal/shield"
)

// Bounds of what is told of folded calls.
const (
	maxFolded   = 110 // bytes of names in one line
	maxDone     = 220 // and beside them of what was done, which the model would do again
	maxAbout    = 40  // characters of what a call is about
	maxGathered = 64  // calls looked at
)

// tells reports whether any of the calls is to be told of.
func (f *Folded) tells() bool {
	return f != nil && (f.Calls > 0 || f.Next.tells())
}

// foldedWords is the line that tells of calls that an overlay folded, by what it
// knows of the tools; empty where there are none.
func (p *Projection) foldedWords(by int32, f *Folded, recall bool) string {
	if f == nil || f.Calls < 1 {
		return ""
	}
	text := "[" + strconv.Itoa(f.Calls) + " earlier calls not shown"
	switch {
	case f.After && f.Calls == 1:
		text = "[1 later call not shown"
	case f.After:
		text = "[" + strconv.Itoa(f.Calls) + " later calls not shown"
	case f.Calls == 1:
		text = "[1 earlier call not shown"
	}
	if names := p.foldedNames(by, f); names != "" {
		text += ": " + names
	}
	if recall && f.From > 0 {
		text += " (recall " + p.overlays[by].prefix() + strconv.FormatInt(f.From, 10)
		if f.To > f.From {
			text += "-" + strconv.FormatInt(f.To, 10)
		}
		text += ")"
	}
	return text + "]"
}

// foldedNames tells what the folded calls were about, the calls of one tool
// together: of many the last ones, which tell how things stand. It looks at the log
// and the overlay alone, so that later overlays and entries change nothing in it (P11a).
func (p *Projection) foldedNames(by int32, f *Folded) string {
	var tools []toldTool
	o, seen := &p.overlays[by], 0
	for seq := min(f.To, int64(o.seq)-1); f.From > 0 && seq >= f.From && seen < min(f.Calls, maxGathered); seq-- {
		n := p.log.node(int32(seq))
		if n.kind != codeCall || !p.reads(n) || o.shows(int32(seq)) || p.tookBack(by, int32(seq)) {
			continue
		}
		seen++
		tool := p.log.toolName(n.tool)
		what := p.about(o, payloadOf[ToolCall](p.log, int32(seq)))
		i := slices.IndexFunc(tools, func(t toldTool) bool { return t.name == tool })
		if i < 0 {
			i, tools = len(tools), append(tools, toldTool{name: tool, does: o.c.ToolCalls != nil && slices.Contains(o.c.ToolCalls.Primary[tool], EveryArgument)})
		}
		if tools[i].does && p.failed(int32(seq), o.seq) {
			what = strings.TrimLeft(what+" (failed)", " ")
		}
		j := slices.Index(tools[i].what, what)
		if j < 0 {
			j = len(tools[i].what)
			tools[i].what, tools[i].counts = append(tools[i].what, what), append(tools[i].counts, 0)
		}
		tools[i].counts[j]++
	}
	var told []string
	left, done, whole := maxFolded, maxDone, seen == f.Calls
	for _, tool := range tools {
		room := &left
		if tool.does {
			room = &done
		}
		names, all := tool.names(room, len(told) == 0)
		if whole = whole && all; len(names) > 0 {
			told = append(told, strings.TrimRight(tool.name+" "+strings.Join(names, ", "), " "))
		}
	}
	if len(told) > 0 && !whole {
		told = append(told, gapMark)
	}
	slices.Reverse(told)
	return strings.Join(told, "; ")
}

// toldTool is what is told of folded calls of one tool.
type toldTool struct {
	name   string
	does   bool     // more than to look: all its arguments tell of a call
	what   []string // the last one first
	counts []int
}

// names are what the calls were about, the first one first, for at most so many bytes;
// false where some have no room. A first tool has one name at least.
func (t toldTool) names(room *int, first bool) (names []string, all bool) {
	*room -= len(t.name)
	for j, name := range t.what {
		if name == "" && len(t.what) > 1 {
			name = gapMark // one beside others of which something says what they are about
		}
		if n := t.counts[j]; n > 1 {
			name = strings.TrimLeft(name+" ×"+strconv.Itoa(n), " ")
		}
		if *room -= len(", ") + len(name); *room < 0 && (j > 0 || !first) {
			break
		}
		names = append(names, name)
	}
	slices.Reverse(names)
	return names, len(names) == len(t.what)
}

// failed reports whether a call is known to have failed by the result that it had when an
// overlay was made, which is at a seq.
func (p *Projection) failed(call, overlay int32) bool {
	pair := p.log.Pair(int64(call))
	return pair > 0 && pair < int64(overlay) && payloadOf[ToolResult](p.log, int32(pair)).Ended().Bad()
}

// tookBack reports whether a client had taken an entry back before an overlay was made,
// which is by its index: that is no part of what it folded, and nobody undoes it.
func (p *Projection) tookBack(by, seq int32) bool {
	for i := by - 1; i >= 0; i-- {
		if o := &p.overlays[i]; o.c.Rewinds() && o.lo <= seq && seq <= o.hi {
			return o.c.Turns == Omit && !p.keeps(i, seq)
		}
	}
	return false
}

// shows reports whether the overlay names a call and leaves something of it.
func (o *overlay) shows(seq int32) bool {
	i, ok := slices.BinarySearchFunc(o.named, seq, func(n named, seq int32) int { return int(n.seq - seq) })
	return ok && o.policies[o.named[i].one].request != actOmit
}

// about says in a few words what a call is about: a file's name, the first line of
// a command; empty where nothing says.
func (p *Projection) about(o *overlay, c ToolCall) string {
	if o.c.ToolCalls == nil {
		return ""
	}
	key := aboutKey{c.Name, c.Arguments}
	by := [...][]string{o.c.ToolCalls.Primary[c.Name], o.c.ToolCalls.Primary[AnyTool]}
	known, ok := p.stubs.abouts[key]
	if ok && slices.EqualFunc(known.by[:], by[:], slices.Equal) {
		return known.text
	}
	text := o.c.ToolCalls.about(c)
	if ok || len(p.stubs.abouts) < maxRemembered {
		p.stubs.abouts[key] = aboutCall{by, text}
	}
	return text
}

// aboutCall is what a call is about, by the names of the arguments that were asked.
type aboutCall struct {
	by   [2][]string
	text string
}

type aboutKey struct{ tool, arguments string }

// about reads it from the call's arguments.
func (p *ToolPolicy) about(c ToolCall) string {
	all, ok := members(c.Arguments)
	if !ok {
		return ""
	}
	for name := range p.primaryOf(c.Name) {
		if name == EveryArgument {
			if line := inWords(c.Arguments, all); line != "" {
				return line
			}
		}
		for _, m := range all {
			if m.name != name {
				continue
			}
			texts := ArgumentTexts(c.Arguments[m.lo:m.hi])
			if len(texts) == 0 {
				continue
			}
			if line := label(afterMove(strings.TrimSpace(texts[len(texts)-1].Text))); line != "" {
				return line
			}
		}
	}
	return p.aboutWithin(c.Arguments)
}

// aboutWithin tells the files that a call names deeper in its arguments: in each of several
// edits, or in a patch.
func (p *ToolPolicy) aboutWithin(arguments string) string {
	var names []string
	room := maxAbout
	add := func(path string) {
		switch name := label(strings.TrimSpace(path)); {
		case name == "" || slices.Contains(names, name) || room == 0:
		case len(name) > room && len(names) > 0:
			room, names = 0, append(names, gapMark)
		default:
			room = max(room-len(name)-len(", "), 1)
			names = append(names, name)
		}
	}
	for _, line := range patched(arguments) {
		add(line[strings.Index(line, ": ")+len(": "):])
	}
	if names == nil {
		for _, t := range ArgumentTexts(arguments) {
			if !t.Body && slices.Contains(p.Primary[AnyTool], t.Name) {
				add(t.Text)
			}
		}
	}
	return strings.Join(names, ", ")
}

// label is a text in one short line: of a path the last element.
func label(text string) string {
	line, _, more := strings.Cut(text, "\n")
	line = strings.Join(strings.Fields(line), " ")
	separators := "/"
	if len(line) > 2 && line[1:3] == `:\` { // C:\ of Windows
		separators = `/\`
	}
	if at := strings.LastIndexAny(line, separators); at >= 0 && at+1 < len(line) && !strings.Contains(line, " ") {
		line = line[at+1:]
	}
	if utf8.RuneCountInString(line) > maxAbout {
		line = withoutFolders(line)
	}
	if utf8.RuneCountInString(line) > maxAbout {
		line, more = strings.TrimRight(line[:wordBound(line, byteAt(line, maxAbout-1), -1)], " "), true
	}
	if line = shield.Label(line); more {
		line += gapMark
	}
	return line
}

// inWords are the short values of a call's arguments, as many as there is room for.
func inWords(arguments string, all []member) string {
	var words []string
	room := maxAbout
	for _, m := range all {
		value := arguments[m.lo:m.hi]
		switch {
		case m.size(arguments, maxAbout) > maxAbout+len(`[""]`), strings.Contains(value, "{"), value == "null":
			continue
		case value[0] == '"':
			value = unquoted(value)
		case value[0] == '[':
			var texts []string
			for _, t := range ArgumentTexts(value) {
				texts = append(texts, t.Text)
			}
			value = strings.Join(texts, ",")
		}
		if value = shield.Label(strings.Join(strings.Fields(value), " ")); value == "" || utf8.RuneCountInString(value) > room {
			continue
		}
		room -= utf8.RuneCountInString(value) + 1
		words = append(words, value)
	}
	return strings.Join(words, " ")
}

// afterMove is a command line without the change of directory that it begins with: what
// is run tells more of a call than where.
func afterMove(command string) string {
	if rest, moves := strings.CutPrefix(command, "cd "); moves {
		if at := strings.IndexAny(rest, "&;\n"); at >= 0 {
			return cmp.Or(strings.TrimLeft(rest[at:], "&; \t\r\n"), command)
		}
	}
	return command
}

// withoutFolders is a command line with the names of its files alone: which they are
// tells more of a call than where they lie.
func withoutFolders(command string) string {
	words := strings.Split(command, " ")
	for i, word := range words {
		at := strings.LastIndexByte(word, '/')
		if at > 0 && at+1 < len(word) && !strings.ContainsAny(word, "\"'`|*$(){}[]<>=\\:;&") {
			words[i] = gapMark + word[at:]
		}
	}
	return strings.Join(words, " ")
}

// byteAt is where the character with the given number begins.
func byteAt(text string, n int) int {
	for i := range text {
		if n--; n < 0 {
			return i
		}
	}
	return len(text)
}

// foldedBeside puts what tells of folded calls beside a text.
func (p *Projection) foldedBeside(by int32, f *Folded, recall bool, text string) string {
	if f == nil {
		return text
	}
	text = p.foldedBeside(by, f.Next, recall, text)
	words := p.foldedWords(by, f, recall)
	switch {
	case words == "" || text == "":
		return text + words
	case f.After:
		return joinMarks(text, words)
	}
	return joinMarks(words, text)
}

// foldedParts puts them beside a content, whose parts stay as they are.
func (p *Projection) foldedParts(by int32, f *Folded, recall bool, parts []Part) []Part {
	if f == nil {
		return parts
	}
	if len(parts) == 1 && parts[0].File == nil {
		return Text(p.foldedBeside(by, f, recall, parts[0].Text))
	}
	parts = p.foldedParts(by, f.Next, recall, parts)
	switch words := p.foldedWords(by, f, recall); {
	case words == "":
		return parts
	case f.After:
		return appendText(parts, words)
	default:
		return append(Text(words), parts...)
	}
}

// appendText puts a text behind a content, on a line of its own.
func appendText(parts []Part, text string) []Part {
	if len(parts) == 1 && parts[0].File == nil {
		return Text(joinMarks(parts[0].Text, text))
	}
	return append(slices.Clone(parts), TextPart(text))
}
