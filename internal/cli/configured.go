package cli

import (
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/token"
)

// settingFlags are the flags of every command that say where the configuration
// is and what it is.
type settingFlags struct {
	file   string
	values []string
	root   *cobra.Command
	// layers are read by the first command that needs them.
	layers *config.Layers
	// told are notices that were given; with --json they wait in unsaid for a
	// result that holds them.
	told   map[string]bool
	unsaid []string
	held   bool
}

func (f *settingFlags) register(root *cobra.Command) {
	f.root, f.told = root, map[string]bool{}
	flags := root.PersistentFlags()
	flags.StringVar(&f.file, "config", "", "configuration `FILE` to use instead of your own")
	flags.StringArrayVar(&f.values, "cfg", nil, "configuration value `KEY=VALUE`; may be repeated")
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
	// Who has no home trusts no file.
	s.Trust, _ = config.UserTrust()
	return s
}

// read reads the layers once.
func (f *settingFlags) read() (*config.Layers, error) {
	if f.layers != nil {
		return f.layers, nil
	}
	if f.root.PersistentFlags().Changed("config") && f.file == "" {
		return nil, usage("--config is empty", "write --config my.toml")
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

// counter is what the tokens of new entries are counted with (T1, T3). What else
// is to be said of the configuration is said by whoever needs it.
func (a *app) counter() (tenfold.Counter, error) {
	l, err := a.settings.read()
	if err != nil {
		return nil, err
	}
	e, err := l.With()
	if err != nil {
		return nil, err
	}
	return token.Named(e.Conversation.Counter)
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
	if text == "" || a.settings.told[text] {
		return
	}
	a.settings.told[text] = true
	if a.JSON {
		a.settings.unsaid = append(a.settings.unsaid, text)
		return
	}
	a.Warn(text)
}

// held warns of what a conversation is told, if there is anything; with --json
// it gives that and the warnings about the configuration for a result to hold.
func (a *app) held(told string) []string {
	if !a.JSON {
		a.warnOnce(told)
		return nil
	}
	a.settings.held = true
	if told == "" {
		return a.settings.unsaid
	}
	return append(slices.Clip(a.settings.unsaid), told)
}

// unheld writes the warnings about the configuration that no result holds.
func (a *app) unheld() {
	if a.settings.held || a.Quiet {
		return
	}
	for _, text := range a.settings.unsaid {
		if line, err := terminal.MarshalLine(map[string]string{"warning": text}); err == nil {
			a.Say(string(terminal.VisibleJSON(line)) + "\n")
		}
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
	extra, missing, err := l.Delta(extras...)
	for _, key := range missing {
		a.warnOnce("--cfg " + key + "=: the conversation has no such setting to remove")
	}
	if err != nil || extra == "" {
		return nil, err
	}
	return []tenfold.Entry{{
		ID: "cfg_" + uuid.Must(uuid.NewV7()).String(), Time: a.now().UTC(), Payload: tenfold.ConfigDelta{Extra: extra},
	}}, nil
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
	if err := r.writers(a, req, e, all, of); err != nil {
		return err
	}
	req.Strategies = nil
	for _, c := range all {
		req.Strategies = append(req.Strategies, c.Strategy)
	}
	return r.wishes(req)
}
