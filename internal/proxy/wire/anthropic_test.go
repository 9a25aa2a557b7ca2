package wire_test

import (
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/internal/proxy/wire"
)

// opener is what these tests need of a protocol.
type opener interface {
	Scan(path string, body []byte, known []wire.Message) (*wire.Request, error)
	Head(r *wire.Request) (tenfold.ConfigDelta, error)
	Read(r *wire.Request, message int) ([]wire.Piece, error)
	Edit(r *wire.Request, upto int, pieces [][]wire.Piece, shown []tenfold.Item) ([]byte, error)
}

// vendor is a protocol with what its requests are made and checked by.
type vendor struct {
	opener
	profile body.Profile
	path    string
}

func vendors() []vendor {
	return []vendor{
		{wire.Anthropic{}, body.Anthropic(), "/v1/messages"},
	}
}

// read reads all messages of a body, as a log and its pieces.
func (v vendor) read(t rapid.TB, raw []byte) (*wire.Request, [][]wire.Piece, *tenfold.Log) {
	t.Helper()
	r, err := v.Scan(v.path, raw, nil)
	if err != nil {
		t.Fatalf("scan %s: %v", raw, err)
	}
	log := tenfold.NewLog()
	head, err := v.Head(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(tenfold.Entry{ID: "head", Payload: head}); err != nil {
		t.Fatal(err)
	}
	pieces := make([][]wire.Piece, len(r.Messages))
	for i := range r.Messages {
		if pieces[i], err = v.Read(r, i); err != nil {
			t.Fatalf("read %s: %v", raw[r.Messages[i].From:r.Messages[i].To], err)
		}
		for j := range pieces[i] {
			if n, err := log.Append(pieces[i][j].Entry); err != nil || n != 1 {
				t.Fatalf("append %+v: %d, %v", pieces[i][j].Entry, n, err)
			}
			pieces[i][j].Entry, _ = log.Entry(log.Version())
		}
	}
	return r, pieces, log
}

// What was written of a log is read back as what it says (X2a).
func TestX2aReadGivesWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		rapid.Check(t, func(t *rapid.T) {
			raw := write(t, v, logOf(t, logtest.Entries(40).Draw(t, "log")))
			_, _, log := v.read(t, raw)
			again := write(t, v, log)
			if string(again) != string(raw) {
				t.Fatalf("read back\n%s\nof\n%s", again, raw)
			}
		})
	}
}

func logOf(t rapid.TB, entries []tenfold.Entry) *tenfold.Log {
	log := tenfold.NewLog()
	for _, e := range entries {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

func write(t rapid.TB, v vendor, log *tenfold.Log) []byte {
	raw, err := v.profile.Write(tenfold.Project(log))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
