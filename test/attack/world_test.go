// Package attack attacks "tenfold serve" over a PostgreSQL that tenants share: a
// second tenant tries every operation of the OpenAPI document, every method of the
// store and every table against what the first one has. The program runs as it is
// shipped, as a process of its own.
package attack

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/internal/cli"
	"tenfold/internal/web"
	"tenfold/internal/web/webtest"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
)

// asProgram has the test binary be the program.
const asProgram = "ATTACK_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// A world is two servers of one database, and three tenants: victim has what attacker is
// after, and so has other.
type world struct {
	urls     []string // of the servers
	asked    atomic.Int64
	store    string // the URL of the database
	db       *postgres.Database
	registry *tenant.Registry
	super    *pgx.Conn // sees all rows of all tenants
	ops      []*webtest.Operation

	victim, other, attacker *party
	stderr                  *errorsOf
	made                    int // conversations of the attacker, by fresh
}

// errorsOf are what the servers say on stderr.
type errorsOf struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *errorsOf) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(b)
}

func (e *errorsOf) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// A party is a tenant with its store, and its token that may do everything.
type party struct {
	tenant.Tenant
	store *postgres.Store
	token string
}

var operator = tenant.Actor{Token: tenant.Operator}

// newWorld starts a database and the program over it.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{store: pgtest.Start(t).Database(t), stderr: &errorsOf{}}
	var err error
	if w.db, err = postgres.OpenDatabase(t.Context(), w.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	w.registry = tenant.NewRegistry(w.db)
	if w.super, err = pgx.Connect(t.Context(), w.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.super.Close(context.WithoutCancel(t.Context())) })
	w.victim, w.other, w.attacker = w.party(t, "alpha"), w.party(t, "epsilon"), w.party(t, "beta")
	for range 2 {
		w.serve(t)
	}
	text, err := web.Document()
	if err == nil {
		w.ops, err = webtest.Operations(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// party makes a tenant.
func (w *world) party(t testing.TB, name string) *party {
	t.Helper()
	made, err := w.registry.Create(t.Context(), operator, name, tenant.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := &party{Tenant: made, token: w.newToken(t, made.ID, tenant.NewToken{Label: name, Scopes: tenant.AllScopes()})}
	if p.store, err = w.db.Tenant(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.store.Close() })
	return p
}

func (w *world) newToken(t testing.TB, number int, n tenant.NewToken) string {
	t.Helper()
	_, secret, err := w.registry.CreateToken(t.Context(), operator, number, n)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

// url is that of one server and then of the next, as behind a balancer.
func (w *world) url() string { return w.urls[int(w.asked.Add(1))%len(w.urls)] }

// serve runs the program until the test ends.
func (w *world) serve(t testing.TB) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), program, "serve", "--json", "--no-open", "--addr", "127.0.0.1:0")
	c.Dir = dir
	c.Env = []string{asProgram + "=1", "TENFOLD_STORE=" + w.store, "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	c.Stderr = w.stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadBytes('\n')
	var said struct {
		Address string `json:"address"`
	}
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		_ = c.Wait()
		t.Fatalf("tenfold serve says %q, %v\n%s", line, err, w.stderr)
	}
	w.urls = append(w.urls, "http://"+said.Address)
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, lines)
		if err := c.Wait(); err != nil {
			t.Errorf("tenfold serve: %v\n%s", err, w.stderr)
		}
		if strings.Contains(w.stderr.String(), "panic") {
			t.Errorf("tenfold serve panicked:\n%s", w.stderr)
		}
	})
}

// An answer is what came of a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// client waits for no answer for long; it follows nothing.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// streamTime is how long a stream is listened to.
const streamTime = 150 * time.Millisecond

