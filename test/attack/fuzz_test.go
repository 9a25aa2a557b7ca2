package attack

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tenfold/internal/web/webtest"
)

// fuzzSeeds tries what is drawn at random, the same each time.
func fuzzSeeds(t *testing.T, w *world, mine, theirs secrets) {
	drawn := rand.New(rand.NewPCG(20, 2))
	for i := range 3 * len(w.ops) {
		data := make([]byte, 80)
		for j := range data {
			data[j] = byte(drawn.IntN(256))
		}
		data[0] = byte(i)
		w.draw(t, data, mine, theirs)
	}
}

// draw sends a few requests of the attacker, made of bytes. Whatever is asked, no answer
// has anything of the victim's, and none is a failure of the server's own.
func (w *world) draw(t testing.TB, data []byte, mine, theirs secrets) {
	t.Helper()
	d := &webtest.Draw{Bytes: data}
	known := append([]string{shared, "1", "last", "anthropic", "strip-tools"}, theirs.id, theirs.word, theirs.entry, theirs.compaction, theirs.key, mine.id, mine.compaction, mine.job)
	for range 3 {
		op := w.ops[d.Int(len(w.ops))]
		r := op.Request(w.url(), d.Chooser(known)).WithContext(t.Context())
		token := w.attacker.token
		switch d.Int(12) {
		case 1:
			token = theirs.word
		case 2:
			token = token[:d.Int(len(token))] + d.Text()
		case 3:
			token = ""
		}
		for _, name := range []string{"Accept", "Content-Type", "Last-Event-ID", "Idempotency-Key", "If-None-Match", "Cookie", "X-Forwarded-For", "X-HTTP-Method-Override"} {
			if d.Int(16) == 1 {
				r.Header.Set(name, strings.Map(func(r rune) rune {
					if r < ' ' || r > '~' {
						return 'x'
					}
					return r
				}, d.Text()+webtest.Of(d, known)))
			}
		}
		a := w.send(t, r, strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return 'x'
			}
			return r
		}, token))
		what := fmt.Sprintf("%s %s", r.Method, r.URL)
		if a.status >= 500 {
			t.Fatalf("%s: %d %.500s", what, a.status, a.body)
		}
		if kind := a.header.Get("Content-Type"); a.status >= 400 && kind != "application/problem+json" {
			t.Fatalf("%s: %d is told as %s: %.300s", what, a.status, kind, a.body)
		}
		for _, secret := range []string{theirs.silent, theirs.title, theirs.directory, theirs.origin} { // which are never sent
			if strings.Contains(a.body+fmt.Sprint(a.header), secret) {
				t.Fatalf("%s tells %s: %.500s", what, secret, a.body)
			}
		}
		if len(d.Bytes) == 0 {
			return
		}
	}
}

// FuzzASecondTenant draws requests of a tenant to a server that it shares with
// another. It starts a database, so that it runs when it is asked for alone; its seeds
// are tried by TestASecondTenant.
func FuzzASecondTenant(f *testing.F) {
	if flag.Lookup("test.fuzz").Value.String() == "" {
		f.Skip("run it with -fuzz")
	}
	w := newWorld(f)
	mine, theirs := newSecrets(), newSecrets()
	w.fill(f, w.attacker, &mine)
	w.fill(f, w.victim, &theirs)
	before := w.dump(f, w.victim)
	for i := range w.ops {
		f.Add([]byte{byte(i), 1, 2, 3, 4, 5, 6, 7, 8, 9})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		w.draw(t, data, mine, theirs)
		if len(data)%16 == 0 {
			w.untouched(t, w.victim, before)
		}
	})
}
