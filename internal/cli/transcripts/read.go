// Package transcripts reads and writes the files of agents for the commands that
// take one, and finds the sessions that tools keep on this machine.
package transcripts

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/problem"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/transcript"
)

// Imported is a conversation read from a transcript, in memory.
type Imported struct {
	transcript.Conversation
	Path     string
	Log      *tenfold.Log
	Warnings []string
	*origin
}

// origin is what the conversations of one source have in common.
type origin struct {
	// place is the canonical path of the source; empty if it has none.
	place string
	// info describes the file when it was opened.
	info os.FileInfo
	// Taken are the stored conversations already matched with ones read before.
	Taken map[string]bool
}

// newOrigin describes a file. One that is not regular, such as a pipe, has no
// place: the path may name another one next time.
func newOrigin(path string) *origin {
	o := &origin{Taken: map[string]bool{}}
	place, err := filepath.Abs(path)
	if err == nil && path != "" {
		place, err = filepath.EvalSymlinks(place)
	}
	if err == nil && path != "" {
		if o.info, err = os.Stat(place); err == nil && o.info.Mode().IsRegular() {
			o.place = place
		}
	}
	return o
}

// changed reports whether the file has changed since it was opened.
func (o *origin) changed() bool {
	if o.place == "" {
		return false
	}
	info, err := os.Stat(o.place)
	return err == nil && (info.Size() != o.info.Size() || !info.ModTime().Equal(o.info.ModTime()))
}

// importSink passes conversations on, counting tokens as entries arrive.
type importSink struct {
	path    string
	origin  *origin
	counter tenfold.Counter
	log     *tenfold.Log
	take    func(Imported) error
}

func (k *importSink) Begin(transcript.Conversation) error {
	k.log = tenfold.NewLog(tenfold.WithCounter(k.counter))
	return nil
}

func (k *importSink) Entry(e tenfold.Entry) error {
	_, err := k.log.Append(e)
	return err
}

func (k *importSink) End(c transcript.Conversation, warnings []string) error {
	done := Imported{Conversation: c, Path: k.path, Log: k.log, Warnings: warnings, origin: k.origin}
	k.log = nil
	return k.take(done)
}

// Read reads the conversations of a file, or only the one whose id in its
// tool is given, and passes each on as soon as it is complete: a file may hold a
// thousand. An empty format is detected; flag is the one that names it. With strict
// a damaged record is an error.
func Read(ctx context.Context, a *command.App, path, only, format, flag string, strict bool, take func(Imported) error) error {
	file, closing, err := Source(ctx, a, path)
	if err != nil {
		return err
	}
	defer closing()
	counter, err := a.Counter()
	if err != nil {
		return err
	}
	file.Strict, file.Only = strict, only
	p := a.StartProgress("read "+file.Name, file.Size)
	defer p.End()
	file.Progress = p.At
	found := 0
	sink := &importSink{path: path, counter: counter, origin: newOrigin(file.Path), take: func(in Imported) error {
		found++
		return take(in)
	}}
	if err := transcript.Import(ctx, file, transcript.Format(format), sink); err != nil {
		f := command.Explain(err)
		f.Hint = strings.Replace(f.Hint, "try --from", "try "+flag, 1)
		return f
	}
	if found == 0 {
		return command.Hinted(errors.New("import "+file.Name+": no conversation in the file"), "transcript", "check that the session was saved")
	}
	return nil
}

// Source opens a file, or standard input, which is called "-".
func Source(ctx context.Context, a *command.App, path string) (transcript.Source, func(), error) {
	if path != "-" {
		f, err := transcript.Open(path)
		if err != nil {
			return transcript.Source{}, nil, err
		}
		return f.Source, func() { _ = f.Close() }, nil
	}
	if a.InTTY {
		return transcript.Source{}, nil, command.Usage("cannot read a session: stdin is a terminal", "pipe a session into it, or name a file")
	}
	// Reading a pipe cannot be interrupted; waiting for what was read can.
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, a.In)
		_ = w.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { _ = w.CloseWithError(ctx.Err()) })
	return transcript.Source{Name: "standard input", Reader: r}, func() { stop(); _ = r.Close() }, nil
}

