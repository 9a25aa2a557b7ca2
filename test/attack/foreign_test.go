package attack

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"tenfold/internal/web/webtest"
	"tenfold/session"
)

// A slot is a place of an operation's request that takes a text.
type slot struct{ name, in string }

// slotsOf are all of an operation: parameters and members of its body.
func slotsOf(op *webtest.Operation) (all []slot) {
	for _, p := range op.Parameters {
		if p.Schema.Is("string") || p.Schema.Is("array") {
			all = append(all, slot{p.Name, p.In})
		}
	}
	if op.Body != nil {
		for _, name := range op.Body.TextMembers() {
			all = append(all, slot{name, "body"})
		}
	}
	return all
}

// theirValues asks every operation, in every place that takes a text, for what the
// victim has, and for something like it that nobody has. The answers are the same.
// What makes something new is asked by a third tenant, whose things are looked at no
// more: it may well make something of the same name.
func theirValues(t *testing.T, w *world, mine, theirs secrets) {
	third := w.party(t, "gamma")
	asked, all := 0, os.Getenv("TENFOLD_TEST_ALL") != ""
	values := theirs.values()
	for _, op := range w.ops {
		if viaStore(op) {
			continue
		}
		who := w.attacker
		if op.Method == http.MethodPost && !strings.Contains(op.Path, "{") {
			who = third
		}
		for k, at := range slotsOf(op) {
			for i, value := range values {
				likely := at.name == "id" && (value == theirs.id || value == theirs.job) || at.name == "compaction" && value == theirs.compaction || at.name == "Idempotency-Key" && value == theirs.key
				if !all && !likely && (i+k+asked)%4 != 0 {
					continue
				}
				asked++
				if d := w.pair(t, who, op, at, value, theirs); d != "" {
					t.Errorf("%s with %s %s: %s", op, at.in, at.name, d)
				}
			}
		}
	}
	if asked < 150 {
		t.Errorf("only %d questions were asked", asked)
	}
	// Numbers: no place of the victim's logs is one of the attacker's.
	for _, op := range w.ops {
		if !viaStore(op) && op.Method == http.MethodGet && op.ID != "audit" { // which has what one tried oneself
			hides(t, op.String(), w.send(t, op.Request(w.url(), plain(shared)), w.attacker.token), theirs, "")
		}
	}
}

// pair asks for a value that the victim has and for one like it, and says how the
// answers differ. What changes by itself meanwhile does not differ each time.
func (w *world) pair(t *testing.T, who *party, op *webtest.Operation, at slot, value string, theirs secrets) (d string) {
	t.Helper()
	for range 8 {
		var got [2]answer
		for i, sent := range []string{value, alike(value)} {
			id := shared
			if op.Method != http.MethodGet && at.name != "id" {
				id = w.fresh(t) // it may be changed
			}
			got[i] = w.send(t, op.Request(w.url(), chosen(plain(id), at.name, sent)), who.token)
			hides(t, fmt.Sprintf("%s with %s", op, at.name), got[i], theirs, sent)
			if got[i] = got[i].without(sent); got[i].status == http.StatusOK && at.in == "query" {
				got[i].header.Del("ETag") // it is made of what was asked for, too
			}
		}
		if op.Streams && got[0].status == got[1].status && got[0].status == http.StatusOK {
			return ""
		}
		if d = differ(got[0], got[1]); d == "" {
			return ""
		}
		time.Sleep(50 * time.Millisecond)
	}
	return d
}

// chosen has one place of a request hold a value.
func chosen(rest webtest.Chooser, name, value string) webtest.Chooser {
	return func(n string, s *webtest.Schema) (any, bool) {
		if n == name {
			if s.Is("array") {
				return []any{value}, true
			}
			return value, true
		}
		return rest(n, s)
	}
}

// fresh gives the attacker a new conversation, always the same but for its id.
func (w *world) fresh(t testing.TB) string {
	t.Helper()
	w.made++
	id := fmt.Sprintf("fresh-%06d", w.made)
	if _, err := session.NewService(w.attacker.store).Create(t.Context(), session.Create{ID: id, Title: "fresh", Entries: talk(secrets{entry: "e", word: "w", directory: "d"}, 2)}); err != nil {
		t.Fatal(err)
	}
	return id
}

