package archive

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
)

// batchBytes is about how much is appended at once.
const batchBytes = 64 << 20

// Read creates the conversations of an archive in a store. A conversation that the
// store has already is [store.ErrExists], and ends it: those before stay. One that
// cannot be read to its end is not left half.
func Read(ctx context.Context, from fs.FS, st store.Store) (Total, error) {
	return read(ctx, from, st, batchBytes)
}

func read(ctx context.Context, from fs.FS, st store.Store, batchBytes int) (Total, error) {
	var total Total
	err := lines(from, Index, func(line []byte) error {
		var item Item
		if err := json.Unmarshal(line, &item); err != nil {
			return err
		}
		err := readLog(ctx, from, st, item, batchBytes)
		if err != nil {
			return fmt.Errorf("import conversation %s: %w", string(item.ID), err)
		}
		total.Conversations++
		total.Entries += int(item.Version)
		return nil
	})
	return total, err
}

func readLog(ctx context.Context, from fs.FS, st store.Store, item Item, batchBytes int) (err error) {
	if !strings.HasSuffix(item.File, ".jsonl") {
		return fmt.Errorf("%q is not the name of a log", item.File)
	}
	odd, err := readExact(from, exactOf(item.File))
	if err != nil {
		return err
	}
	c := store.Conversation{
		ID: string(item.ID), Title: string(item.Title), Created: item.Created, Updated: item.Updated, Stats: item.Stats,
	}
	if o := item.Origin; o != nil {
		c.Origin = store.Origin{Key: string(o.Key), Mark: string(o.Mark), Tool: string(o.Tool), Directory: string(o.Directory)}
	}
	var batch []tenfold.Entry
	var size int
	var version int64
	created := false
	flush := func() error {
		if !created {
			err := st.Create(ctx, c, batch...)
			created = err == nil
			batch, size = batch[:0], 0
			return err
		}
		_, err := st.Append(ctx, store.Batch{
			Conversation: c.ID, Expected: version - int64(len(batch)), Entries: batch, Now: cmp.Or(c.Updated, c.Created),
		})
		batch, size = batch[:0], 0
		return err
	}
	defer func() {
		if err != nil && created {
			err = errors.Join(err, st.Delete(context.WithoutCancel(ctx), c.ID, store.AnyVersion))
		}
	}()
	first := true
	err = lines(from, item.File, func(line []byte) error {
		if first { // the header, which the index repeats
			first = false
			return nil
		}
		version++
		e, err := entry(line, odd[version])
		if err != nil {
			return err
		}
		if e.Seq != version {
			return fmt.Errorf("the entry after number %d has number %d", version-1, e.Seq)
		}
		batch = append(batch, e)
		if size += len(line); size > batchBytes {
			return flush()
		}
		return nil
	})
	if err == nil && version != item.Version {
		err = fmt.Errorf("the log has %d entries, not %d", version, item.Version)
	}
	if err != nil || created && len(batch) == 0 {
		return err
	}
	return flush()
}

// entry reads an entry of its line, or of what stands for it.
func entry(line []byte, instead *exact) (tenfold.Entry, error) {
	if instead == nil {
		return tenfold.ParseEntry(line)
	}
	var d row.Decoder
	return d.Entry(instead.Seq, instead.Meta, string(instead.Text))
}

func readExact(from fs.FS, name string) (map[int64]*exact, error) {
	all := map[int64]*exact{}
	err := lines(from, name, func(line []byte) error {
		var x exact
		err := json.Unmarshal(line, &x)
		all[x.Seq] = &x
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

// lines gives the lines of a file one by one.
func lines(from fs.FS, name string, each func(line []byte) error) error {
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 256<<10)
	var line []byte
	for n := 1; ; n++ {
		line = line[:0]
		part, err := r.ReadSlice('\n')
		for ; errors.Is(err, bufio.ErrBufferFull); part, err = r.ReadSlice('\n') {
			if line = append(line, part...); len(line) > maxLine {
				return fmt.Errorf("%s: line %d is longer than any entry", name, n)
			}
		}
		if line = append(line, part...); len(line) > 0 && line[len(line)-1] == '\n' {
			line = line[:len(line)-1]
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		if len(line) > 0 {
			if failed := each(line); failed != nil {
				return fmt.Errorf("%s: line %d: %w", name, n, failed)
			}
		}
		if err != nil {
			return nil
		}
	}
}
