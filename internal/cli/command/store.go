package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/postgres"
	"tenfold/store/remote"
	"tenfold/store/sqlite"
	"tenfold/store/vault"
	"tenfold/token"
)

// Workspace is a store opened: its conversations, and which of them is active.
type Workspace struct {
	Store   store.Store
	Service *session.Service
	Active  active
}

// Open opens the store of --store, the environment or the default. A command that
// needs no store does not call it, and so creates no file.
func (a *App) Open(ctx context.Context) (*Workspace, error) {
	if a.Workspace != nil {
		return a.Workspace, nil
	}
	l, err := a.OpenNew(ctx)
	if err == nil {
		a.Workspace = l
	}
	return l, err
}

// Look is Open for a command that only looks: a store that is not there is not made, and
// one of an earlier release is a [store.ErrOlder] and stays as it is.
func (a *App) Look(ctx context.Context) (*Workspace, error) {
	if a.Workspace != nil {
		return a.Workspace, nil
	}
	l, err := a.open(ctx, true)
	if err == nil {
		a.Workspace = l
	}
	return l, err
}

// OpenNew opens the store once more; the caller closes it. The options are for a
// store on this machine.
func (a *App) OpenNew(ctx context.Context, local ...sqlite.Option) (*Workspace, error) {
	return a.open(ctx, false, local...)
}

func (a *App) open(ctx context.Context, look bool, local ...sqlite.Option) (*Workspace, error) {
	url, from := a.StoreURL, "--store"
	if url == "" {
		url, from = os.Getenv("TENFOLD_STORE"), "TENFOLD_STORE"
	}
	l := &Workspace{}
	var err error
	if IsShared(url) {
		err = a.openShared(ctx, l, url, look)
	} else {
		if look {
			local = append(local, sqlite.WithoutUpgrade())
		}
		err = a.openLocal(ctx, l, url, from, local...)
	}
	if err != nil {
		return nil, err
	}
	l.Service = a.ServiceOver(l.Store)
	return l, nil
}

// ServiceOver makes a service over a store.
func (a *App) ServiceOver(st store.Store, more ...session.Option) *session.Service {
	return a.ServiceCounting(a.Counter, st, more...)
}

// ServiceCounting is ServiceOver for who asks so often that the configuration is not to
// be read each time.
func (a *App) ServiceCounting(by func() (tenfold.Counter, error), st store.Store, more ...session.Option) *session.Service {
	counter, err := by()
	if err != nil { // whatever needs the configuration says so
		counter = token.O200k()
	}
	return session.NewService(st, slices.Concat([]session.Option{session.WithClock(a.Now), session.WithCounter(counter)}, more)...)
}

// OtherStore is the hint where a store cannot be opened.
const OtherStore = "use --store or TENFOLD_STORE to choose another store"

// openLocal opens a store on this machine.
func (a *App) openLocal(ctx context.Context, l *Workspace, url, from string, options ...sqlite.Option) error {
	path, inMemory, err := StorePath(url, from)
	if err != nil {
		return err
	}
	if inMemory {
		l.Store, l.Active = memory.New(), &ActiveInMemory{}
		return nil
	}
	upgraded := sqlite.WithUpgraded(func(from, to int) {
		a.Noticef("upgraded the store %s from schema %d to %d, which an older tenfold cannot open: replace every other copy of the program that uses it, those that plug-ins run too",
			terminal.VisibleLine(path), from, to)
	})
	st, err := sqlite.Open(ctx, path, append(options, upgraded)...)
	if err != nil {
		return Hinted(err, "store", OtherStore)
	}
	l.Store, l.Active = st, ActiveFile(path+".active")
	return nil
}

// IsShared reports whether a URL names a store that many machines share: a
// database, or a server of ours.
func IsShared(url string) bool { return IsPostgres(url) || IsServer(url) }

