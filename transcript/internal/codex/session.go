package codex

// recordsWithin is how many entries are looked at for what a session was.
const recordsWithin = 200

// cwd is the working directory that a record of the conversation names. Where none does
// it is empty, which Codex takes for the directory it is resumed in; it refuses a session
// without one.
func (x *codexWriter) cwd() string {
	if x.dir == nil {
		x.dir = new(x.view.RanIn())
	}
	return *x.dir
}

// provider is who ran the session's model. Codex goes on only with the same,
// and with its own where none is named.
func (x *codexWriter) provider() string {
	n := 0
	for e := range x.view.Projection.Log().Entries() {
		if n++; n > recordsWithin {
			break
		}
		if root := x.record.Look(e.Source); root.Peek("type") == "session_meta" {
			return root.Object("payload").Peek("model_provider")
		}
	}
	return ""
}
