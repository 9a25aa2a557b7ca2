package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/strategy"
)

// settingFlags are the flags of every command that say where the configuration
// is and what it is.
type settingFlags struct {
	file   string
	values []string
	root   *cobra.Command
	// layers are read by the first command that needs them.
	layers *config.Layers
	// told are notices that were given.
	told map[string]bool
}

func (f *settingFlags) register(root *cobra.Command) {
	f.root, f.told = root, map[string]bool{}
	flags := root.PersistentFlags()
	flags.StringVar(&f.file, "config", "", "configuration `FILE` in place of your own")
	flags.StringArrayVar(&f.values, "cfg", nil, "`KEY=VALUE` of the configuration; may be repeated")
	_ = root.MarkPersistentFlagFilename("config", "toml")
}

// sources are where this run's configuration comes from.
func (f *settingFlags) sources() config.Sources {
	s := config.Sources{User: f.file, Named: f.root.PersistentFlags().Changed("config"), Environ: os.Environ(), Flags: f.values}
	if !s.Named {
		// Who has no home has no file there.
		s.User, _ = config.UserFile()
	}
	// Where there is no working directory nothing is above it.
	s.Dir, _ = os.Getwd()
	return s
}

// read reads the layers once.
func (f *settingFlags) read() (*config.Layers, error) {
	if f.layers != nil {
		return f.layers, nil
	}
	if f.root.PersistentFlags().Changed("config") && f.file == "" {
		return nil, usage("--config is empty", "name a file, as in --config my.toml")
	}
	var err error
	f.layers, err = config.Read(f.sources())
	return f.layers, err
}

// check refuses --cfg and --config that no command could use, also where the
// command reads no configuration.
func (f *settingFlags) check(c *cobra.Command) error {
	if len(f.values) == 0 || c.Name() == "doctor" {
		return nil
	}
	_, err := config.Read(config.Sources{Flags: f.values})
	return err
}

// effective gives the configuration for a conversation with the Extra texts of
// its config deltas; without any, for no conversation.
func (a *app) effective(extras ...string) (*config.Effective, error) {
	l, err := a.settings.read()
	if err != nil {
		return nil, err
	}
	e, err := l.With(extras...)
	if err != nil {
		return nil, err
	}
	for _, notice := range e.Notices {
		a.warnOnce(notice)
	}
	return e, nil
}

// warnOnce warns of something about the configuration, once in a run.
func (a *app) warnOnce(text string) {
	if text != "" && !a.settings.told[text] {
		a.settings.told[text] = true
		a.warn(text)
	}
}

// extrasOf are the texts in which a log may hold settings.
func extrasOf(l *tenfold.Log) []string {
	var extras []string
	for e := range l.Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.Extra != "" {
			extras = append(extras, d.Extra)
		}
	}
	return extras
}

// keepSettings is the entry that has a conversation keep what --cfg says; none
// when it holds already.
func (a *app) keepSettings(extras ...string) ([]tenfold.Entry, error) {
	l, err := a.settings.read()
	if err != nil {
		return nil, err
	}
	extra, err := l.Delta(extras...)
	if err != nil || extra == "" {
		return nil, err
	}
	return []tenfold.Entry{{
		ID: "cfg_" + uuid.Must(uuid.NewV7()).String(), Time: a.now().UTC(), Payload: tenfold.ConfigDelta{Extra: extra},
	}}, nil
}

// chosen is a strategy and who chose it, in words.
type chosen struct {
	strategy.Strategy
	by string
}

// configure fills in what the flags leave to the configuration.
func (r *rangeFlags) configure(a *app, req *session.Request, e *config.Effective, of subject) error {
	if req.Bounds.Tail == nil {
		tail := e.Tail()
		req.Bounds.Tail = &tail
	}
	req.Options.Tools = e.ToolSettings()
	req.Options.Window = e.Window(of.model)
	req.Options.DryRun = r.dryRun
	all, err := r.choose(e)
	if err != nil {
		return err
	}
	req.Strategies = nil
	for _, c := range all {
		req.Strategies = append(req.Strategies, c.Strategy)
	}
	if err := r.writers(a, req, e, all, of); err != nil {
		return err
	}
	return r.wishes(req)
}

// choose finds the strategies: those of flags, else, where no target says what
// to do, those of the configuration, else the default profile.
func (r *rangeFlags) choose(e *config.Effective) ([]chosen, error) {
	if len(r.strategies) > 0 {
		return parseAll(e, r.strategies, "--strategy")
	}
	if r.profile != "" || r.flags.Flags().Changed("profile") {
		p, err := e.Profile(r.profile)
		return []chosen{{p, "--profile " + quote(r.profile)}}, err
	}
	if r.flags.Flags().Changed("target") {
		return nil, nil // fit needs nothing done before
	}
	const at = "conversation.compaction."
	if texts := e.Conversation.Compaction.Strategy; len(texts) > 0 {
		return parseAll(e, texts, at+"strategy")
	}
	if r.flags.Flags().Changed("target") {
		return nil, nil // fit chooses from the raw log: a profile before it would change nothing
	}
	name := e.Conversation.Compaction.DefaultProfile
	p, err := e.Profile(name)
	if err != nil {
		origin, _ := e.Origin("conversation", "compaction", "default_profile")
		message, hint, _ := strings.Cut(err.Error(), ": ")
		return nil, &failure{code: "config", message: origin.String() + ": " + at + "default_profile: " + message, hint: hint, err: err}
	}
	return []chosen{{p, at + "default_profile " + quote(name)}}, nil
}

func parseAll(e *config.Effective, texts []string, by string) ([]chosen, error) {
	var all []chosen
	for _, text := range texts {
		s, err := e.Strategy(text)
		switch {
		case errors.Is(err, strategy.ErrUnknown):
			return nil, err
		case err != nil:
			return nil, usage(by+" "+quote(text)+": "+err.Error(), "write NAME or NAME:KEY=VALUE,KEY=VALUE")
		}
		all = append(all, chosen{s, by + " " + quote(text)})
	}
	return all, nil
}
