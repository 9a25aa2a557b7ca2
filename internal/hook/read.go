package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"tenfold"
	"tenfold/problem"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/transcript"
)

// Largest is the most bytes of a transcript that is read. Larger ones are a
// failure: reading them would take longer than an agent waits.
const Largest = 256 << 20

// readTranscript reads the conversation that an ask is about.
func (h *Host) readTranscript(ctx context.Context, a Ask) (session.Import, error) {
	var in session.Import
	src, place, closing, err := a.source()
	if err != nil {
		return in, err
	}
	defer closing()
	sink := &logSink{mine: a.Ours}
	if err := transcript.Import(ctx, src, a.Format, sink); err != nil {
		return in, err
	}
	if sink.found == nil {
		return in, &problem.Error{Op: "read", Subject: src.Name, Problem: "no conversation in it", Code: "transcript"}
	}
	c := *sink.found
	in = session.Import{
		ID: c.ID, Title: c.Title, Named: c.Named, Owner: h.Owner, Path: place, Format: string(c.Format), Directory: c.Directory,
		Created: c.Created, Log: sink.log,
	}
	if in.Title == "" {
		in.Title = purpose.TitleOf(in.Log.Entries())
	}
	return in, nil
}

// source opens the transcript of an ask. The path must name a regular file: an
// agent that is led to name a device or a pipe would hang.
func (a Ask) source() (src transcript.Source, place string, closing func(), err error) {
	if a.Path == "" {
		return transcript.Source{Name: string(a.Format), Reader: bytes.NewReader(a.Data), Size: int64(len(a.Data))}, "", func() {}, nil
	}
	if place, err = filepath.Abs(a.Path); err == nil {
		place, err = filepath.EvalSymlinks(place)
	}
	if err != nil {
		return src, "", nil, err
	}
	info, err := os.Stat(place)
	switch {
	case err != nil:
		return src, "", nil, err
	case !info.Mode().IsRegular():
		return src, "", nil, &fs.PathError{Op: "read", Path: a.Path, Err: errors.New("not a regular file")}
	case info.Size() > Largest:
		return src, "", nil, &fs.PathError{Op: "read", Path: a.Path, Err: fmt.Errorf("larger than %d MiB", Largest>>20)}
	}
	f, err := transcript.Open(place)
	if err != nil {
		return src, "", nil, err
	}
	return f.Source, place, func() { _ = f.Close() }, nil
}

// logSink keeps the conversation of a transcript, of several the last. It counts no
// tokens: most entries are in the store already, with theirs.
type logSink struct {
	mine  func(tenfold.Entry) bool
	log   *tenfold.Log
	found *transcript.Conversation
}

type uncounted struct{}

func (uncounted) Count(string) int { return 0 }

func (k *logSink) Begin(transcript.Conversation) error {
	k.log = tenfold.NewLog(tenfold.WithCounter(uncounted{}))
	return nil
}

func (k *logSink) Entry(e tenfold.Entry) error {
	if k.mine != nil && k.mine(e) {
		return nil
	}
	_, err := k.log.Append(e)
	return err
}

func (k *logSink) End(c transcript.Conversation, _ []string) error {
	k.found = &c
	return nil
}

// store brings an import into the store: what is new of it.
func (h *Host) store(ctx context.Context, svc *session.Service, in session.Import) (s *session.Session, err error) {
	err = session.Retried(ctx, func() error {
		at, err := svc.Locate(ctx, in)
		if err != nil {
			return err
		}
		count(at.Fresh, svc.Counter())
		err = at.Store(ctx)
		s = at.Session
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// count counts the tokens of entries that have none yet, on all processors: of a
// long conversation that is new to the store it is most of the work.
func count(entries []tenfold.Entry, counter tenfold.Counter) {
	const least = 64 // entries for which another goroutine pays
	var all sync.WaitGroup
	size := max(len(entries)/runtime.GOMAXPROCS(0)+1, least)
	for part := range slices.Chunk(entries, size) {
		all.Go(func() {
			for i := range part {
				if part[i].Tokens == 0 {
					part[i].Tokens = tenfold.CountPayload(counter, part[i].Payload)
				}
			}
		})
	}
	all.Wait()
}
