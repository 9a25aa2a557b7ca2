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
	"tenfold/internal/record"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/token"
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
	// place is where the source lies, the same for every way to write its
	// path; empty where it lies nowhere.
	place string
	// info is what the file was when it was opened.
	info os.FileInfo
	// taken are the conversations in the store that have been found for those
	// read before.
	taken map[string]bool
}

// newOrigin tells where a file lies. What is no regular file, such as a pipe,
// lies nowhere: another may have its path next time.
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

// changed reports whether the file is another than when it was opened.
func (o *origin) changed() bool {
	if o.place == "" {
		return false
	}
	info, err := os.Stat(o.place)
	return err == nil && (info.Size() != o.info.Size() || !info.ModTime().Equal(o.info.ModTime()))
}

// owner tells the paths of this person on this machine from those of others who
// use the store. A store on this machine needs none.
func (a *app) owner() string {
	if !isPostgres(a.url()) {
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

// importSink hands conversations on, counting tokens as entries come.
type importSink struct {
	path   string
	origin *origin
	log    *tenfold.Log
	take   func(imported) error
}

// Begin implements [transcript.Sink].
func (k *importSink) Begin(transcript.Conversation) error {
	k.log = tenfold.NewLog(tenfold.WithCounter(token.O200k()))
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

// importFile reads the conversations of a file and gives each as soon as it is
// whole: a file may hold a thousand. An empty format is detected; flag is how
// the user can name it. With strict a damaged record ends it.
func (a *app) importFile(ctx context.Context, path, format, flag string, strict bool, take func(imported) error) error {
	file, closing, err := a.source(ctx, path)
	if err != nil {
		return err
	}
	defer closing()
	file.Strict = strict
	p := a.startProgress("read "+file.Name, file.Size)
	defer p.end()
	file.Progress = p.at
	found := 0
	sink := &importSink{path: path, origin: newOrigin(file.Path), take: func(in imported) error {
		found++
		return take(in)
	}}
	if err := transcript.Import(ctx, file, transcript.Format(format), sink); err != nil {
		f := explain(err)
		f.Hint = strings.Replace(f.Hint, "try --from", "try "+flag, 1)
		return f
	}
	if found == 0 {
		return hinted(errors.New(file.Name+": holds no conversation"), "transcript", "was the session saved?")
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
	if a.inTTY {
		return transcript.Source{}, nil, usage("standard input is a terminal, not a session", "pipe a session into it, or name a file")
	}
	// Reading a pipe cannot be interrupted; waiting for what was read can.
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, a.in)
		_ = w.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { _ = w.CloseWithError(ctx.Err()) })
	return transcript.Source{Name: "standard input", Reader: r}, func() { stop(); _ = r.Close() }, nil
}

// checkFormat refuses formats that cannot be read.
func checkFormat(flag, format string) error {
	known := readableFormats()
	if format == "" || slices.Contains(known, format) {
		return nil
	}
	return usage(flag+": unknown format "+quote(format), "known are "+strings.Join(known, ", ")+"; without it the format is detected")
}

// readableFormats lists what can be imported.
func readableFormats() []string {
	var names []string
	for _, f := range transcript.Formats() {
		if f.Import {
			names = append(names, string(f.Format))
		}
	}
	return names
}

// sourceFile is who asked, on the overlays that "compact FILE" makes: the next
// run on the same conversation replaces them, and leaves all others alone.
const sourceFile = "file"

// fileOverlays are the live overlays that "compact FILE" made.
func fileOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(liveOverlays(p), func(o tenfold.Overlay) bool { return o.Compaction.Source != sourceFile })
}

// liveOverlays are those that are in effect.
func liveOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(slices.Collect(p.Overlays()), func(o tenfold.Overlay) bool { return !o.Live })
}

// revoke gives entries that take overlays back, the newest first, as a part of a
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
// FILE": a file that we wrote ourselves may hold the overlays of one as well.
func (a *app) withoutFileOverlays(p *tenfold.Projection) *tenfold.Projection {
	if live := fileOverlays(p); len(live) > 0 {
		return p.Preview(a.revoke(live, "")...)
	}
	return p
}

