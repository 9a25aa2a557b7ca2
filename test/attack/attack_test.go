package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/internal/web"
	"tenfold/internal/web/webtest"
	"tenfold/session"
	"tenfold/store"
)

// TestASecondTenant has a tenant try all that it can think of, by one server after the
// other. Its parts come one after another: each holds what the others have against what
// it was.
func TestASecondTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, theirs := newSecrets(), newSecrets()
	w.fill(t, w.attacker, &mine)
	quiet := w.snapshot(t, w.attacker)
	w.fill(t, w.victim, &theirs)
	others := newSecrets()
	w.fill(t, w.other, &others)
	if len(w.jobs(t, w.victim)) == 0 {
		t.Error("the victim has no job")
	}
	// What the first tenant has and does changes nothing of what the second one sees.
	w.same(t, "what the attacker sees since the victim has something", w.attacker, quiet)
	for what, a := range quiet {
		hides(t, what, a, theirs, "")
		hides(t, what, a, others, "")
	}
	seen := w.snapshot(t, w.victim)
	before, beside := w.dump(t, w.victim), w.dump(t, w.other)
	for _, part := range []struct {
		name string
		test func(*testing.T, *world, secrets, secrets)
	}{
		{"TheirValuesAreNothing", theirValues},
		{"StoreMethods", storeMethods},
		{"SQL", sqlPaths},
		{"TheSameIDs", sameIDs},
		{"Tokens", badTokens},
		{"Scopes", scopes},
		{"Streams", streams},
		{"StrangeNames", strangeNames},
		{"Fuzz", fuzzSeeds},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.test(t, w, mine, theirs)
			w.untouched(t, w.victim, before)
			w.untouched(t, w.other, beside)
		})
	}
	w.same(t, "what the victim sees after the attack", w.victim, seen)
}

// shared is the id of a conversation that both tenants have.
const shared = "shared"

// fill gives a tenant two conversations, one of which has an id that the other tenant
// uses too, with a compaction, a job, an origin and a key for repeating.
func (w *world) fill(t testing.TB, p *party, s *secrets) {
	t.Helper()
	service := session.NewService(p.store)
	for _, id := range []string{shared, s.id} {
		_, err := service.Create(t.Context(), session.Create{
			ID: id, Title: s.title, Entries: talk(*s, 4), Origin: store.Origin{Key: s.origin, Tool: "codex", Directory: s.directory},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.must(t, p.token, "POST", "/api/conversations/"+id+"/compactions", map[string]any{"strategies": []string{"strip-tools"}})
		var about struct {
			Compactions []struct {
				ID string `json:"id"`
			} `json:"compactions"`
		}
		decode(t, w.must(t, p.token, "GET", "/api/conversations/"+id, nil), &about)
		if len(about.Compactions) == 0 {
			t.Fatal("nothing was compacted")
		}
		s.compaction = about.Compactions[0].ID
	}
	r := w.request(t, "POST", "/api/conversations/"+s.id+"/entries", `{"entries":[{"kind":"assistant_message","text":"once `+s.word+`"}]}`)
	r.Header.Set("Idempotency-Key", s.key)
	if a := w.send(t, r, p.token); a.status != http.StatusOK {
		t.Fatalf("append: %d %s", a.status, a.body)
	}
	w.enqueue(t, p, s.id)
	if all := w.jobs(t, p); len(all) > 0 {
		s.job = all[0]
	}
	w.settle(t, p)
}

// enqueue makes a compaction due, as a server does by an append.
func (w *world) enqueue(t testing.TB, p *party, id string) {
	t.Helper()
	q, err := job.Open(t.Context(), w.db)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Store(p.store).Append(t.Context(), store.Batch{
		Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: "due", Payload: tenfold.TurnStart{}}},
		Due: &store.Work{Prefix: "prefix", Policy: "fit", Tokens: 20_000, Limit: 10_000},
	}); err != nil {
		t.Fatal(err)
	}
}

