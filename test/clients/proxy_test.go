package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/launch"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/test/modelserver"
	"tenfold/trigger"
)

// The proxy's window here, in tokens, and where it begins an epoch: clients send up
// to 15,000 before anyone has said a word.
const (
	proxyWindow  = 60_000
	proxyTrigger = "24k"
)

// A front stands between a client and the proxy, and keeps what the client sent.
type front struct {
	*Place
	keeper   proxy.Keeper
	sessions *session.Service
	server   atomic.Pointer[proxy.Server]
	route    proxy.Route
	token    string
	live     func(*session.Live)
	// close ends the proxy; what it heard is in the store then.
	close func()
	// later is how far the clock is ahead, for the model server's caches too.
	later *atomic.Int64

	mu   sync.Mutex
	sent map[string][]byte // bodies by the number that the request was given

	told map[int]bool // requests of which something was reported
}

// numbered is the header by which a request is found at both ends.
const numbered = "X-Tenfold-Test"

// proxied makes a place whose client goes through a proxy in this process, started
// as "tenfold run" starts it. What goes through is kept in the place's store. Live
// may change when epochs begin.
func proxied(t *testing.T, c Client, live func(*session.Live), script func(p *Place) modelserver.Script) *front {
	t.Helper()
	f := &front{later: &atomic.Int64{}, sent: map[string][]byte{}, told: map[int]bool{}, live: live}
	var answer atomic.Pointer[modelserver.Script]
	f.Place = At(t, c, modelserver.New(func(r modelserver.Request) modelserver.Reply { return (*answer.Load())(r) }, modelserver.WithClock(f.now)))
	made := script(f.Place)
	answer.Store(&made)

	client, err := launch.Find(c.Name)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, v := range f.environment() {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	user := launch.User{Home: f.Home, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	f.route = proxy.Route{Client: client.Format, Dir: f.Dir, Upstreams: client.Upstreams(user, nil)}
	f.open(t)
	h := httptest.NewServer(f.recording(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.server.Load().ServeHTTP(w, r) })))
	t.Cleanup(func() { h.Close(); f.close() })
	f.lead, err = client.Start(user, nil, launch.Target{
		Base:      func(upstream string) string { return proxy.Base(h.Listener.Addr().String(), f.token, upstream) },
		Upstreams: f.route.Upstreams, Scratch: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *front) now() time.Time { return time.Now().Add(time.Duration(f.later.Load())) }

// store is where the proxy keeps what goes through, and commands look for it.
func (f *front) store() string { return filepath.Join(f.data(), "tenfold", "tenfold.db") }

// open starts the proxy. Whoever starts it once more closes it before.
func (f *front) open(t *testing.T) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), f.store())
	if err != nil {
		t.Fatal(err)
	}
	f.sessions = session.NewService(store, session.WithClock(f.now))
	k := keeper.New(keeper.Options{
		Open: func(context.Context) (*session.Service, error) { return f.sessions, nil },
		Configure: func(_, model string) (session.Live, error) {
			l, err := smallLive(model)
			if f.live != nil {
				f.live(&l)
			}
			return l, err
		},
		Fail:      func(_, event, why string) { t.Errorf("%s: the proxy failed at %s: %s", f.Client.Name, event, why) },
		Now:       f.now,
		Patience:  wait, // as with the plug-ins
		Directory: func() (string, error) { return filepath.Join(f.data(), "tenfold", "proxy"), nil },
	})
	f.keeper = k
	server := proxy.NewServer(proxy.Options{Keeper: k})
	f.token = server.Add(f.token, f.route)
	f.server.Store(server)
	f.close = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		if err := k.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// smallLive has epochs begin early.
func smallLive(model string) (session.Live, error) {
	layers, err := config.Read(config.Sources{})
	if err != nil {
		return session.Live{}, err
	}
	e, err := layers.With()
	if err != nil {
		return session.Live{}, err
	}
	l, err := live.Settings(e.Config, model)
	if err != nil {
		return session.Live{}, err
	}
	l.Turns, l.Request.Options.Window = 4, proxyWindow
	l.Auto.Trigger, err = trigger.Parse(proxyTrigger)
	return l, err
}

// recording keeps what a client sends, and numbers it.
func (f *front) recording(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		f.mu.Lock()
		n := strconv.Itoa(len(f.sent))
		f.sent[n] = body
		f.mu.Unlock()
		r.Header.Set(numbered, n)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// A pair is a request as the client sent it and as it reached the model.
type pair struct {
	sent    []byte
	request modelserver.Request
}

func (p pair) edited() bool { return !bytes.Equal(p.sent, p.request.Body) }

// pairs are the requests for answers, in order.
func (f *front) pairs() (all []pair) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.Server.Requests() {
		if r.Purpose == modelserver.Generate {
			all = append(all, pair{bytes.TrimSpace(f.sent[r.Header.Get(numbered)]), r})
		}
	}
	return all
}

