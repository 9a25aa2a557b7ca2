package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/store"
)

// beatEvery is how often a watch with nothing to say says that it is alive.
const beatEvery = 15 * time.Second

const (
	// maxRequest is the most bytes of a request: a batch is held in memory.
	maxRequest = 1 << 30
	// longRequest is from how many bytes on a request is long: there is memory for one at a time.
	longRequest = 16 << 20
	// mostSilent is how long a client may send nothing of a long request, for which others wait.
	mostSilent = 30 * time.Second
)

// Handler answers the requests of clients from a store. The last element of the
// path says the method. It asks nobody who they are: whoever serves it does.
func Handler(st store.Store) http.Handler { return handler{st, make(chan struct{}, 1)} }

type handler struct {
	st   store.Store
	long chan struct{} // has room for the one long request that is read and done
}

// method answers a request of some parameters and entries.
type method func(h handler, ctx context.Context, p parameters, entries []tenfold.Entry, w *writer) error

var methods = map[string]method{
	pathCreate: func(h handler, ctx context.Context, p parameters, entries []tenfold.Entry, _ *writer) error {
		if p.Conversation == nil {
			return fmt.Errorf("%w: create without a conversation", errInvalid)
		}
		return h.st.Create(ctx, p.Conversation.value(), entries...)
	},
	pathConversation: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		c, err := h.st.Conversation(ctx, string(p.ID))
		if err == nil {
			w.json(object, answer{Conversation: newConversation(c)})
		}
		return err
	},
	pathConversations: func(h handler, ctx context.Context, _ parameters, _ []tenfold.Entry, w *writer) error {
		for c, err := range h.st.Conversations(ctx) {
			if err != nil {
				return err
			}
			if w.json(object, answer{Conversation: newConversation(c)}); w.err != nil {
				return w.err
			}
		}
		return nil
	},
	pathPage: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		var after *store.Place
		if p.Place != nil {
			after = &store.Place{Updated: p.Place.Updated, ID: string(p.Place.ID)}
		}
		return w.conversations(h.st.Page(ctx, after, p.Limit))
	},
	pathPrefix: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		return w.conversations(h.st.WithPrefix(ctx, string(p.ID), p.Limit))
	},
	pathHandle: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		return w.conversations(h.st.WithHandle(ctx, string(p.Key)))
	},
	pathImported: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		return w.conversations(h.st.Imported(ctx, string(p.Key)))
	},
	pathTitle: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, _ *writer) error {
		return h.st.SetTitle(ctx, string(p.ID), string(p.Title))
	},
	pathDelete: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, _ *writer) error {
		return h.st.Delete(ctx, string(p.ID), p.expected(store.AnyVersion))
	},
	pathAppend: func(h handler, ctx context.Context, p parameters, entries []tenfold.Entry, w *writer) error {
		b := store.Batch{Conversation: string(p.ID), Expected: p.expected(0), Entries: entries, Now: p.Now}
		b.Stats, b.Origin = (*store.Stats)(p.Stats), p.Origin.value()
		version, err := h.st.Append(ctx, b)
		if err == nil {
			w.json(object, answer{Version: version})
		}
		return err
	},
	pathEntries: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		for e, err := range h.st.Entries(ctx, string(p.ID), p.After) {
			if err != nil {
				return err
			}
			if w.entry(e); w.err != nil {
				return w.err
			}
		}
		return nil
	},
	pathSearch: func(h handler, ctx context.Context, p parameters, _ []tenfold.Entry, w *writer) error {
		hits, err := h.st.Search(ctx, store.Query{Text: string(p.Text), Conversation: string(p.ID), Limit: p.Limit})
		for _, hit := range hits {
			w.json(object, answer{ID: text(hit.Conversation), Snippet: text(hit.Snippet)})
			w.entry(hit.Entry)
		}
		return err
	},
}

// conversations writes a list.
func (w *writer) conversations(all []store.Conversation, err error) error {
	for _, c := range all {
		w.json(object, answer{Conversation: newConversation(c)})
	}
	return err
}

// Method is the name of the method at a path; "unknown" for one that there is not.
func Method(urlPath string) string {
	if name := path.Base(urlPath); methods[name] != nil {
		return name
	}
	return "unknown"
}

