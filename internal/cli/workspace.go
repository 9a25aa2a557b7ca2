package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/postgres"
	"tenfold/store/remote"
	"tenfold/store/sqlite"
	"tenfold/token"
)

// workspace is a store opened: its conversations, and which of them is active.
type workspace struct {
	store   store.Store
	service *session.Service
	active  active
}

// open opens the store of --store, the environment or the default. A command that
// needs no store does not call it, and so creates no file.
func (a *app) open(ctx context.Context) (*workspace, error) {
	if a.workspace != nil {
		return a.workspace, nil
	}
	l, err := a.openNew(ctx)
	if err == nil {
		a.workspace = l
	}
	return l, err
}

// openNew opens the store once more; the caller closes it. The options are for a
// store on this machine.
func (a *app) openNew(ctx context.Context, local ...sqlite.Option) (*workspace, error) {
	url, from := a.storeURL, "--store"
	if url == "" {
		url, from = os.Getenv("TENFOLD_STORE"), "TENFOLD_STORE"
	}
	l := &workspace{}
	var err error
	if isShared(url) {
		err = l.openShared(ctx, url)
	} else {
		err = l.openLocal(ctx, url, from, local...)
	}
	if err != nil {
		return nil, err
	}
	counter, err := a.counter()
	if err != nil { // whatever needs the configuration says so
		counter = token.O200k()
	}
	l.service = session.NewService(l.store, session.WithClock(a.now), session.WithCounter(counter))
	return l, nil
}

const otherStore = "use --store or TENFOLD_STORE to choose another store"

// openLocal opens a store on this machine.
func (l *workspace) openLocal(ctx context.Context, url, from string, options ...sqlite.Option) error {
	path, inMemory, err := storePath(url, from)
	if err != nil {
		return err
	}
	if inMemory {
		l.store, l.active = memory.New(), &activeInMemory{}
		return nil
	}
	st, err := sqlite.Open(ctx, path, options...)
	if err != nil {
		return hinted(err, "store", otherStore)
	}
	l.store, l.active = st, activeFile(path+".active")
	return nil
}

// isShared reports whether a URL names a store that many machines share: a
// database, or a server of ours.
func isShared(url string) bool { return isPostgres(url) || isServer(url) }

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

func isServer(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// openShared opens a store that many machines share.
func (l *workspace) openShared(ctx context.Context, url string) error {
	active, err := sharedActive(url)
	if err != nil {
		return err
	}
	l.active = activeFile(active)
	if isServer(url) {
		l.store, err = remote.Open(url, os.Getenv("TENFOLD_TOKEN"))
		return err
	}
	if l.store, err = postgres.Open(ctx, url); err != nil {
		return hinted(err, "store", otherStore)
	}
	return nil
}

// sharedActive is the file that remembers the active conversation. Each machine
// remembers its own, beside the local store, by a hash of the URL, which may
// contain a password.
func sharedActive(url string) (string, error) {
	local, err := defaultStore()
	kind := "postgres-"
	if isServer(url) {
		kind = "server-"
	}
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(filepath.Dir(local), kind+hex.EncodeToString(sum[:8])+".active"), err
}

const storeSpellings = "write sqlite:///absolute/path.db, sqlite://relative.db, postgres://…, https://… or memory:"

// storePath parses a store's URL. Empty is the default.
func storePath(url, from string) (path string, inMemory bool, err error) {
	switch url {
	case "":
		path, err := defaultStore()
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
		return "", false, usage("invalid "+from+" value "+quote(url)+": no file name", storeSpellings)
	case hasScheme && !strings.ContainsAny(scheme, `/\.`):
		return "", false, usage("invalid "+from+" value: unknown scheme "+quote(scheme), storeSpellings)
	}
	return "", false, usage("invalid "+from+" value "+quote(url)+": expected a URL", storeSpellings)
}

// defaultStore is the store in the user's data directory.
func defaultStore() (string, error) {
	const name = "tenfold/tenfold.db"
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, name), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hinted(errors.New("open store: no home directory"), "store", "choose a store with --store or TENFOLD_STORE")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", name), nil
	}
	return filepath.Join(home, ".local", "share", name), nil
}

// find returns the conversation that is named, or the active one.
func (l *workspace) find(ctx context.Context, args []string) (store.Conversation, error) {
	if len(args) > 0 {
		if args[0] == "" {
			return store.Conversation{}, usage("empty ID", `"tenfold conversation ls" lists the IDs`)
		}
		return l.service.Find(ctx, args[0])
	}
	id, err := l.active.get()
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
	c, err := l.store.Conversation(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return c, none
	}
	return c, err
}

// session opens the conversation that is named, or the active one.
func (a *app) session(ctx context.Context, args []string) (*session.Session, error) {
	l, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	c, err := l.find(ctx, args)
	if err != nil {
		return nil, err
	}
	a.StartProgress("open "+c.ID, 0)
	defer func() { a.Progress.End() }()
	return l.service.Open(ctx, c.ID)
}

// url is the URL of the store; empty for the default.
func (a *app) url() string {
	if a.storeURL != "" {
		return a.storeURL
	}
	return os.Getenv("TENFOLD_STORE")
}

// hasStore reports whether a local store exists already.
func (a *app) hasStore() bool {
	if a.workspace != nil {
		return true
	}
	if isShared(a.url()) {
		return false
	}
	path, inMemory, err := storePath(a.url(), "--store")
	if err != nil || inMemory {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
