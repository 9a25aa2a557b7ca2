package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
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
	// keep are settings that the conversation is to keep.
	keep []tenfold.Entry
}

// importSink hands conversations on, counting tokens as entries come.
type importSink struct {
	path string
	log  *tenfold.Log
	take func(imported) error
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
	done := imported{Conversation: c, path: k.path, log: k.log, warnings: warnings}
	k.log = nil
	return k.take(done)
}

// importFile reads the conversations of a file and gives each as soon as it is
// whole: a file may hold a thousand. An empty format is detected; flag is how
// the user can name it. With strict a damaged record ends it.
func (a *app) importFile(ctx context.Context, path, format, flag string, strict bool, take func(imported) error) error {
	file, err := transcript.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	file.Strict = strict
	p := a.startProgress("read "+path, file.Size)
	defer p.end()
	file.Progress = p.at
	found := 0
	sink := &importSink{path: path, take: func(in imported) error {
		found++
		return take(in)
	}}
	if err := transcript.Import(ctx, file.Source, transcript.Format(format), sink); err != nil {
		f := explain(err)
		f.hint = strings.Replace(f.hint, "try --from", "try "+flag, 1)
		return f
	}
	if found == 0 {
		return hinted(errors.New(path+": holds no conversation"), "transcript", "was the session saved?")
	}
	return nil
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
	var live []tenfold.Overlay
	for o := range p.Overlays() {
		if o.Live && o.Compaction.Source == sourceFile {
			live = append(live, o)
		}
	}
	return live
}

// revoke gives entries that take overlays back, the newest first.
func (a *app) revoke(overlays []tenfold.Overlay) []tenfold.Entry {
	var entries []tenfold.Entry
	for _, o := range slices.Backward(overlays) {
		entries = append(entries, tenfold.Entry{
			ID: "rev_" + uuid.Must(uuid.NewV7()).String(), Time: a.now().UTC(), Payload: tenfold.CompactionRevoked{Target: o.ID},
		})
	}
	return entries
}

// base is the conversation as it was before any run of "compact FILE": a file
// that we wrote ourselves may hold the overlays of one.
func (a *app) base(in imported) *tenfold.Projection {
	p := tenfold.Project(in.log)
	if live := fileOverlays(p); len(live) > 0 {
		return p.Preview(a.revoke(live)...)
	}
	return p
}

// sameOverlays tells whether overlays say what a plan says.
func sameOverlays(live []tenfold.Overlay, plan []tenfold.Compaction) bool {
	return slices.EqualFunc(live, plan, func(o tenfold.Overlay, c tenfold.Compaction) bool {
		return o.Compaction.Same(c)
	})
}

// kept is what became of an imported conversation in the store.
type kept struct {
	session *session.Session
	created bool
	// added is how many entries of the transcript were new.
	added int
	// overlays are the plan's, as entries, in effect now.
	overlays []tenfold.Entry
}

// put puts an imported conversation into the store: all of it when it is not
// there, else what is new of it (L9). With a plan, its overlays take the place
// of those of earlier runs, in the same append; where they say the same,
// nothing is written.
func (a *app) put(ctx context.Context, l *workspace, in imported, plan *strategy.Plan) (kept, error) {
	var k kept
	err := retried(ctx, func() error {
		var err error
		k, err = a.tryKeep(ctx, l, in, plan)
		return err
	})
	if err == nil {
		a.stored++
	}
	return k, err
}

func (a *app) tryKeep(ctx context.Context, l *workspace, in imported, plan *strategy.Plan) (kept, error) {
	s, err := l.service.Open(ctx, in.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a.create(ctx, l, in, plan)
	case err != nil:
		return kept{}, err
	}
	k := kept{session: s}
	var fresh []tenfold.Entry
	for e := range in.log.Entries() {
		if _, known := s.Log().Lookup(e.ID); !known {
			fresh = append(fresh, e)
		}
	}
	k.added = len(fresh)
	fresh = append(fresh, in.keep...)
	now := s.Projection()
	if len(fresh) > 0 {
		now = now.Preview(fresh...)
	}
	extra := a.replace(l, &k, now, plan)
	if len(fresh)+len(extra) > 0 {
		if err := s.Append(ctx, append(fresh, extra...)...); err != nil {
			return kept{}, err
		}
	}
	// A title that we took from the first words gives way to a real one.
	if in.Title != "" && s.Title() != in.Title && s.Title() == firstWords(s.Log()) {
		return k, l.service.Rename(ctx, in.ID, in.Title)
	}
	return k, nil
}

func (a *app) create(ctx context.Context, l *workspace, in imported, plan *strategy.Plan) (kept, error) {
	k := kept{created: true, added: int(in.log.Version())}
	entries := append(slices.Collect(in.log.Entries()), in.keep...)
	if plan != nil {
		entries = append(entries, a.replace(l, &k, tenfold.Project(in.log), plan)...)
	}
	title := in.Title
	if title == "" {
		title = firstWords(in.log)
	}
	s, err := l.service.Create(ctx, session.Create{ID: in.ID, Title: title, Entries: entries})
	if errors.Is(err, store.ErrExists) {
		// Somebody created it just now: then it is to be opened.
		return k, &store.ConflictError{Conversation: in.ID}
	}
	k.session = s
	return k, err
}

// replace gives the entries that put the plan's overlays in the place of those
// of earlier runs, and remembers which are in effect then.
func (a *app) replace(l *workspace, k *kept, now *tenfold.Projection, plan *strategy.Plan) []tenfold.Entry {
	if plan == nil {
		return nil
	}
	live := fileOverlays(now)
	if sameOverlays(live, plan.Compactions) {
		for _, o := range live {
			if e, ok := now.Log().Lookup(o.ID); ok {
				k.overlays = append(k.overlays, e)
			}
		}
		return nil
	}
	k.overlays = l.service.Overlays(*plan)
	return append(a.revoke(live), k.overlays...)
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
