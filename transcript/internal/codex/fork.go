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
	"tenfold/transcript/internal/walk"
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
func forkedFrom(meta walk.Node) (forked, bool) {
	base := meta.Get("payload").Get("history_base")
	end, ok := WholeNumber(base.Get("end_ordinal_exclusive").Raw())
	f := forked{base.Text("thread_id"), end}
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
func withoutBase(line []byte, meta walk.Node) []byte {
	payload := meta.Get("payload")
	for m := payload.First(); m.Found(); m = m.Next() {
		name := payload.T.Nodes[m.I].Name
		if string(name.Of(payload.T.Raw)) != `"history_base"` {
			continue
		}
		from, to := name.From, m.At().To
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
	in := engine.NewLineReader(ctx, engine.Source{Name: f.id, Reader: io.LimitReader(file, rolloutSize)})
	var root walk.Node
	var line []byte
	last := 1
	defer func() { c.before += last - 1 }()
	err := in.Records(engine.Codex, func(raw []byte) error {
		line = raw
		root = c.tree.Read(&c.scan, raw)
		return c.scan.Err
	}, func() error {
		at, ok := WholeNumber(root.Get("ordinal").Raw())
		if !ok {
			at = int64(in.Count - 1)
		}
		if in.Count > 1 && at >= f.end {
			return errEnough
		}
		c.r, last = in, in.Count
		if in.Count == 1 && root.Text("type") == "session_meta" {
			return c.readEarlier(ctx, dir, root, depth+1)
		}
		return c.line(root, engine.Numbered(codexLineID(in.Count+c.before), codexTells(root, line)))
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// readEarlier takes in what came before a session that is itself one before.
func (c *codex) readEarlier(ctx context.Context, dir fs.FS, meta walk.Node, depth int) error {
	f, ok := forkedFrom(meta)
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
