package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var errCoding = errors.New("unknown content coding, or too long")

// codingOf gives the coding of a body, "" for none.
func codingOf(h http.Header) string {
	coding := strings.ToLower(strings.TrimSpace(strings.Join(h["Content-Encoding"], ",")))
	if coding == "identity" {
		return ""
	}
	return coding
}

// newDecoder unpacks a body as it comes, so many bytes at most. Several codings over one another are not
// read.
func newDecoder(coding string, r io.Reader, longest int64) (io.Reader, error) {
	var out io.Reader
	var err error
	switch coding {
	case "":
		return r, nil
	case "gzip", "x-gzip":
		out, err = gzip.NewReader(r)
	case "deflate":
		// By the standard it is zlib's; some send the bare stream.
		b := bufio.NewReader(r)
		if head, _ := b.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			out, err = zlib.NewReader(b)
		} else {
			out = flate.NewReader(b)
		}
	case "br":
		out = brotli.NewReader(r)
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20)); err == nil {
			out = z.IOReadCloser()
		}
	default:
		err = errCoding
	}
	if err != nil {
		return nil, err
	}
	return &bounded{out, longest}, nil
}

// bounded is a reader that fails beyond so many bytes.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errCoding
	}
	return n, err
}

// decode unpacks a whole body. What is longer, or cannot be packed again in the
// same way, is an error.
func decode(coding string, data []byte, longest int64) ([]byte, error) {
	switch coding {
	case "":
		return data, nil
	case "zstd", "gzip", "x-gzip", "deflate":
		r, err := newDecoder(coding, bytes.NewReader(data), longest)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return nil, errCoding
}

// encode packs a body that was changed as the client packs its bodies.
func encode(coding string, data []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "":
		return data, nil
	case "zstd":
		return packer().EncodeAll(data, nil), nil
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	default:
		return nil, errCoding
	}
	_, err := w.Write(data)
	if closing := w.Close(); err == nil {
		err = closing
	}
	return out.Bytes(), err
}

// packer packs whole bodies; it is dear to make, and safe to share.
var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // there are no options
	}
	return e
})
