package intake

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The first bytes of the archives that are read as what is in them.
var (
	gzipMagic = []byte("\x1f\x8b")
	zstdMagic = []byte("\x28\xb5\x2f\xfd")
)

// zstdWindow is the most memory that a zstd archive may ask for, in bytes: what
// "zstd --long" writes still fits.
const zstdWindow = 128 << 20

// Unpack gives the source that is packed in src, or src itself, and its first
// bytes. Progress is still told in bytes of the archive.
func Unpack(src Source) (out Source, head []byte, done func(), err error) {
	done = func() {}
	head, src.Reader, err = readHead(src.Reader)
	if err != nil {
		return src, nil, done, fmt.Errorf("read %s: %w", src.Name, err)
	}
	var what, suffix string
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		what, suffix = "gzip", ".gz"
	case bytes.HasPrefix(head, zstdMagic):
		what, suffix = "zstd", ".zst"
	default:
		return src, head, done, nil
	}
	a := &archive{what: what, name: src.Name, in: &told{r: src.Reader, tell: src.Progress}, limit: src.limits().Unpacked}
	if src.Intake != nil {
		src.Intake.packed = a.in
	}
	switch what {
	case "gzip":
		z, err := gzip.NewReader(a.in)
		if err != nil {
			return src, nil, done, a.problem(err)
		}
		a.out = z
	default:
		z, err := zstd.NewReader(a.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return src, nil, done, a.problem(err)
		}
		a.out, done = z, z.Close
	}
	// A packed file is one stream: it has no place as a database, and its
	// size says nothing of what is in it.
	src.Name, src.Path, src.Size, src.Progress = strings.TrimSuffix(src.Name, suffix), "", 0, nil
	head, src.Reader, err = readHead(a)
	if err == nil && (bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic)) {
		err = &Error{Name: a.name, Err: errors.New("an archive lies within the archive"), Hint: "unpack it once"}
	}
	return src, head, done, err
}

// archive reads what is packed, and words what is wrong with it.
type archive struct {
	what, name string
	in         *told
	out        io.Reader
	limit      int64 // how much any archive may unpack to
	unpacked   int64
}

// Read implements io.Reader.
func (a *archive) Read(p []byte) (int, error) {
	n, err := a.out.Read(p)
	if a.unpacked += int64(n); a.unpacked > max(a.limit, packedRatio*a.in.read) {
		return n, &Error{
			Name: a.name,
			Err: fmt.Errorf("the %s archive unpacks to more than %s, which is over %d times its size: it may be made to fill the memory",
				a.what, sizeText(max(a.limit, packedRatio*a.in.read)), packedRatio),
			Hint: "if you trust it, unpack it and import the file that comes out",
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = a.problem(err)
	}
	return n, err
}

func (a *archive) problem(err error) error {
	if a.in.err != nil {
		return a.in.err // the disk's trouble, not the archive's
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Name: a.name, Err: errors.New("the " + a.what + " archive is cut off"), Hint: "restore it, or unpack what there is of it"}
	}
	return &Error{Name: a.name, Err: fmt.Errorf("the %s archive is damaged: %w", a.what, err), Hint: "restore it"}
}

// told reads, tells how much, and remembers what went wrong.
type told struct {
	r    io.Reader
	tell func(int64)
	read int64
	err  error
}

// Read implements io.Reader.
func (t *told) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.read += int64(n)
	if t.tell != nil && n > 0 {
		t.tell(t.read)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}