// OnlyReads reports whether the method at a path writes nothing.
func OnlyReads(urlPath string) bool {
	return slices.Contains([]string{pathConversation, pathConversations, pathPage, pathPrefix, pathHandle, pathImported, pathEntries, pathWatch, pathSearch}, path.Base(urlPath))
}

// ServeHTTP implements [http.Handler].
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	do := methods[name]
	if r.Method != http.MethodPost || (do == nil && name != pathWatch) {
		http.NotFound(w, r)
		return
	}
	longest := int64(maxRequest)
	if do == nil {
		longest = longRequest // a watch lasts, and has nothing long to say
	}
	body := &body{Reader: http.MaxBytesReader(w, r.Body, longest), ctx: r.Context(), room: h.long, until: http.NewResponseController(w).SetReadDeadline}
	if r.ContentLength >= longRequest {
		body.read = longRequest // it waits before it comes
	}
	defer body.free()
	p, entries, err := readRequest(body)
	body.end()
	w.Header().Set("Content-Type", contentType)
	out := newWriter(w)
	defer out.free()
	switch {
	case err != nil:
	case do != nil:
		err = do(h, r.Context(), p, entries, out)
	default:
		err = h.watch(r.Context(), p, out, http.NewResponseController(w).Flush)
	}
	// An answer that could not be written, or whose client is gone, has no end.
	switch {
	case out.err != nil || r.Context().Err() != nil:
		return
	case err != nil:
		out.json(failed, newFailure(err))
	default:
		out.frame(end)
	}
	_ = out.flush() // the client sees that there is no end
}

// A body is read as it comes. From longRequest bytes on it has the room for the one long
// request, until it is freed.
type body struct {
	io.Reader
	ctx   context.Context
	room  chan struct{}
	until func(time.Time) error
	read  int64
	long  bool
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if !b.long && b.read >= longRequest {
		select {
		case b.room <- struct{}{}:
			b.long = true
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	if b.long {
		_ = b.until(time.Now().Add(mostSilent)) // where there is a connection
	}
	n, err := b.Reader.Read(p)
	b.read += int64(n)
	return n, err
}

// end says that all is read: what is done with it may take as long as it needs.
func (b *body) end() {
	if b.long {
		_ = b.until(time.Time{})
	}
}

func (b *body) free() {
	if b.long {
		<-b.room
	}
}

func readRequest(body io.Reader) (p parameters, entries []tenfold.Entry, err error) {
	in := newReader(body)
	defer in.free()
	kind, content, err := in.next()
	if err == nil && kind != object {
		err = fmt.Errorf("%w: no parameters", errInvalid)
	}
	if err == nil {
		err = decode(content, &p)
	}
	for err == nil {
		if kind, content, err = in.next(); err != nil || kind == end {
			break
		}
		var e tenfold.Entry
		if kind != entry {
			err = fmt.Errorf("%w: frame %d among the entries", errInvalid, kind)
		} else if e, err = in.entry(content); err == nil {
			entries = append(entries, e)
		}
	}
	if err != nil && !errors.Is(err, errInvalid) { // as one that broke off, or is too long
		err = fmt.Errorf("%w: %w", errInvalid, err)
	}
	return p, entries, err
}

// watch goes on until the client is gone. Its first frame tells when the
// conversation was made, so that who comes again knows another of the same id.
func (h handler) watch(ctx context.Context, p parameters, w *writer, flush func() error) error {
	c, err := h.st.Conversation(ctx, string(p.ID))
	if err != nil {
		return err
	}
	send := func() {
		if w.flush() == nil {
			w.err = flush()
		}
	}
	w.json(object, answer{Conversation: newConversation(c)})
	send()
	ctx, cancel := context.WithCancel(ctx)
	entries, ended := make(chan tenfold.Entry), make(chan error, 1)
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	following.Go(func() {
		for e, err := range h.st.Watch(ctx, string(p.ID), p.After) {
			if err != nil {
				ended <- err
				return
			}
			select {
			case entries <- e:
			case <-ctx.Done():
				return
			}
		}
	})
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for w.err == nil {
		select {
		case e := <-entries:
			w.entry(e)
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			w.frame(beat)
		}
		send()
	}
	return w.err
}
