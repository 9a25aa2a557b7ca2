package eval

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"tenfold"
	"tenfold/token"
	"tenfold/transcript"
)

// A File is a transcript to measure.
type File struct {
	// Path is where it lies, Name how a report calls it.
	Path string `json:"-"`
	Name string `json:"transcript"`
	// Source is whose it is: sessions of one source are joined before sources
	// are.
	Source string `json:"source"`
}

// A SessionResult is what came of one conversation.
type SessionResult struct {
	File
	Conversation string            `json:"conversation"`
	Format       transcript.Format `json:"format"`
	Requests     int               `json:"requests"`
	Tokens       int               `json:"tokens"`
	// Skipped is why there are no cells; empty where there are.
	Skipped string `json:"skipped,omitzero"`
	Cells   []Cell `json:"cells,omitzero"`
	// HeldOut are the plans held against later requests, where that was asked.
	HeldOut []HeldOutCell `json:"held_out,omitzero"`
	// Priced is what its input costs, where that was asked.
	Priced []Priced `json:"money,omitzero"`
	// Live is what it costs through a proxy, where that was asked; sessions without
	// cells have it too.
	Live []LivePriced `json:"live,omitzero"`
}

// A Failure is a file that could not be read, or a conversation of it that
// could not be measured.
type Failure struct {
	File
	Err error
}

// A Result is what came of a run.
type Result struct {
	Options  Options
	Sessions []SessionResult
	Failures []Failure
}

// Run measures all conversations of the files, several files at a time, and
// gives the results in the order of the files. Done is told how many files are
// done; it may be nil, and is called by several goroutines. What is wrong with
// one file stops no other.
func Run(ctx context.Context, files []File, o Options, done func(files int)) (*Result, error) {
	type outcome struct {
		sessions []SessionResult
		failures []Failure
	}
	outcomes := make([]outcome, len(files))
	var next, finished atomic.Int64
	var wg sync.WaitGroup
	// Each worker holds one session at a time.
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				k := &measuring{ctx: ctx, file: files[i], options: o}
				err := k.read()
				out := outcome{sessions: k.results, failures: k.failures}
				if err != nil {
					out.failures = append(out.failures, Failure{files[i], err})
				}
				outcomes[i] = out
				if n := finished.Add(1); done != nil {
					done(int(n))
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Result{Options: o}
	for _, out := range outcomes {
		r.Sessions = append(r.Sessions, out.sessions...)
		r.Failures = append(r.Failures, out.failures...)
	}
	return r, nil
}

// measuring is the sink that measures conversations as they are read.
type measuring struct {
	ctx      context.Context
	file     File
	options  Options
	log      *tenfold.Log
	results  []SessionResult
	failures []Failure
}

func (k *measuring) read() error {
	f, err := transcript.Open(k.file.Path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return transcript.Import(k.ctx, f.Source, "", k)
}

func (k *measuring) Begin(transcript.Conversation) error {
	k.log = tenfold.NewLog(tenfold.WithCounter(token.O200k()))
	return nil
}

func (k *measuring) Entry(e tenfold.Entry) error {
	_, err := k.log.Append(e)
	return err
}

func (k *measuring) End(c transcript.Conversation, _ []string) error {
	l := k.log
	k.log = nil
	r := SessionResult{File: k.file, Conversation: c.ID, Format: c.Format}
	s := Open(l)
	r.Requests, r.Tokens = s.Requests(), s.Tokens()
	var err error
	r.Cells, err = s.Measure(k.ctx, k.options)
	if err == nil && k.options.HeldOut > 0 {
		r.HeldOut, err = s.HeldOut(k.ctx, k.options)
	}
	if err == nil && k.options.Money {
		r.Priced, err = price(k.ctx, l, k.options)
	}
	var skip *SkipError
	if len(k.options.Live) > 0 && r.Requests > 0 && (err == nil || errors.As(err, &skip)) {
		var failure error
		if r.Live, failure = priceLive(k.ctx, l, c.Format, k.options); failure != nil {
			err = failure
		}
	}
	switch {
	case errors.As(err, &skip):
		r.Skipped = skip.Reason
	case k.ctx.Err() != nil:
		return k.ctx.Err()
	case err != nil:
		k.failures = append(k.failures, Failure{k.file, err})
	}
	if err == nil || r.Skipped != "" {
		k.results = append(k.results, r)
	}
	return nil
}