// IsPostgres reports whether a URL names a PostgreSQL database.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// IsServer reports whether a URL names a server of ours.
func IsServer(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// openShared opens a store that many machines share.
func (a *App) openShared(ctx context.Context, l *Workspace, url string, look bool) error {
	active, err := SharedActive(url)
	if err != nil {
		return err
	}
	l.Active = ActiveFile(active)
	if IsServer(url) {
		l.Store, err = remote.Open(url, os.Getenv("TENFOLD_TOKEN"), remote.WithWaiting(func(most time.Duration, why error) {
			a.Noticef("waiting up to %v for the server of the store: %s", most, terminal.VisibleLine(why.Error()))
		}))
		return err
	}
	options, err := a.DatabaseOptions(ctx)
	if err != nil {
		return err
	}
	if look {
		options = append(options, postgres.WithoutUpgrade())
	}
	a.StartProgress("connect to the database", 0)
	l.Store, err = postgres.Open(ctx, url, append(options, postgres.WithLog(a.StoreLog))...)
	a.Progress.End()
	if err != nil {
		return Hinted(err, "store", OtherStore)
	}
	return nil
}

// SharedActive is the file that remembers the active conversation. Each machine
// remembers its own, beside the local store, by a hash of the URL, which may
// contain a password.
func SharedActive(url string) (string, error) {
	local, err := DefaultStore()
	kind := "postgres-"
	if IsServer(url) {
		kind = "server-"
	}
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(filepath.Dir(local), kind+hex.EncodeToString(sum[:8])+".active"), err
}

const storeSpellings = "write sqlite:///absolute/path.db, sqlite://relative.db, postgres://…, https://… or memory:"

// StorePath parses a store's URL. Empty is the default.
func StorePath(url, from string) (path string, inMemory bool, err error) {
	switch url {
	case "":
		path, err := DefaultStore()
		return path, false, err
	case "memory:", "memory://":
		return "", true, nil
	}
	path, isSQLite := strings.CutPrefix(url, "sqlite://")
	scheme, _, hasScheme := strings.Cut(url, ":")
	switch {
	case isSQLite && path != "" && path != "/":
		if runtime.GOOS == "windows" && len(path) > 3 && path[0] == '/' && path[2] == ':' {
			path = path[1:] // sqlite:///C:/…
		}
		return filepath.FromSlash(path), false, nil
	case isSQLite || (hasScheme && scheme == "sqlite"):
		return "", false, Usage("invalid "+from+" value "+Quote(url)+": no file name", storeSpellings)
	case hasScheme && !strings.ContainsAny(scheme, `/\.`):
		return "", false, Usage("invalid "+from+" value: unknown scheme "+Quote(scheme), storeSpellings)
	}
	return "", false, NotAStore(from, url)
}

// NotAStore is the error for a value that is no URL.
func NotAStore(from, url string) error {
	return Usage("invalid "+from+" value "+Quote(url)+": expected a URL", storeSpellings)
}

// DefaultStore is the store in the user's data directory.
func DefaultStore() (string, error) {
	const name = "tenfold/tenfold.db"
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, name), nil
		}
	}
	home, err := HomeDirectory()
	if err != nil {
		return "", Hinted(errors.New("open store: no home directory"), "store", "choose a store with --store or TENFOLD_STORE")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", name), nil
	}
	return filepath.Join(home, ".local", "share", name), nil
}

// Find returns the conversation that is named, or the active one.
func (l *Workspace) Find(ctx context.Context, args []string) (store.Conversation, error) {
	if len(args) > 0 {
		if args[0] == "" {
			return store.Conversation{}, Usage("empty ID", `"tenfold conversation ls" lists the IDs`)
		}
		return l.Service.Find(ctx, args[0])
	}
	id, err := l.Active.Get()
	if err != nil {
		return store.Conversation{}, err
	}
	none := &problem.Error{
		Code: "no_active", Problem: "no conversation is active",
		Hint: `give an ID, or select one with "tenfold conversation use ID"; "tenfold conversation ls" lists them`,
	}
	if id == "" {
		return store.Conversation{}, none
	}
	c, err := l.Store.Conversation(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return c, none
	}
	return c, err
}

// Session opens the conversation that is named, or the active one.
func (a *App) Session(ctx context.Context, args []string) (*session.Session, error) {
	l, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	c, err := l.Find(ctx, args)
	if err != nil {
		return nil, err
	}
	a.StartProgress("open "+c.ID, 0)
	defer func() { a.Progress.End() }()
	return l.Service.Open(ctx, c.ID)
}

// URL is the URL of the store; empty for the default.
func (a *App) URL() string {
	if a.StoreURL != "" {
		return a.StoreURL
	}
	return os.Getenv("TENFOLD_STORE")
}

// MayHaveConversations reports whether to look for some in the store, which looking makes if it
// is a local one and not there. It is true of one that is named and does not open: who opens it says why.
func (a *App) MayHaveConversations() bool {
	if a.Workspace != nil || IsShared(a.URL()) {
		return true
	}
	path, inMemory, err := StorePath(a.URL(), "--store")
	if err != nil {
		return a.URL() != ""
	}
	_, err = os.Stat(path)
	return !inMemory && !errors.Is(err, fs.ErrNotExist)
}

// Owner distinguishes the paths of this person on this machine from those of
// others who share the store; empty for a local store.
func (a *App) Owner() string {
	if !IsShared(a.URL()) {
		return ""
	}
	if a.Whose != "" {
		return a.Whose
	}
	host, _ := os.Hostname()
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return name + "@" + host
}

// DatabaseOptions give the database the operator's master key, if the environment says
// where it is.
func (a *App) DatabaseOptions(ctx context.Context) ([]postgres.Option, error) {
	v, err := vault.FromEnvironment(os.Getenv).Open(ctx, a.Err)
	if err != nil || v == nil {
		return nil, err
	}
	return []postgres.Option{postgres.WithVault(v)}, nil
}
