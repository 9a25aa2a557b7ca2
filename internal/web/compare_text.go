package web

import "tenfold"

func entryText(p tenfold.Payload) string {
	if s, ok := p.(tenfold.ToolCall); ok {
		return s.Name + "(" + s.Arguments + ")"
	}
	return tenfold.SearchText(p)
}

func labelOf(l *tenfold.Log, e tenfold.Entry) string { return string(e.Payload.Kind()) }

func pinned(*tenfold.Projection) func(int64) bool { return func(int64) bool { return false } }
