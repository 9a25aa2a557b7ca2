package atom_test

import (
	"strings"
	"testing"

	"tenfold/atom"
)

func TestFocusMatches(t *testing.T) {
	for _, c := range []struct {
		focus, text string
		want        int
	}{
		{"auth", "authentication failed", 1},
		{"auth", "type AuthService struct", 1},
		{"auth", "internal/auth/token.go", 1},
		{"auth", "the author of oauth2", 1}, // "author" begins so
		{"auth", "the oauth2 flow", 0},
		{"store", "memoryStore, session_store and HTTPStore", 1},
		{"store", "restore the file", 0},
		{"keep what is said of tests", "go test ./pkg", 1},
		{"keep what is said of tests", "what is said", 0},
		{"jwt", "parse the JWT here", 1},
		{"jwt", "jwtParser and parseJwt", 1},
		{"api", "rapid apiary", 0},
		{"the auth flow and the session store", "session.go: no auth", 2},
		{"pkg/auth/login.go", "edit pkg/auth/login.go", 3},
		{"pkg/auth/login.go", "see login.go and go test ./pkg", 2},
		{"keep the parse_token work", "func parse_token(s string)", 1},
		{"Überprüfung", "die überprüfung schlug fehl", 1},
		{"認証を直す", "ここで認証が失敗", 1},
		{"認証を直す", "ここで失敗", 0},
		{"what about it", "what was it", 2}, // nothing but empty words
		{"", "anything", 0},
	} {
		if got := atom.NewFocus(c.focus).Matches(c.text); got != c.want {
			t.Errorf("%q finds %d in %q, want %d", c.focus, got, c.text, c.want)
		}
	}
	var none *atom.Focus
	if !none.Empty() || none.Matches("x") != 0 || !atom.NewFocus(" ").Empty() || atom.NewFocus("x1 auth").Empty() {
		t.Error("a focus of nothing is not empty, or the other way round")
	}
}

// Of a long focus the first words are looked for, and none is counted twice.
func TestFocusOfManyWords(t *testing.T) {
	var words []string
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b < 'e'; b++ {
			words = append(words, strings.Repeat(string(a), 3)+strings.Repeat(string(b), 3))
		}
	}
	text := strings.Join(words, " ")
	if got := atom.NewFocus(text).Matches(text + " " + text); got != 64 {
		t.Errorf("%d of %d words found", got, len(words))
	}
}

func BenchmarkFocus(b *testing.B) {
	f := atom.NewFocus("the auth flow and the session store")
	line := strings.Repeat("func (s *Server) handleLogin(w http.ResponseWriter) error { return nil } ", 20)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		f.Matches(line)
	}
}

func FuzzFocus(f *testing.F) {
	f.Add("auth flow", "the Auth\xff flow")
	f.Fuzz(func(t *testing.T, focus, text string) {
		n := atom.NewFocus(focus).Matches(text)
		if m := atom.NewFocus(focus).Matches(text + " "); m < n {
			t.Errorf("%q: %d found, %d with a space behind", focus, n, m)
		}
	})
}
