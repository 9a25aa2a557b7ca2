package cli

import (
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store/sqlite"
)

// answered is what the API answers.
func answered[T any](t *testing.T, s *web.Server, path string) T {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
	if w.Code != 200 {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return result[T](t, w.Body.String())
}

// The page shows the figures of the command line: of a conversation whose provider
// says how it counts, and of one that was imported.
func TestThePageShowsTheFiguresOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	tenfoldAs(t, "", "c", "import", "testdata/bakery.jsonl")
	tenfoldAs(t, "", "c", "compact", "--strategy", "strip-tools", "--strategy", "strip-reasoning", "--keep", "1")
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "t.db"))
	if err != nil {
		t.Fatal(err)
	}
	long, err := session.NewService(st).Create(t.Context(), session.Create{ID: "long", Title: "long"})
	input := 2000
	for i, e := range logtest.Long(300) {
		if err == nil {
			err = long.Append(t.Context(), e)
		}
		if i%25 == 24 && err == nil {
			input += 1900
			err = long.Append(t.Context(), tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: input, Output: 50}})
		}
	}
	if closed := st.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	tenfoldAs(t, "", "c", "compact", "long", "--strategy", "strip-tools", "--to", "1")
	tenfoldAs(t, "", "c", "pin", "--id", "long", "8")
	s := api(t)

	all := answered[shape.Conversations](t, s, "/api/conversations")
	listed := lines[listedJSON](t, tenfoldAs(t, "", "c", "ls", "--json"))
	if len(all.Items) != len(listed) || len(listed) != 2 {
		t.Fatalf("%d conversations, on the command line %d", len(all.Items), len(listed))
	}
	for i, c := range all.Items {
		l := listed[i]
		if c.ID != l.ID || c.Title != l.Title || c.Turns != l.Turns || c.Entries != l.Entries || c.Tokens.Before != l.Tokens.Before || c.Tokens.After != l.Tokens.After ||
			c.Active != l.Active || !c.Updated.Equal(l.Updated) || c.Tool != l.Tool || c.Project != l.Directory || !c.Began.Equal(l.Began) || !c.Ended.Equal(l.Ended) {
			t.Errorf("%+v\nis on the command line\n%+v", c, l)
		}
		samePictures(t, s, c.ID)
	}
	if c := answered[shape.Conversation](t, s, "/api/conversations/long"); c.Tokens.Method != "calibrated" {
		t.Errorf("not calibrated: %+v", c.Tokens)
	}
}

// samePictures holds what the page shows of one conversation against show, diff and
// print.
func samePictures(t *testing.T, s *web.Server, id string) {
	t.Helper()
	at := "/api/conversations/" + id
	c := answered[shape.Conversation](t, s, at)
	shown := result[shownJSON](t, tenfoldAs(t, "", "c", "show", id, "--json"))
	if c.Tokens.Before != shown.Tokens.Before || c.Tokens.After != shown.Tokens.After || c.Tokens.Method != shown.Tokens.Method || c.Model != shown.Model ||
		len(c.Compactions) != len(shown.Compactions) {
		t.Errorf("%+v\nis by show\n%+v", c, shown)
	}
	for i, o := range c.Compactions {
		if w := shown.Compactions[i]; o.ID != w.ID || o.Before != w.Before || o.After != w.After || o.Live != w.Live || strings.Join(o.Does, " ") != strings.Join(w.Slots, " ") {
			t.Errorf("%+v\nis by show\n%+v", o, w)
		}
	}
	outline := answered[shape.Outline](t, s, at+"/outline")
	fates := map[string]bool{}
	for _, d := range lines[diffedJSON](t, tenfoldAs(t, "", "c", "diff", id, "--json")) {
		if d.Seq == 0 { // no entry
			continue
		}
		i := d.Seq - 1
		row := answered[shape.Rows](t, s, at+"/rows?limit=1&from="+strconv.FormatInt(d.Seq, 10)).Items[0]
		if got := (diffedJSON{row.Seq, row.Turn, row.Step, row.Kind, row.Fate, row.By, row.Why, row.Before, row.After}); got != d {
			t.Errorf("%+v is by diff %+v", got, d)
		}
		if outline.Before[i] != d.Before || outline.After[i] != d.After || outline.Fates[outline.Fate[i]] != d.Fate || outline.Turn[i] != d.Turn || outline.Step[i] != d.Step {
			t.Errorf("the outline at %d is not %+v", i, d)
		}
		fates[d.Fate] = true
	}
	if len(fates) < 2 {
		t.Errorf("%s: nothing was compacted", id)
	}
	view := answered[shape.View](t, s, at+"/view?limit=5000")
	printed := lines[struct {
		Seq        int64
		Turn, Step int
		Kind       string
		Fate, By   string
		Added      string
	}](t, tenfoldAs(t, "", "c", "print", id, "--compacted", "--json"))
	if len(view.Items) != len(printed) || len(printed) == 0 {
		t.Fatalf("%d items, printed are %d", len(view.Items), len(printed))
	}
	for i, it := range view.Items {
		if p := printed[i]; it.Seq != p.Seq || it.Turn != p.Turn || it.Step != p.Step || it.Kind != p.Kind || it.Fate != p.Fate || it.By != p.By || it.Added != p.Added {
			t.Errorf("%+v is printed as %+v", it, p)
		}
	}
}
