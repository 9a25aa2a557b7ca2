package look

import (
	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/token"
)

// Epochs are the stretches in which the beginning of the view did not change (live
// V1), kept up with a log. Changes with no request between them begin one epoch.
type Epochs struct {
	version int64
	List    []shape.Epoch
	// asked tells that the model answered since the last change, and sized that the
	// size of the view then is known.
	asked, sized bool
}

// Read takes in what is new in the log.
func (p *Epochs) Read(l *tenfold.Log, scale token.Scale) {
	for e := range l.After(p.version) {
		p.version = e.Seq
		if e.Branch != "" {
			continue
		}
		if len(p.List) == 0 {
			p.List = append(p.List, shape.Epoch{At: e.Time.UTC()})
		}
		last := &p.List[len(p.List)-1]
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
			p.List = append(p.List, shape.Epoch{})
			last = &p.List[len(p.List)-1]
		}
		p.asked, p.sized = false, tokens > 0
		last.At, last.Tokens = e.Time.UTC(), tokens
		if len(p.List) > 1 || id != "" {
			last.Compaction = id
		}
	}
}
