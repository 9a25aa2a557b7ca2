package command

import (
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/token"
)

// Settings are the flags of every command that say where the configuration
// is and what it is.
type Settings struct {
	file   string
	values []string
	root   *cobra.Command
	// Layers are read by the first command that needs them; a server reads them again
	// where the last are a moment old.
	Layers *config.Layers
	Recent *Recent[*config.Layers]
	// Told are notices that were given; with --json they wait in unsaid for a
	// result that holds them.
	Told   map[string]bool
	Unsaid []string
	held   bool
}

// Register gives all commands --config and --cfg.
func (f *Settings) Register(root *cobra.Command) {
	f.root, f.Told = root, map[string]bool{}
	flags := root.PersistentFlags()
	flags.StringVar(&f.file, "config", "", "configuration `FILE` to use instead of your own")
	flags.StringArrayVar(&f.values, "cfg", nil, "configuration value `KEY=VALUE`; may be repeated")
	_ = root.MarkPersistentFlagFilename("config", "toml")
}

// Sources are where this run's configuration comes from.
func (f *Settings) Sources() config.Sources {
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

// Read reads the layers once.
func (f *Settings) Read() (_ *config.Layers, err error) {
	switch {
	case f.Layers != nil:
	case f.Recent != nil:
		f.Layers, err = f.Recent.Get(f.readNow)
	default:
		f.Layers, err = f.readNow()
	}
	return f.Layers, err
}

func (f *Settings) readNow() (*config.Layers, error) {
	if f.root.PersistentFlags().Changed("config") && f.file == "" {
		return nil, Usage("--config is empty", "write --config my.toml")
	}
	return config.Read(f.Sources())
}

// Check refuses --cfg and --config that no command could use, also where the
// command reads no configuration.
func (f *Settings) Check(c *cobra.Command) error {
	if len(f.values) == 0 || c.Name() == "doctor" {
		return nil
	}
	_, err := config.Read(config.Sources{Flags: f.values})
	return err
}

// Counter is what the tokens of new entries are counted with (T1, T3). What else
// is to be said of the configuration is said by whoever needs it.
func (a *App) Counter() (tenfold.Counter, error) {
	l, err := a.Settings.Read()
	if err != nil {
		return nil, err
	}
	e, err := l.With()
	if err != nil {
		return nil, err
	}
	return token.Named(e.Conversation.Counter)
}

// Effective gives the configuration for a conversation with the Extra texts of
// its config deltas; without any, for no conversation.
func (a *App) Effective(extras ...string) (*config.Effective, error) {
	l, err := a.Settings.Read()
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

// EffectiveIn is [App.Effective] for another directory than the working one; empty is that. It
// warns of nothing, and is safe for concurrent use. What the workspace says counts as a
// stranger's, as everywhere.
func (a *App) EffectiveIn(dir string, extras ...string) (*config.Effective, error) {
	sources := a.Settings.Sources()
	if dir != "" {
		sources.Dir = dir
	}
	l, err := config.Read(sources)
	if err != nil {
		return nil, err
	}
	return l.With(extras...)
}

// warnOnce warns of something about the configuration, once in a run.
func (a *App) warnOnce(text string) {
	if text == "" || a.Settings.Told[text] {
		return
	}
	a.Settings.Told[text] = true
	if a.JSON {
		a.Settings.Unsaid = append(a.Settings.Unsaid, text)
		return
	}
	a.Warn(text)
}

// Held warns of what a conversation is told, if there is anything; with --json
// it gives that and the warnings about the configuration for a result to hold.
func (a *App) Held(told string) []string {
	if !a.JSON {
		a.warnOnce(told)
		return nil
	}
	a.Settings.held = true
	if told == "" {
		return a.Settings.Unsaid
	}
	return append(slices.Clip(a.Settings.Unsaid), told)
}

// Unheld writes the warnings about the configuration that no result holds.
func (a *App) Unheld() {
	if a.Settings.held || a.Quiet {
		return
	}
	for _, text := range a.Settings.Unsaid {
		if line, err := terminal.MarshalLine(map[string]string{"warning": text}); err == nil {
			a.Say(string(terminal.VisibleJSON(line)) + "\n")
		}
	}
}

// ExtrasOf are the texts in which a log may hold settings.
func ExtrasOf(l *tenfold.Log) []string {
	var extras []string
	for e := range l.Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.Extra != "" {
			extras = append(extras, d.Extra)
		}
	}
	return extras
}

// KeepSettings is the entry that has a conversation keep what --cfg says; none
// when it holds already.
func (a *App) KeepSettings(extras ...string) ([]tenfold.Entry, error) {
	l, err := a.Settings.Read()
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
		ID: "cfg_" + uuid.Must(uuid.NewV7()).String(), Time: a.Now().UTC(), Payload: tenfold.ConfigDelta{Extra: extra},
	}}, nil
}
