package intake

import "tenfold"

// formless words what exporters leave out, by the kind of its payload; what is not
// here is the record of another tool.
var formless = map[tenfold.Kind]struct{ one, many, why string }{
	tenfold.KindProviderItem:      {one: "provider-specific block", many: "provider-specific blocks"},
	tenfold.KindToolResult:        {one: "result without a call", many: "results without calls"},
	tenfold.KindConfigDelta:       {"system prompt or list of tools", "system prompts or lists of tools", ": the client brings its own"},
	tenfold.KindUsage:             {one: "count of tokens", many: "counts of tokens"},
	tenfold.KindApproval:          {one: "approval", many: "approvals"},
	tenfold.KindPin:               {one: "pin", many: "pins"},
	tenfold.KindCompaction:        {one: "compaction", many: "compactions"},
	tenfold.KindCompactionRevoked: {one: "undoing of a compaction", many: "undoings of compactions"},
	tenfold.KindCompactionFailed:  {one: "failed compaction", many: "failed compactions"},
}

// NoForm counts an entry that an exporter leaves out because its format has no
// form for it.
func (w *Warnings) NoForm(e tenfold.Entry, in Format) {
	f, ok := formless[e.Payload.Kind()]
	switch {
	case e.Branch != "":
		f.one, f.many, f.why = "entry of a sub-agent", "entries of sub-agents", ""
	case !ok:
		f.one, f.many = "record of another tool", "records of another tool"
	}
	w.Add(0, f.one+" has no form in "+string(in)+" and is left out"+f.why, f.many+" have no form in "+string(in)+" and are left out"+f.why)
}