// CheckFormat rejects formats that cannot be read. Without the flag, if it has one, the
// format of a file is detected.
func CheckFormat(flag, format string) error {
	known := ReadableFormats()
	if format == "" || slices.Contains(known, format) {
		return nil
	}
	hint := "known formats: " + strings.Join(known, ", ")
	if flag != "" {
		hint += "; omit " + flag + " to detect the format"
	}
	return command.Usage("unknown format "+command.Quote(format), hint)
}

// Located is where an imported conversation belongs.
type Located struct {
	*session.Located
	// Created reports a new conversation; added counts the new entries.
	Created bool
	Added   int
}

// Locate finds the conversation in the store that an imported one continues.
func Locate(ctx context.Context, a *command.App, l *command.Workspace, in Imported) (Located, error) {
	service := session.NewService(memory.New(), session.WithClock(a.Now))
	if l != nil {
		service = l.Service
	}
	title := in.Title
	if title == "" {
		title = FirstWords(in.Log)
	}
	found, err := service.Locate(ctx, session.Import{
		ID: in.ID, Title: title, Named: in.Named, Owner: a.Owner(), Path: in.place, Format: string(in.Format), Directory: in.Directory,
		Created: in.Created, Log: in.Log, Taken: in.Taken,
	})
	if err != nil {
		return Located{}, err
	}
	if found.Parted != nil && found.Parted.Cut && in.changed() {
		return Located{}, ErrChanged
	}
	return Located{found, found.Session == nil, len(found.Fresh)}, nil
}

// ErrChanged reports that a file grew while it was read: another process may
// have imported more of it already.
var ErrChanged = &problem.Error{Code: "changed", Problem: "the file changed while it was read", Hint: "run the command again when nothing writes to it"}

// readTries is how often a file that grows is read.
const readTries = 20

// Steadily reads a file again if it grew meanwhile.
func Steadily(read func() error) error {
	for try := 1; ; try++ {
		if err := read(); try == readTries || !errors.Is(err, ErrChanged) {
			return err
		}
	}
}

// Put stores an imported conversation, or its new entries.
func Put(ctx context.Context, a *command.App, l *command.Workspace, in Imported) (Located, error) {
	var at Located
	err := session.Retried(ctx, func() error {
		var err error
		if at, err = Locate(ctx, a, l, in); err == nil {
			err = at.Store(ctx)
		}
		return err
	})
	if err != nil {
		return at, err
	}
	return at, Settle(ctx, a, l, in, at)
}

// Settle finishes the import of a conversation that is stored.
func Settle(ctx context.Context, a *command.App, l *command.Workspace, in Imported, at Located) error {
	a.Stored++
	in.Taken[at.ID] = true
	// A title made of the first words is replaced by a real one.
	if s := at.Session; in.Title != "" && s.Title() != in.Title && s.Title() == FirstWords(s.Log()) {
		if err := l.Service.Rename(ctx, at.ID, in.Title); err != nil {
			return err
		}
	}
	return l.Active.Set(at.ID)
}

// FirstWords is the title of a conversation that has none: the start of a
// person's first request, or of the first command where there are only such.
func FirstWords(l *tenfold.Log) string {
	command := ""
	for e := range l.Entries() {
		m, ok := e.Payload.(tenfold.UserMessage)
		if !ok || e.Branch != "" {
			continue
		}
		if title := purpose.Title(m); title != "" {
			return terminal.VisibleLine(title)
		}
		if command == "" {
			command = terminal.Excerpt(purpose.Said(m), purpose.TitleWidth)
		}
	}
	return command
}

// RegisterStrict adds --strict to a command that reads transcripts.
func RegisterStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "fail on a damaged line or record, do not skip it")
}

// ToSearch reports whether a path is a directory to search, not a session.
func ToSearch(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return false
	}
	f, err := transcript.Open(path)
	if err == nil {
		_ = f.Close()
	}
	return err != nil
}
