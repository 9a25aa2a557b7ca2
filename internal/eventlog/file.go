package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/redact"
)

// A File is the transcript file of a conversation: a line for each event of its
// agent but the deltas of texts, in the order in which they happened, with the
// time. What looks like a secret is redacted, as in all artifacts; the store has
// the original. It is for one goroutine at a time; several processes may write to
// one file, since each line is one write at its end.
type File struct {
	file *os.File
	now  func() time.Time
	// Shared tells that another had the file open when this one was opened.
	Shared bool
}

// Open opens the transcript file of a conversation, and makes it and its
// directory where there is none: for their owner alone. A last line that a crash
// tore is dropped, and torn says how many bytes it had (semantics L10). Entries of
// the log that are missing since the last run, because something else appended
// them or it crashed, are written first; a new file begins with what comes next.
func Open(path, conversation string, log *tenfold.Log, now func() time.Time) (f *File, torn int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, 0, err
	}
	root, err := os.OpenRoot(filepath.Dir(path)) // no link leads out of it
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.Base(path), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, err
	}
	f = &File{file: file, now: now}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")})
	}
	f.Shared = share(file)
	written, torn, err := f.repair()
	if err != nil {
		return nil, torn, fmt.Errorf("repair %s: %w", path, err)
	}
	if written < 0 {
		written = log.Version() // a new file
	}
	if err := f.write(event[openedJSON]{Time: now().UTC(), Event: Opened, Of: openedJSON{conversation, written}}); err != nil {
		return nil, torn, err
	}
	for e := range log.After(written) {
		if err := f.Observe(agent.Event{Branch: e.Branch, Appended: &e}); err != nil {
			return nil, torn, err
		}
	}
	return f, torn, nil
}

// Observe writes an event. That a compaction begins, and that the run ended, is
// on disk when it returns, with all that came before: nothing is replaced that
// the file does not hold. It fits [agent.Options.Observe].
func (f *File) Observe(e agent.Event) error {
	if e.Text != "" || e.Reasoning != "" {
		return nil
	}
	form, err := formOf(e, f.now().UTC())
	if err == nil {
		err = f.write(form)
	}
	if err == nil && (e.Stop != nil || e.Compaction != nil) {
		err = f.file.Sync()
	}
	return err
}

func (f *File) Close() error { return f.file.Close() }

// write writes a line, or what can be written of it and then nothing: a line that
// does not fit on the disk is taken back.
func (f *File) write(v any) error {
	n := 0
	line, err := json.Marshal(v, options)
	if err == nil {
		line, err = redactedLine(line)
	}
	if err == nil {
		n, err = f.file.Write(line)
	}
	if err == nil {
		return nil
	}
	if end, seeking := f.file.Seek(0, io.SeekEnd); n > 0 && seeking == nil {
		_ = f.file.Truncate(end - int64(n))
	}
	return fmt.Errorf("write the transcript: %w", err)
}

// redactedLine gives an object as a line, with what looks like a secret replaced in its
// texts. A text is looked at with the name it has: "token" says more of it than the text.
func redactedLine(object []byte) ([]byte, error) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(object), options)
	enc := jsontext.NewEncoder(&out, options)
	name := ""
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == '"' {
			text := token.String()
			kind, length := dec.StackIndex(dec.StackDepth())
			if isName := kind == '{' && length%2 == 1; isName {
				name = text
			} else if less := redacted(name, text); less != text {
				token = jsontext.String(less)
			}
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// redacted is a text without what looks like a secret in it.
func redacted(name, text string) string {
	named := name + ": "
	if out := redact.Secrets(named + text); len(out) >= len(named) && out[:len(named)] == named {
		return out[len(named):]
	}
	return redact.Secrets(text)
}

// repair takes a torn last line away, and finds the last entry that the file
// holds: -1 where it holds nothing.
func (f *File) repair() (written, torn int64, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, 0, err
	}
	end := info.Size()
	for size := int64(64 << 10); ; size *= 4 {
		from := max(end-size, 0)
		tail := make([]byte, end-from)
		if _, err := f.file.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		whole := bytes.LastIndexByte(tail, '\n') + 1
		if seq := lastSeq(tail[:whole]); seq >= 0 || from == 0 {
			written, torn = seq, int64(len(tail)-whole)
			break
		}
	}
	if torn > 0 {
		err = f.file.Truncate(end - torn)
	}
	return written, torn, err
}

// lastSeq is the newest entry that some lines hold, -1 for none. What is cut of
// the first line is not an object.
func lastSeq(lines []byte) int64 {
	for len(lines) > 0 {
		begin := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
		var line struct {
			Event   string `json:"event"`
			Version int64  `json:"version"`
			Entry   struct {
				Seq int64 `json:"seq"`
			} `json:"entry"`
		}
		if err := json.Unmarshal(lines[begin:], &line, options); err == nil {
			switch line.Event {
			case Entry:
				return line.Entry.Seq
			case Opened:
				return line.Version
			}
		}
		lines = lines[:begin]
	}
	return -1
}
