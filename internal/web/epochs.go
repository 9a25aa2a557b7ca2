package web

import (
	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/token"
)

// epochs are the stretches in which the beginning of the view did not change (live
// V1), kept up with a log. Changes with no request between them begin one epoch.
type epochs struct {
	version int64
	list    []shape.Epoch
	// asked tells that the model answered since the last change, and sized that the
	// size of the view then is known.
	asked, sized bool
}

// read takes in what is new in the log.
func (p *epochs) read(l *tenfold.Log, scale token.Scale) {
	for e := range l.After(p.version) {
		p.version = e.Seq
		if e.Branch != "" {
			continue
		}
		if len(p.list) == 0 {
			p.list = append(p.list, shape.Epoch{At: e.Time.UTC()})
		}
		last := &p.list[len(p.list)-1]
		tokens, id := 0, ""
		switch v := e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.ToolCall, tenfold.Reasoning:
			p.asked = true
			continue
		case tenfold.Usage:
			if sent := v.Prompt(); !p.sized && sent > 0 {
				last.Tokens, p.sized = sent, true
			}
			p.asked = true
			continue
		case tenfold.Compaction:
			if v.AtBirth() {
				continue
			}
			_, tokens = scale.Sizes(v)
			id = e.ID
		case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
		default:
			continue
		}
		if p.asked {
			p.list = append(p.list, shape.Epoch{})
			last = &p.list[len(p.list)-1]
		}
		p.asked, p.sized = false, tokens > 0
		last.At, last.Tokens = e.Time.UTC(), tokens
		if len(p.list) > 1 || id != "" {
			last.Compaction = id
		}
	}
}
