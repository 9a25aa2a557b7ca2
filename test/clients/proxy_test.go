package clients

import (
	"bytes"
	"context"
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
	keeper proxy.Keeper
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
// as "tenfold run" starts it. What goes through is kept in the place's store.
func proxied(t *testing.T, c Client, script func(p *Place) modelserver.Script) *front {
	t.Helper()
	f := &front{later: &atomic.Int64{}, sent: map[string][]byte{}, told: map[int]bool{}}
	now := func() time.Time { return time.Now().Add(time.Duration(f.later.Load())) }
	var answer atomic.Pointer[modelserver.Script]
	f.Place = At(t, c, modelserver.New(func(r modelserver.Request) modelserver.Reply { return (*answer.Load())(r) }, modelserver.WithClock(now)))
	made := script(f.Place)
	answer.Store(&made)

	store, err := sqlite.Open(t.Context(), filepath.Join(f.data(), "tenfold", "tenfold.db"))
	if err != nil {
		t.Fatal(err)
	}
	f.keeper = keeper.New(keeper.Options{
		Open: func(context.Context) (*session.Service, error) {
			return session.NewService(store, session.WithClock(now)), nil
		},
		Configure: smallLive,
		Fail:      func(_, event, why string) { t.Errorf("%s: the proxy failed at %s: %s", c.Name, event, why) },
		Now:       now,
	})
	server := proxy.NewServer(proxy.Options{Keeper: f.keeper})
	client, err := launch.Find(c.Name)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(f.recording(server))
	f.close = sync.OnceFunc(func() {
		h.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := f.keeper.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.close)
	env := map[string]string{}
	for _, v := range f.environment() {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	user := launch.User{Home: f.Home, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	upstreams := client.Upstreams(user, nil)
	token := server.Add("", proxy.Route{Client: client.Format, Dir: f.Dir, Upstreams: upstreams})
	f.lead, err = client.Start(user, nil, launch.Target{
		Base:      func(upstream string) string { return proxy.Base(h.Listener.Addr().String(), token, upstream) },
		Upstreams: upstreams, Scratch: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// smallLive has epochs begin early.
func smallLive(_, model string) (session.Live, error) {
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

// holds checks what must be so of all requests of a conversation: what reached the
// model was never refused; it is what the client sent, except where an epoch shows
// less; and each request begins with the one before, except where an epoch begins
// (X1, X3). It gives how many requests were edited and how many epochs there are.
func (f *front) holds(t *testing.T) (edited, begun int) {
	t.Helper()
	once := func(n int, format string, args ...any) {
		if !f.told[n] {
			t.Errorf(f.Client.Name+": request %d "+format, append([]any{n}, args...)...)
		}
		f.told[n] = true
	}
	for _, p := range f.pairs() {
		// What is a client's own fault: Gemini CLI's question of which model to ask begins
		// anywhere; Claude Code keeps thinking across its own compaction, and drops it.
		own := !p.edited() && (!p.request.Main() || bytes.Contains(p.sent, []byte("This session is being continued from a previous conversation")))
		if p.request.Problem != nil && !own {
			once(p.request.N, "(edited: %v) was refused: %v", p.edited(), p.request.Problem)
		}
	}
	var before []Line
	var last pair
	for _, p := range f.pairs() {
		// Codex's own compaction is a handle of ours, for which the view goes (X4).
		if p.edited() && len(p.request.Body) >= len(p.sent) && !bytes.Contains(p.sent, []byte(`"type":"compaction"`)) {
			once(p.request.N, "was %d bytes and went as %d", len(p.sent), len(p.request.Body))
		}
		if p.edited() {
			edited++
		}
		if !p.request.Main() {
			continue
		}
		lines := History(p.request, true)
		if len(lines) < len(before) || !slices.Equal(before, lines[:len(before)]) {
			begun++
			// What changed is ours, where the client's own history only grew.
			if was, is := read(t, last), read(t, p); !p.edited() && len(is) >= len(was) && slices.Equal(was, is[:len(was)]) && !last.edited() {
				once(p.request.N, "does not begin with the one before")
			}
		}
		before, last = lines, p
	}
	return edited, begun
}

// read gives the history of a request as its client sent it.
func read(t *testing.T, p pair) []Line {
	t.Helper()
	if p.sent == nil {
		return nil
	}
	r, _ := modelserver.Read(p.request.Wire, p.sent)
	return History(r, true)
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
// that is started anew knows the conversation again, and sends the same bytes.
func TestRunClients(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			f := proxied(t, c, func(p *Place) modelserver.Script {
				return modelserver.Sequence(slices.Concat(counting(p, 1, 7, "I counted."), counting(p, 8, 8, "I counted more."), counting(p, 9, 9, "That is all."))...)
			})
			s, out := f.Begin("Count with care.")
			out += f.Resume(s, "Count on.")
			edited, begun := f.holds(t)
			if edited == 0 || begun != 1 {
				t.Fatalf("%d requests were edited, %d epochs began: %+v", edited, begun, f.keeper.Status())
			}
			if c.Name == "gemini-cli" {
				return // it sends results once more at each resume, which makes another history
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

// kept holds that the store lists the conversation that was edited, as this client's,
// what it cost, and all that was ever said, which an undo gives back.
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
	}
	money, _ := f.tenfold("conversation", "show", c.ID, "--money")
	if !regexp.MustCompile(`Money +(\$0\.\d|unknown   no price for )`).MatchString(money) {
		t.Errorf("it cost nothing: %s", money)
	}
	f.tenfold("conversation", "undo", c.ID, "--all")
	body, _ := f.tenfold("conversation", "export", c.ID, "--to", string(f.Client.Wire))
	for n := 1; n <= 9; n++ {
		if !strings.Contains(body, strconv.Itoa(10_000*n+700)) {
			t.Errorf("the output of call %d is lost", n)
		}
	}
}
