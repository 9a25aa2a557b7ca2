package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
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
func forkedFrom(meta node) (forked, bool) {
	base := meta.get("payload").get("history_base")
	end, ok := wholeNumber(base.get("end_ordinal_exclusive").raw())
	f := forked{base.text("thread_id"), end}
	return f, ok && uuidPattern().MatchString(f.id)
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
func withoutBase(line []byte, meta node) []byte {
	payload := meta.get("payload")
	for m := payload.first(); m.found(); m = m.next() {
		name := payload.t.nodes[m.i].name
		if string(name.of(payload.t.raw)) != `"history_base"` {
			continue
		}
		from, to := name.from, m.at().to
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

func wholeNumber(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && n >= 0
}

var errEnough = errors.New("the rest came after the fork")

// session takes in the lines of the session before.
func (c *codex) session(ctx context.Context, dir fs.FS, f forked, file fs.File, depth int) error {
	defer func() { _ = file.Close() }()
	own := c.r
	defer func() { c.r = own }()
	in := newLineReader(ctx, Source{Name: f.id, Reader: io.LimitReader(file, rolloutSize)})
	var root node
	var line []byte
	last := 1
	defer func() { c.before += last - 1 }()
	err := in.records(Codex, func(raw []byte) error {
		line = raw
		root = c.tree.read(&c.scan, raw)
		return c.scan.err
	}, func() error {
		at, ok := wholeNumber(root.get("ordinal").raw())
		if !ok {
			at = int64(in.count - 1)
		}
		if in.count > 1 && at >= f.end {
			return errEnough
		}
		c.r, last = in, in.count
		if in.count == 1 && root.text("type") == "session_meta" {
			return c.earlier(ctx, dir, root, depth+1)
		}
		return c.line(root, numbered(codexLineID(in.count+c.before), codexTells(root, line)))
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// earlier takes in what came before a session that is itself one before.
func (c *codex) earlier(ctx context.Context, dir fs.FS, meta node, depth int) error {
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
	c.warn.add(c.r.number, "session goes on with another whose rollout is not among the files beside it: what came before is missing",
		"sessions go on with others whose rollouts are not among the files beside them: what came before is missing")
}
