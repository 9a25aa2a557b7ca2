package transcript

import (
	"context"
	"errors"
	"fmt"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// importNamed reads a source as the format that the caller names.
func importNamed(ctx context.Context, src Source, head []byte, as engine.Handler, sink Sink) error {
	problem, other := mistaken(head, src.Name, as)
	switch {
	case problem == nil:
		return as.Import(ctx, src, sink)
	case other == intake.Certain:
		return problem
	}
	d := &doubted{Sink: sink}
	err := as.Import(ctx, src, d)
	if bad := (*Error)(nil); errors.As(err, &bad) && !d.read && other == intake.Likely {
		return problem
	}
	if err != nil {
		return err
	}
	if other == intake.No && !d.some {
		return d.endHeldBack(nil) // an empty file is of any format
	}
	return d.endHeldBack(problem)
}

// mistaken says that a source named to be of one format is of another, or of
// none: nil where the name may be right. How surely it is of the other decides:
// where that is not certain it is only an error if nothing can be read.
func mistaken(head []byte, name string, as engine.Handler) (problem *Error, other intake.Confidence) {
	h := intake.NewHead(head, name)
	if as.Recognise(h) != intake.No {
		return nil, intake.No
	}
	best, found := recognise(h)
	if best < intake.Likely || len(found) != 1 {
		return &Error{
			Name: name, Err: fmt.Errorf("not of format %s: nothing is said in it that can be read so", as.Format),
			Hint: "try another format, or leave --from out",
		}, intake.No
	}
	return &Error{
		Name: name, Err: fmt.Errorf("not of format %s: it looks like %s", as.Format, found[0]),
		Hint: "try --from " + string(found[0]) + ", or leave it out",
	}, best
}

// doubted is a sink that holds back the end of a conversation in which nothing
// was read, until it is known whether the format was right.
type doubted struct {
	Sink
	some bool // entries came
	read bool
	end  func() error
}

func (d *doubted) Begin(c Conversation) error {
	if err := d.endHeldBack(nil); err != nil {
		return err
	}
	return d.Sink.Begin(c)
}

func (d *doubted) Entry(e tenfold.Entry) error {
	d.some = true
	switch e.Payload.(type) {
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ToolResult:
		d.read = true
	}
	return d.Sink.Entry(e)
}

func (d *doubted) End(c Conversation, warnings []string) error {
	d.end = func() error { return d.Sink.End(c, warnings) }
	if d.read {
		return d.endHeldBack(nil)
	}
	return nil
}

// endHeldBack ends the conversation that was held back, or gives the problem.
func (d *doubted) endHeldBack(problem error) error {
	end := d.end
	d.end = nil
	switch {
	case end == nil:
		return nil
	case problem != nil && !d.read:
		return problem
	}
	return end()
}
