package engine

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// A lack says what a format cannot tell of what a whole export writes in it.
// What a format has no place for at all, its exporter names.
type lack struct {
	marks     bool // that no person typed a message
	fileMarks bool // the same of a message that holds a file
	errors    bool // that a result is an error
	arguments bool // arguments of a call that are not a JSON object
	apart     bool // two messages of the user in a row
	loose     bool // results of calls that are not there
	roles     bool // roles beside the user's and the assistant's
	times     bool // when a result came
	systems   bool // how a system prompt changes
	blocks    bool // provider-specific blocks in messages of the user, as blocks that count
	files     bool // files that are not images held in the conversation
	inResults bool // files in results
	own       bool // sessions of its own are rebuilt, and lose the same
}

// lacks are the formats that lack something.
var lacks = map[intake.Format]lack{
	intake.ClaudeCode: {arguments: true, loose: true, files: true, blocks: true},
	intake.Codex:      {marks: true, errors: true, files: true},
	intake.OpenCode:   {times: true, files: true, fileMarks: true, systems: true},
	intake.Pi:         {marks: true, arguments: true},
	intake.GeminiCLI:  {marks: true, arguments: true, apart: true, loose: true, roles: true, errors: true, files: true, inResults: true, own: true},
	intake.JP:         {marks: true},
}

// NameLosses counts what the entries of a whole export lose in a format.
func (v View) NameLosses(to intake.Format) []string {
	l, ok := lacks[to]
	if !ok || v.Compacted || (v.Format == to && !l.own) {
		return nil
	}
	x := losing{lack: l, to: to, log: v.Projection.Log()}
	for e := range x.log.Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.System != nil {
			if x.prompted && l.systems {
				x.Add(0, "change of the system prompt may be left out", "changes of the system prompt may be left out")
			}
			x.prompted = true
		}
		if e.Branch == "" && e.Payload.Kind().Visible() {
			x.entry(e)
		}
	}
	return x.Text()
}

// losing counts what one export loses.
type losing struct {
	lack
	intake.Warnings
	to  intake.Format
	log *tenfold.Log
	// asked says that the last entry that shows was the user's, prompted that
	// there was a system prompt.
	asked, prompted bool
}

func (x *losing) entry(e tenfold.Entry) {
	again := x.asked
	x.asked = false
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		x.asked = true
		x.message(p, again)
	case tenfold.ProviderItem:
		if x.blocks && p.Role == "user" {
			x.Add(0, "provider-specific block in a message of the user is kept aside", "provider-specific blocks in messages of the user are kept aside")
		}
	case tenfold.ToolCall:
		if x.arguments && !isObject(p.Arguments) {
			x.Add(0, "call has arguments that are not a JSON object: they are written in one, or left out",
				"calls have arguments that are not a JSON object: they are written in one, or left out")
		}
	case tenfold.ToolResult:
		switch {
		case x.loose && x.log.Pair(e.Seq) == 0:
			x.NoForm(e, x.to)
		case x.errors && p.IsError:
			x.Add(0, "result is not marked as an error", "results are not marked as errors")
		}
		if x.times && !e.Time.IsZero() {
			x.Add(0, "time of a result may be that of its call", "times of results may be those of their calls")
		}
		x.named(x.inResults, p.Parts)
	}
}

func (x *losing) message(p tenfold.UserMessage, again bool) {
	if x.apart && again {
		x.Add(0, "message of the user is joined with the one before it", "messages of the user are joined with those before them")
	}
	unmarked := p.Synthetic && (x.marks || x.fileMarks && hasFile(p.Parts))
	if x.to == intake.Codex && (p.Role != "" || !intake.Typed(p.Parts)) {
		unmarked = false // by its role, or by how it begins
	}
	switch {
	case p.Role != "" && x.roles:
		x.Add(0, "message of another role is left out, or is the user's", "messages of other roles are left out, or are the user's")
	case unmarked:
		x.Add(0, "message that no person typed is written as the user's", "messages that no person typed are written as the user's")
	}
	x.named(false, p.Parts)
}

// named counts the files that are named alone: those that are not images held in
// the conversation, or all.
func (x *losing) named(all bool, parts []tenfold.Part) {
	for _, p := range parts {
		if f := p.File; f != nil && x.files && (all || f.Type != tenfold.PartImage || !strings.HasPrefix(f.URI, "data:")) {
			x.Add(0, "file may be named, not included", "files may be named, not included")
		}
	}
}

func hasFile(parts []tenfold.Part) bool {
	return slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil })
}

// isObject reports whether arguments are a JSON object.
func isObject(arguments string) bool {
	v := jsontext.Value(arguments)
	return v.Kind() == '{' && v.IsValid(walk.ScanOptions...)
}