// sameOverlays tells whether overlays say what a plan says.
func sameOverlays(live []tenfold.Overlay, plan []tenfold.Compaction) bool {
	return slices.EqualFunc(live, plan, func(o tenfold.Overlay, c tenfold.Compaction) bool {
		return record.Same(o.Compaction, c)
	})
}

// located is where an imported conversation belongs.
type located struct {
	*session.Located
	// created says that it is a new conversation, added how many entries of
	// the transcript are new in it.
	created bool
	added   int
}

// locate finds out where an imported conversation belongs: which it is in the
// store, if there is one.
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
		ID: in.ID, Title: title, Named: in.Named, Owner: a.owner(), Path: in.place, Format: string(in.Format), Created: in.Created, Log: in.log,
		Taken: in.taken,
	})
	if err != nil {
		return located{}, err
	}
	if found.Parted != nil && found.Parted.Cut && in.changed() {
		return located{}, errChanged
	}
	return located{found, found.Session == nil, len(found.Fresh)}, nil
}

// errChanged says that a file went on while it was read: another process may
// have imported more of it already.
var errChanged = &problem.Error{Code: "changed", Problem: "the file changes while it is read", Hint: "run the command again once nothing writes to it"}

// steadily reads a file again when it went on meanwhile.
func steadily(read func() error) error {
	for try := 1; ; try++ {
		if err := read(); try == raceTries || !errors.Is(err, errChanged) {
			return err
		}
	}
}

// put puts an imported conversation into the store: all of it when it is not
// there, else what is new of it.
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

// settle does what is left when a conversation is in the store.
func (a *app) settle(ctx context.Context, l *workspace, in imported, at located) error {
	a.stored++
	in.taken[at.ID] = true
	// A title that we took from the first words gives way to a real one.
	if s := at.Session; in.Title != "" && s.Title() != in.Title && s.Title() == firstWords(s.Log()) {
		if err := l.service.Rename(ctx, at.ID, in.Title); err != nil {
			return err
		}
	}
	return l.active.set(at.ID)
}

// replacement gives the entries that put a plan's overlays in the place of those
// of earlier runs, and those that are in effect then. Where they say the same
// there is nothing to write.
func (a *app) replacement(l *workspace, now *tenfold.Projection, plan strategy.Plan) (write, overlays []tenfold.Entry) {
	live := fileOverlays(now)
	if sameOverlays(live, plan.Compactions) {
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

// partedJSON says why a transcript is a conversation of its own: it is no more
// what was imported from there before.
type partedJSON struct {
	// From is the conversation that it no longer continues.
	From string `json:"from"`
	// Why is "cut" where the transcript only says less, and "differs".
	Why  string `json:"why"`
	Turn int    `json:"turn"`
}

func newPartedJSON(p *session.Parting) *partedJSON {
	if p == nil {
		return nil
	}
	why := "differs"
	if p.Cut {
		why = "cut"
	}
	return &partedJSON{p.From, why, p.Turn}
}

// tellParted says the same in words.
func (a *app) tellParted(path, id string, p *partedJSON, dryRun bool) {
	if p == nil {
		return
	}
	how := "differs from turn " + strconv.Itoa(p.Turn) + " on"
	if p.Why == "cut" {
		how = "is cut from turn " + strconv.Itoa(p.Turn) + " on"
	}
	now := "It is conversation " + visibleLine(id) + " now."
	if dryRun {
		now = "It would be conversation " + visibleLine(id) + "."
	}
	a.fold("Parted", visibleLine(path)+" no longer continues conversation "+visibleLine(p.From)+": it "+how+". "+now)
}

// firstWords stands for the title of a conversation that has none: how the
// user's first message begins.
func firstWords(l *tenfold.Log) string {
	const width = 60
	for e := range l.Entries() {
		if m, ok := e.Payload.(tenfold.UserMessage); ok && !m.Synthetic && e.Branch == "" {
			if text := excerpt(tenfold.SearchText(m), width); text != "" {
				return text
			}
		}
	}
	return ""
}