// counting are steps whose results fill the window before they end, and an answer.
// Each has a name that no other has.
func counting(p *Place, from, to int, answer string) (all []modelserver.Reply) {
	for n := from; n <= to; n++ {
		all = append(all, modelserver.Thinking("Hm "+strconv.Itoa(n)+".", modelserver.Saying("I count far for the time "+strconv.Itoa(n)+".",
			modelserver.Calls(p.Client.Runs("seq "+strconv.Itoa(10_000*n)+" "+strconv.Itoa(10_000*n+1200))))))
	}
	return append(all, modelserver.Thinking("Enough.", modelserver.Text(answer)))
}

// TestRunClients has each client work through the proxy until an epoch begins, go on
// behind "tenfold run", and be undone: live X1, X2, X3 with the real clients. A proxy
// that is started anew knows the conversation again, and sends the same bytes. Clients whose
// vendor may keep the conversation have it do so; other tests have them say it all.
func TestRunClients(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			f := proxied(t, c, nil, func(p *Place) modelserver.Script {
				return modelserver.Sequence(slices.Concat(counting(p, 1, 7, "I counted."), counting(p, 8, 8, "I counted more."), counting(p, 9, 9, "That is all."))...)
			})
			threads := f.withThreads()
			s, out := f.Begin("Count with care.")
			out += f.Resume(s, "Count on.")
			if s := f.holds(t); s.edited == 0 || s.epochs != 1 || s.histories != 1 {
				t.Fatalf("%+v of %+v", s, f.keeper.Status())
			}
			if threads {
				f.asksForAll(t)
			}
			shown := f.last()
			f.close()
			exe, err := program()
			if err != nil {
				t.Fatal(err)
			}
			f.lead, f.runner = launch.Start{}, []string{exe, "run", c.Name}
			f.extra = append(f.extra, "XDG_DATA_HOME="+f.data())
			out += f.Resume(s, "And once more.")
			for _, answer := range []string{"I counted.", "I counted more.", "That is all."} {
				if !strings.Contains(out, answer) {
					t.Errorf("the client does not say %q: %s", answer, out)
				}
			}
			before, after := History(shown, true), History(f.last(), true)
			if len(after) < len(before) || !slices.Equal(before, after[:len(before)]) {
				same(t, before, after)
			}
			f.kept(t)
		})
	}
}

// alone counts the conversations of a list, without titles that were answered so long
// before the one that they are of began that they were stored by then: on a busy machine.
func alone(t *testing.T, list, id string) int {
	t.Helper()
	type listed struct {
		ID           string
		Began, Ended time.Time
	}
	var all []listed
	for line := range strings.Lines(list) {
		var one listed
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, one)
	}
	main := slices.IndexFunc(all, func(one listed) bool { return one.ID == id })
	n := 0
	for _, one := range all {
		if one.Ended.IsZero() || all[main].Began.Sub(one.Ended) < session.RestAfter {
			n++
		}
	}
	return n
}

// last is the newest request of the conversation; Gemini CLI's question of which model
// to ask may be refused, without us as well.
func (f *front) last() modelserver.Request {
	f.tb.Helper()
	for _, r := range f.Server.Problems() {
		if f.Client.Name != "gemini-cli" || r.Main() {
			f.tb.Errorf("%s: refused: %v", f.Client.Name, r.Problem)
		}
	}
	main := f.Server.Main()
	return main[len(main)-1]
}

// kept holds that the store lists the conversation that was edited, as this client's, and
// no other, what it cost, and all that was ever said, which an undo gives back.
func (f *front) kept(t *testing.T) {
	t.Helper()
	all := f.keeper.Status()
	at := slices.IndexFunc(all, func(c proxy.Conversation) bool { return c.Edited > 0 })
	if at < 0 {
		t.Fatalf("no conversation was edited: %+v", all)
	}
	c := all[at]
	if list, _ := f.tenfold("conversation", "ls", "--json", "--tool", f.Client.Name); !strings.Contains(list, c.ID) {
		t.Errorf("%s is not listed: %s", c.ID, list)
	} else if n := alone(t, list, c.ID); n != 1 {
		t.Errorf("%d conversations are listed, and not what belongs to one alone: %s", n, list)
	}
	money, _ := f.tenfold("conversation", "show", c.ID, "--money")
	if !regexp.MustCompile(`Money +(\$0\.\d|unknown   no price for )`).MatchString(money) {
		t.Errorf("it cost nothing: %s", money)
	}
	if log, _ := f.tenfold("conversation", "export", c.ID, "--to", "tenfold"); strings.Count(log, `"kind":"config_delta"`) > 2 { // a client that is resumed may have others
		t.Errorf("the log has its configuration %d times", strings.Count(log, `"kind":"config_delta"`))
	}
	f.tenfold("conversation", "undo", c.ID, "--all")
	body, _ := f.tenfold("conversation", "export", c.ID, "--to", string(f.Client.Wire))
	for n := 1; n <= 9; n++ {
		if !strings.Contains(body, strconv.Itoa(10_000*n+700)) {
			t.Errorf("the output of call %d is lost", n)
		}
	}
}
