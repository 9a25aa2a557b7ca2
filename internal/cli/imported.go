package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/record"
	"tenfold/problem"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/transcript"
)

// imported is a conversation read from a transcript, in memory.
type imported struct {
	transcript.Conversation
	path     string
	log      *tenfold.Log
	warnings []string
	*origin
}

// origin is what the conversations of one source have in common.
type origin struct {
	// place is the canonical path of the source; empty if it has none.
	place string
	// info describes the file when it was opened.
	info os.FileInfo
	// taken are the stored conversations already matched with ones read before.
	taken map[string]bool
}

// newOrigin describes a file. One that is not regular, such as a pipe, has no
// place: the path may name another one next time.
func newOrigin(path string) *origin {
	o := &origin{taken: map[string]bool{}}
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

// owner distinguishes the paths of this person on this machine from those of
// others who share the store; empty for a local store.
func (a *app) owner() string {
	if !isShared(a.url()) {
		return ""
	}
	if a.whose != "" {
		return a.whose
	}
	host, _ := os.Hostname()
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return name + "@" + host
}

// importSink passes conversations on, counting tokens as entries arrive.
type importSink struct {
	path    string
	origin  *origin
	counter tenfold.Counter
	log     *tenfold.Log
	take    func(imported) error
}

// Begin implements [transcript.Sink].
func (k *importSink) Begin(transcript.Conversation) error {
	k.log = tenfold.NewLog(tenfold.WithCounter(k.counter))
	return nil
}

// Entry implements [transcript.Sink].
func (k *importSink) Entry(e tenfold.Entry) error {
	_, err := k.log.Append(e)
	return err
}

// End implements [transcript.Sink].
func (k *importSink) End(c transcript.Conversation, warnings []string) error {
	done := imported{Conversation: c, path: k.path, log: k.log, warnings: warnings, origin: k.origin}
	k.log = nil
	return k.take(done)
}

// importFile reads the conversations of a file and passes each on as soon as it
// is complete: a file may hold a thousand. An empty format is detected; flag is
// the one that names it. With strict a damaged record is an error.
func (a *app) importFile(ctx context.Context, path, format, flag string, strict bool, take func(imported) error) error {
	return a.importSession(ctx, path, "", format, flag, strict, take)
}

// importSession reads the conversations of a file, or only the one that its tool
// calls so.
func (a *app) importSession(ctx context.Context, path, only, format, flag string, strict bool, take func(imported) error) error {
	file, closing, err := a.source(ctx, path)
	if err != nil {
		return err
	}
	defer closing()
	counter, err := a.counter()
	if err != nil {
		return err
	}
	file.Strict, file.Only = strict, only
	p := a.StartProgress("read "+file.Name, file.Size)
	defer p.End()
	file.Progress = p.At
	found := 0
	sink := &importSink{path: path, counter: counter, origin: newOrigin(file.Path), take: func(in imported) error {
		found++
		return take(in)
	}}
	if err := transcript.Import(ctx, file, transcript.Format(format), sink); err != nil {
		f := explain(err)
		f.Hint = strings.Replace(f.Hint, "try --from", "try "+flag, 1)
		return f
	}
	if found == 0 {
		return hinted(errors.New("import "+file.Name+": no conversation in the file"), "transcript", "check that the session was saved")
	}
	return nil
}

// source opens a file, or standard input, which is called "-".
func (a *app) source(ctx context.Context, path string) (transcript.Source, func(), error) {
	if path != "-" {
		f, err := transcript.Open(path)
		if err != nil {
			return transcript.Source{}, nil, err
		}
		return f.Source, func() { _ = f.Close() }, nil
	}
	if a.InTTY {
		return transcript.Source{}, nil, usage("cannot read a session: stdin is a terminal", "pipe a session into it, or name a file")
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

// checkFormat rejects formats that cannot be read.
func checkFormat(flag, format string) error {
	known := readableFormats()
	if format == "" || slices.Contains(known, format) {
		return nil
	}
	return usage("unknown format "+quote(format), "known formats: "+strings.Join(known, ", ")+"; omit "+flag+" to detect the format")
}

// sourceFile is the source of the overlays that "compact FILE" makes: the next
// run on the same conversation replaces them and no others.
const sourceFile = "file"

// fileOverlays are the live overlays that "compact FILE" made.
func fileOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(liveOverlays(p), func(o tenfold.Overlay) bool { return o.Compaction.Source != sourceFile })
}

// liveOverlays are the overlays in effect.
func liveOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(slices.Collect(p.Overlays()), func(o tenfold.Overlay) bool { return !o.Live })
}

// revoke returns entries that revoke overlays, the newest first, as part of a
// command.
func (a *app) revoke(overlays []tenfold.Overlay, command string) []tenfold.Entry {
	var entries []tenfold.Entry
	for _, o := range slices.Backward(overlays) {
		entries = append(entries, tenfold.Entry{
			ID: "rev_" + uuid.Must(uuid.NewV7()).String(), Time: a.now().UTC(),
			Payload: tenfold.CompactionRevoked{Target: o.ID, Command: command},
		})
	}
	return entries
}

// withoutFileOverlays is the conversation as it was before any run of "compact
// FILE".
func (a *app) withoutFileOverlays(p *tenfold.Projection) *tenfold.Projection {
	if live := fileOverlays(p); len(live) > 0 {
		return p.Snapshot().Preview(a.revoke(live, "")...) // which outlives what is written next
	}
	return p
}

// located is where an imported conversation belongs.
type located struct {
	*session.Located
	// created reports a new conversation; added counts the new entries.
	created bool
	added   int
}

// locate finds the conversation in the store that an imported one continues.
func (a *app) locate(ctx context.Context, l *workspace, in imported) (located, error) {
	service := session.NewService(memory.New(), session.WithClock(a.now))
	if l != nil {
		service = l.service
	}
	title := in.Title
	if title == "" {
		title = firstWords(in.log)
	}
	found, err := service.Locate(ctx, session.Import{
		ID: in.ID, Title: title, Named: in.Named, Owner: a.owner(), Path: in.place, Format: string(in.Format), Directory: in.Directory,
		Created: in.Created, Log: in.log, Taken: in.taken,
	})
	if err != nil {
		return located{}, err
	}
	if found.Parted != nil && found.Parted.Cut && in.changed() {
		return located{}, errChanged
	}
	return located{found, found.Session == nil, len(found.Fresh)}, nil
}

// errChanged reports that a file grew while it was read: another process may
// have imported more of it already.
var errChanged = &problem.Error{Code: "changed", Problem: "the file changed while it was read", Hint: "run the command again when nothing writes to it"}

// steadily reads a file again if it grew meanwhile.
func steadily(read func() error) error {
	for try := 1; ; try++ {
		if err := read(); try == raceTries || !errors.Is(err, errChanged) {
			return err
		}
	}
}

// put stores an imported conversation, or its new entries.
func (a *app) put(ctx context.Context, l *workspace, in imported) (located, error) {
	var at located
	err := retried(ctx, func() error {
		var err error
		if at, err = a.locate(ctx, l, in); err == nil {
			err = at.Store(ctx)
		}
		return err
	})
	if err != nil {
		return at, err
	}
	return at, a.settle(ctx, l, in, at)
}

// settle finishes the import of a conversation that is stored.
func (a *app) settle(ctx context.Context, l *workspace, in imported, at located) error {
	a.stored++
	in.taken[at.ID] = true
	// A title made of the first words is replaced by a real one.
	if s := at.Session; in.Title != "" && s.Title() != in.Title && s.Title() == firstWords(s.Log()) {
		if err := l.service.Rename(ctx, at.ID, in.Title); err != nil {
			return err
		}
	}
	return l.active.set(at.ID)
}

// replacement returns the entries that replace the overlays of earlier runs with
// those of a plan, and the overlays in effect after that. If both are the same
// there is nothing to write.
func (a *app) replacement(l *workspace, now *tenfold.Projection, plan strategy.Plan) (write, overlays []tenfold.Entry) {
	live := fileOverlays(now)
	if slices.EqualFunc(live, plan.Compactions, func(o tenfold.Overlay, c tenfold.Compaction) bool { return record.Same(o.Compaction, c) }) {
		for _, o := range live {
			if e, ok := now.Log().Lookup(o.ID); ok {
				overlays = append(overlays, e)
			}
		}
		return nil, overlays
	}
	command := l.service.NewCommand()
	overlays = l.service.Overlays(plan, command)
	return append(a.revoke(live, command), overlays...), overlays
}

// firstWords is the title of a conversation that has none: the start of a
// person's first request, or of the first command where there are only such.
func firstWords(l *tenfold.Log) string {
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