// jobs are the ids of a tenant's jobs.
func (w *world) jobs(t testing.TB, p *party) (all []string) {
	t.Helper()
	var page web.JobPage
	decode(t, w.must(t, p.token, "GET", "/api/jobs", nil), &page)
	for _, j := range page.Items {
		all = append(all, j.ID)
	}
	return all
}

// settle waits until nothing changes by itself: costs are read, and no job runs.
func (w *world) settle(t testing.TB, p *party) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var money struct {
			Reading int `json:"reading"`
		}
		busy := false
		for range w.urls { // each reads for itself
			decode(t, w.must(t, p.token, "GET", "/api/money", nil), &money)
			busy = busy || money.Reading > 0
		}
		var page web.JobPage
		decode(t, w.must(t, p.token, "GET", "/api/jobs", nil), &page)
		for _, j := range page.Items {
			busy = busy || j.Ended.IsZero()
		}
		if !busy {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is busy: %+v, %+v", p.Name, money, page)
		}
	}
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

func (w *world) request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.url()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// viaStore is what operations of the document are asked of a store's client instead
// (storeMethods): their bodies are not JSON.
func viaStore(op *webtest.Operation) bool { return strings.HasPrefix(op.Path, "/api/store/") }

// snapshot is the answer of every operation that reads, about all and about the
// conversation that both tenants have.
func (w *world) snapshot(t testing.TB, p *party) map[string]answer {
	t.Helper()
	out := map[string]answer{}
	for _, op := range w.ops {
		if op.Method != http.MethodGet || viaStore(op) || op.Streams || op.ID == "audit" { // which grows by what one does oneself
			continue
		}
		r := op.Request(w.url(), plain(shared))
		out[op.String()] = w.send(t, r, p.token)
	}
	if len(out) < 15 {
		t.Fatalf("only %d operations read", len(out))
	}
	return out
}

// same fails the test where answers are not as they were.
func (w *world) same(t testing.TB, what string, p *party, before map[string]answer) {
	t.Helper()
	for name, now := range w.snapshot(t, p) {
		if d := differ(before[name], now); d != "" {
			t.Errorf("%s: %s: %s", what, name, d)
		}
	}
}

// plain chooses nothing but the conversation.
func plain(id string) webtest.Chooser {
	return func(name string, s *webtest.Schema) (any, bool) {
		switch name {
		case "id":
			return id, true
		case "q":
			return "please", true
		case "kind":
			return "turn_start", true
		case "seq":
			return 2, true
		case "redact":
			return false, true
		}
		return nil, false
	}
}

// differ says how two answers differ, but for what differs each time.
func differ(x, y answer) string {
	if x.status != y.status {
		return fmt.Sprintf("%d, then %d: %.300s, then %.300s", x.status, y.status, x.body, y.body)
	}
	if a, b := masked(x.body), masked(y.body); a != b {
		i := 0
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		from := max(i-80, 0)
		return fmt.Sprintf("…%.200s…, then …%.200s…", a[from:], b[from:])
	}
	for name := range merged(x.header, y.header) {
		if a, b := strings.Join(x.header[name], ","), strings.Join(y.header[name], ","); a != b && !volatile[name] {
			return fmt.Sprintf("%s: %s, then %s", name, a, b)
		}
	}
	return ""
}

// hides fails the test where an answer has a part of what is secret, but for a value
// that was sent.
func hides(t testing.TB, what string, a answer, s secrets, sent string) {
	t.Helper()
	text := a.body
	for _, values := range a.header {
		text += "\n" + strings.Join(values, "\n")
	}
	if sent != "" {
		text = strings.ReplaceAll(text, sent, "")
	}
	for _, v := range append(s.values(), s.silent) {
		if strings.Contains(text, v) {
			t.Errorf("%s tells %s:\n%.500s", what, v, text)
		}
	}
}
