package codex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"

	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// A rollout of a session that was forked holds what came after it. Its first
// line names the session before and how many of its lines count; that rollout
// lies beside it, or in the folder of another day.

// What is read of sessions before is bounded: so many forks of forks, so many
// bytes of each.
const (
	forkDepth   = 50
	rolloutSize = 1 << 30
)

// forked is where a session was forked from.
type forked struct {
	id  string
	end int64 // the ordinal of the first line that does not count
}

// forkedFrom reads what the line about a session says of it.
func forkedFrom(meta engine.Members) (forked, bool) {
	base := meta.Object("payload").Object("history_base")
	end, ok := WholeNumber(base.Raw("end_ordinal_exclusive"))
	f := forked{base.Peek("thread_id"), end}
	return f, ok && IsID(f.id)
}

// before opens the rollout of the session before; nil where there is none.
func (f forked) before(dir fs.FS) fs.File {
	if dir == nil {
		return nil
	}
	for _, pattern := range [...]string{"", "*/*/*/"} {
		names, err := fs.Glob(dir, pattern+"rollout-*-"+f.id+".jsonl")
		if err != nil || len(names) == 0 {
			continue
		}
		file, err := dir.Open(names[0])
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= rolloutSize {
			return file
		}
		_ = file.Close()
	}
	return nil
}

// withoutBase is the line about a session without the member that names the
// session before, whose lines are read with it.
func withoutBase(line []byte, payload engine.Members) []byte {
	for _, m := range payload.List {
		if string(m.Name) != `"history_base"` {
			continue
		}
		from, to := bytes.LastIndex(line[:m.At.From], m.Name), m.At.To
		rest := bytes.TrimLeft(line[to:], " \t")
		if len(rest) > 0 && rest[0] == ',' {
			to = len(line) - len(rest) + 1
		} else {
			from = bytes.LastIndexByte(line[:from], ',')
		}
		if from >= 0 {
			return slices.Concat(line[:from], line[to:])
		}
	}
	return line
}

func WholeNumber(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0
}

var errEnough = errors.New("the rest came after the fork")

// session takes in the lines of the session before.
func (c *codex) session(ctx context.Context, dir fs.FS, f forked, file fs.File, depth int) error {
	defer func() { _ = file.Close() }()
	own := c.r
	defer func() { c.r = own }()
	in := intake.NewLineReader(ctx, intake.Source{Name: f.id, Reader: io.LimitReader(file, rolloutSize)})
	last := 1
	defer func() { c.before += last - 1 }()
	err := c.records(in, func() error {
		at, ok := WholeNumber(c.root.Raw("ordinal"))
		if !ok {
			at = int64(in.Count - 1)
		}
		if in.Count > 1 && at >= f.end {
			return errEnough
		}
		c.r, last = in, in.Count
		if in.Count == 1 && c.root.Peek("type") == "session_meta" {
			return c.readEarlier(ctx, dir, depth+1)
		}
		return c.line(c.lineID())
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// readEarlier takes in what came before a session that is itself one before.
func (c *codex) readEarlier(ctx context.Context, dir fs.FS, depth int) error {
	f, ok := forkedFrom(c.root)
	if !ok {
		return nil
	}
	file := f.before(dir)
	if file == nil || depth > forkDepth {
		if file != nil {
			_ = file.Close()
		}
		c.missing()
		return nil
	}
	return c.session(ctx, dir, f, file, depth)
}

func (c *codex) missing() {
	c.Warn.Add(c.r.Number, "session continues another whose rollout is not beside it: the earlier part is missing",
		"sessions go on with others whose rollouts are not among the files beside them: what came before is missing")
}