// send sends a request with a token, "" for none. What a stream says within streamTime
// is its body.
func (w *world) send(t testing.TB, r *http.Request, token string) answer {
	t.Helper()
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for begun := time.Now(); ; {
		a := w.once(t, r)
		// A server under load may ask to wait; what it then says is what counts.
		if a.status != http.StatusServiceUnavailable || time.Since(begun) > 5*time.Minute {
			return a
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (w *world) once(t testing.TB, r *http.Request) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	again := r.Clone(ctx)
	if r.GetBody != nil {
		again.Body, _ = r.GetBody()
	}
	got, err := client.Do(again)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", r.Method, r.URL, err, w.stderr)
	}
	defer got.Body.Close()
	streams := got.Header.Get("Content-Type") == "text/event-stream"
	if streams {
		defer time.AfterFunc(streamTime, cancel).Stop()
	}
	body, err := io.ReadAll(got.Body)
	if err != nil && !streams {
		t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return answer{got.StatusCode, got.Header, string(body)}
}

// call sends a method, a path and a body that is made JSON, if any.
func (w *world) call(t testing.TB, token, method, path string, body any) answer {
	t.Helper()
	var data io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, w.url()+path, data)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return w.send(t, r, token)
}

// must calls, and wants it granted.
func (w *world) must(t testing.TB, token, method, path string, body any) string {
	t.Helper()
	a := w.call(t, token, method, path, body)
	if a.status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a.body
}

// secrets are what only one tenant knows. Each is random: nobody guesses one.
type secrets struct {
	// word is in everything that is said; silent too, and nobody ever asks for it.
	word, silent, id, title, entry, origin, directory, key string
	// compaction and job are given by the server.
	compaction, job string
}

func newSecrets() secrets {
	name := func(kind string) string {
		var b [12]byte
		_, _ = rand.Read(b[:])
		return kind + hex.EncodeToString(b[:])
	}
	return secrets{
		word: name("word"), silent: name("silent"), id: name("id-"), title: name("title "), entry: name("entry-"), origin: name("origin-"),
		directory: name("/home/"), key: name("key-"),
	}
}

// values are what an attacker may have heard of.
func (s secrets) values() []string {
	all := []string{s.word, s.id, s.title, s.entry, s.origin, s.directory, s.key, s.compaction, s.job}
	return slices.DeleteFunc(all, func(v string) bool { return v == "" })
}

// talk is a conversation with a secret in each part, and something to compact.
func talk(s secrets, turns int) (all []tenfold.Entry) {
	said := s.word + " " + s.silent
	for i := range turns {
		id := fmt.Sprintf("%s-%d", s.entry, i)
		all = append(
			all,
			tenfold.Entry{ID: id + "t", Payload: tenfold.TurnStart{}},
			tenfold.Entry{ID: id + "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("please " + said)}},
			tenfold.Entry{ID: id + "c", Payload: tenfold.ToolCall{CallID: id, Name: "Read", Arguments: `{"file_path":"` + s.directory + `"}`}},
			tenfold.Entry{ID: id + "r", Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(strings.Repeat(said+" line\n", 40))}},
			tenfold.Entry{ID: id + "a", Payload: tenfold.AssistantMessage{Text: "done " + said}},
		)
	}
	return all
}

// dump is a digest of all rows of a tenant, table by table, as the database has them.
// When a token was used last is left out.
func (w *world) dump(t testing.TB, of *party) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range w.tables(t, false) {
		var rows string
		query := "SELECT coalesce(string_agg(md5((to_jsonb(t) - 'used')::text), ' ' ORDER BY md5((to_jsonb(t) - 'used')::text)), '') FROM " + table.name + " t WHERE " + table.where
		if err := w.super.QueryRow(t.Context(), query, of.ID).Scan(&rows); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		out[table.name] = rows
	}
	return out
}

// A table that holds rows of tenants: where says which are those of $1.
type table struct{ name, where string }

// tables are all that hold rows of tenants, found in the catalogue; partitions too,
// where they are asked for.
func (w *world) tables(t testing.TB, partitions bool) (all []table) {
	t.Helper()
	rows, err := w.super.Query(t.Context(), `SELECT c.oid::regclass::text, coalesce(max(a.attname) FILTER (WHERE a.attname = 'tenant_id'), max(a.attname) FILTER (WHERE a.attname = 'args'), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relkind IN ('r', 'p') AND (NOT c.relispartition OR $1) AND n.nspname !~ '^pg_|^information_schema' GROUP BY c.oid ORDER BY 1`, partitions)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name, column string
		if err := rows.Scan(&name, &column); err != nil {
			t.Fatal(err)
		}
		switch {
		case column == "tenant_id":
			all = append(all, table{name, "tenant_id = $1"})
		case column == "args":
			all = append(all, table{name, "(args->>'tenant')::int = $1"})
		case strings.HasSuffix(name, "tenfold_tenants"):
			all = append(all, table{name, "id = $1"})
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) < 5 {
		t.Fatalf("only %v hold rows of tenants", all)
	}
	return all
}

// untouched fails the test where rows of a party are not as they were.
func (w *world) untouched(t testing.TB, of *party, before map[string]string) {
	t.Helper()
	for name, rows := range w.dump(t, of) {
		if rows != before[name] {
			t.Errorf("the rows of %s in %s changed", of.Name, name)
		}
	}
}
