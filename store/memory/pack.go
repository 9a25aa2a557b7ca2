package memory

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"sync"

	"tenfold"
	"tenfold/internal/record"
)

// An Option sets up a store.
type Option func(*Store)

// Packed has the store keep texts compressed: what agents read and print takes about a
// third of the memory then, at the price of some processor time whenever it is read.
func Packed() Option { return func(s *Store) { s.pack = true } }

// leastPacked is how long a text is that is worth compressing.
const leastPacked = 256

// packed is a record whose head and text are compressed, one behind the other.
type packed struct {
	kind tenfold.Kind
	head int // bytes of the head
	data string
}

// Kind implements [tenfold.Payload].
func (p packed) Kind() tenfold.Kind { return p.kind }

// deflaters are used again: each takes more than half a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is one that there is
	return w
}}

// pack compresses a payload that is kept, where that makes it smaller.
func pack(p tenfold.Payload) tenfold.Payload {
	var r record.Record
	if h, ok := p.(held); ok {
		r = h.Record
	} else if made, err := record.New(p); err == nil {
		r = made
	}
	size := len(r.Head) + len(r.Text)
	if size < leastPacked {
		return p
	}
	var out bytes.Buffer
	w, _ := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, err := w.Write(r.Head)
	if err == nil {
		_, err = io.WriteString(w, r.Text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || out.Len() > size*9/10 {
		return p
	}
	return packed{r.Kind, len(r.Head), out.String()}
}

// payload gives back what was compressed.
func (p packed) payload() (tenfold.Payload, error) {
	var all strings.Builder
	if _, err := io.Copy(&all, flate.NewReader(strings.NewReader(p.data))); err != nil {
		return nil, err
	}
	r := record.Record{Kind: p.kind, Text: all.String()[p.head:]}
	if p.head > 0 {
		r.Head = []byte(all.String()[:p.head])
	}
	return r.Payload()
}