// sameIDs has the attacker change everything that has the same id in both tenants, and
// repeat what the victim sent, by the same key. The victim's are untouched.
func sameIDs(t *testing.T, w *world, mine, theirs secrets) {
	for _, op := range w.ops {
		if op.Method != http.MethodGet && !viaStore(op) {
			hides(t, op.String(), w.send(t, op.Request(w.url(), plain(shared)), w.attacker.token), theirs, "")
		}
	}
	// The key of a request that the victim sent is as good as any other.
	for _, id := range []string{shared, w.fresh(t)} {
		r := w.request(t, "POST", "/api/conversations/"+id+"/entries", `{"entries":[{"kind":"assistant_message","text":"mine"}]}`)
		r.Header.Set("Idempotency-Key", theirs.key)
		if a := w.send(t, r, w.attacker.token); a.status != http.StatusOK {
			t.Errorf("with the victim's key: %d %s", a.status, a.body)
		} else {
			hides(t, "an append with the victim's key", a, theirs, theirs.key)
		}
	}
	// What the victim's answer is known by (ETag) does not spare the attacker's.
	of := func(p *party, tag string) answer {
		r := w.request(t, "GET", "/api/conversations/"+shared+"/projection", "")
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		return w.send(t, r, p.token)
	}
	theirTag, myTag := of(w.victim, "").header.Get("ETag"), of(w.attacker, "").header.Get("ETag")
	if theirTag == "" || theirTag == myTag {
		t.Errorf("the tags are %s and %s", theirTag, myTag)
	}
	if a := of(w.attacker, theirTag); a.status != http.StatusOK {
		t.Errorf("the victim's tag gives %d", a.status)
	}
	if a := of(w.attacker, myTag); a.status != http.StatusNotModified {
		t.Errorf("the attacker's own tag gives %d", a.status)
	}
	// Each sees its own, whoever asked last.
	for range 3 {
		for _, p := range []*party{w.victim, w.attacker} {
			own, other := theirs, mine
			if p == w.attacker {
				own, other = mine, theirs
			}
			text := w.must(t, p.token, "GET", "/api/conversations/"+shared+"/entries?limit=500", nil)
			if !strings.Contains(text, own.word) || strings.Contains(text, other.word) {
				t.Errorf("%s sees %.300s", p.Name, text)
			}
		}
	}
}

// streams follows the conversation that both have: each hears its own alone, and a
// place of the other's log is none of one's own.
func streams(t *testing.T, w *world, mine, theirs secrets) {
	for _, last := range []string{"", "0", "1", "20", "9000000"} {
		r := w.request(t, "GET", "/api/conversations/"+shared+"/events", "")
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		a, want := w.send(t, r, w.attacker.token), http.StatusOK
		if last == "9000000" {
			want = http.StatusConflict
		}
		if a.status != want || last == "0" && !strings.Contains(a.body, mine.word) {
			t.Errorf("after %q: %d %.300s", last, a.status, a.body)
		}
		hides(t, "the stream after "+last, a, theirs, "")
	}
	victim, attacker := w.listen(t, w.victim), w.listen(t, w.attacker)
	w.must(t, w.attacker.token, "POST", "/api/conversations/"+shared+"/entries", map[string]any{"entries": []any{map[string]any{"kind": "assistant_message", "text": "psst " + mine.word}}})
	if got := attacker(func(text string) bool { return strings.Contains(text, "psst") }); !strings.Contains(got, "psst") {
		t.Errorf("the attacker does not hear itself: %.300s", got)
	}
	if got := victim(func(string) bool { return false }); strings.Contains(got, "event: entry") || strings.Contains(got, mine.word) {
		t.Errorf("the victim hears the attacker: %.500s", got)
	}
}

// listen follows the conversation that both have, from now on. What it gives reads on
// until it has heard enough, or for a moment.
func (w *world) listen(t testing.TB, p *party) func(enough func(string) bool) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := w.request(t, "GET", "/api/conversations/"+shared+"/events", "").WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+p.token)
	got, err := client.Do(r) //nolint:bodyclose // closed when the test ends, below
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", got, err)
	}
	return func(enough func(string) bool) string {
		defer got.Body.Close()
		wait := 5 * time.Minute
		if !enough("psst") {
			wait = 2 * streamTime
		}
		defer time.AfterFunc(wait, cancel).Stop()
		var heard strings.Builder
		for lines := bufio.NewScanner(got.Body); !enough(heard.String()) && lines.Scan(); {
			heard.WriteString(lines.Text() + "\n")
		}
		return heard.String()
	}
}
