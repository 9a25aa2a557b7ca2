package web

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/internal/listing"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// talk is a conversation of two turns, with a failed call, a sub-agent, what a host
// said and what it cost.
func talkEntries() []tenfold.Entry {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	said := func(p tenfold.Payload) tenfold.Entry {
		at = at.Add(time.Second)
		return tenfold.Entry{Time: at, Payload: p}
	}
	nested := said(tenfold.AssistantMessage{Text: "from below"})
	nested.Branch = "scout"
	return []tenfold.Entry{
		said(tenfold.TurnStart{}),
		said(tenfold.UserMessage{Parts: tenfold.Text("Read a.go, 👩 please")}),
		said(tenfold.ToolCall{CallID: "c", Name: "Read", Arguments: `{"limit":3,"file_path":"src/a.go"}`}),
		said(tenfold.ToolResult{CallID: "c", Parts: tenfold.Text("no such\nfile"), IsError: true}),
		said(tenfold.UserMessage{Parts: tenfold.Text("be quick"), Purpose: tenfold.Notice, Synthetic: true}),
		nested,
		said(tenfold.AssistantMessage{Text: "It is 👩 not there."}),
		said(tenfold.Usage{Model: "claude-sonnet-4-5", Input: 900, CacheRead: 100, Output: 9}),
		said(tenfold.TurnStart{}),
		said(tenfold.UserMessage{Parts: tenfold.Text("Well.")}),
		said(tenfold.AssistantMessage{Text: "Well."}),
		said(tenfold.CompactionFailed{Error: "no"}),
	}
}

func TestRowsSayWhatEntriesAre(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", talkEntries())
	o := get[shape.Outline](t, s, "/api/conversations/one/outline", http.StatusOK)
	want := []int{
		look.FlagUnseen, look.FlagPerson, 0, look.FlagError, 0, look.FlagBranch, 0, look.FlagUnseen, look.FlagUnseen, look.FlagPerson, 0, look.FlagUnseen | look.FlagError,
	}
	if !slices.Equal(o.Flags, want) || !slices.Equal(o.Pair, []int64{0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("flags %v, not %v; pairs %v", o.Flags, want, o.Pair)
	}
	if part := get[shape.Outline](t, s, "/api/conversations/one/outline?from=10", http.StatusOK); part.From != 10 || !slices.Equal(part.Flags, want[9:]) {
		t.Errorf("from 10: %+v", part)
	}
	if part := get[shape.Outline](t, s, "/api/conversations/one/outline?from=99", http.StatusOK); part.From != 13 || len(part.Kind) > 0 {
		t.Errorf("from 99: %+v", part)
	}
	rows := get[shape.Rows](t, s, "/api/conversations/one/rows", http.StatusOK).Items
	for i, want := range []string{
		1: "user", 2: "Read src/a.go", 3: "Read src/a.go", 4: "notice", 6: "assistant", 7: "usage", 11: "compaction failed",
	} {
		if want != "" && rows[i].Label != want {
			t.Errorf("the label of %d is %q, not %q", i+1, rows[i].Label, want)
		}
	}
	if r := rows[3]; r.Text != "no such file" || r.Length != 12 || r.Tool != "Read" || r.Outcome != "error" || rows[2].Outcome != r.Outcome {
		t.Errorf("%+v of %+v", r, rows[2])
	}
	if r := rows[5]; r.Branch != "scout" || r.After == 0 {
		t.Errorf("of the sub-agent: %+v", r)
	}
}

func TestAnEntryIsGivenWhole(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	open := created(t, service, "one", talkEntries())
	strip := tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: "They talked."}}},
		tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.ToolCall{CallID: "d", Name: "Read", Arguments: `{"file_path":"b.go"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "d", Parts: tenfold.Text(strings.Repeat("日本\xff\n", 60_000))}}); err != nil {
		t.Fatal(err)
	}
	if e := get[shape.Entry](t, s, "/api/conversations/one/entries/2", http.StatusOK); e.Summary != "They talked." || e.Shown != "" || e.Fate != "summarised" ||
		e.Raw != "Read a.go, 👩 please" || !strings.Contains(string(e.Payload), "Read a.go") {
		t.Errorf("%+v", e)
	}
	long := get[shape.Entry](t, s, "/api/conversations/one/entries/16?offset=239998&limit=9", http.StatusOK)
	if long.Raw != "\ufffd\n" || long.Length != 240_000 || long.Shown != long.Raw || long.ShownLength != long.Length || long.Payload != nil {
		t.Errorf("the end of a long text: %+v", long)
	}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{FromTurn: 2, ToTurn: 2, ToolCalls: &strip}}); err != nil {
		t.Fatal(err)
	}
	if e := get[shape.Entry](t, s, "/api/conversations/one/entries/16?limit=9", http.StatusOK); e.Fate != "stripped" || e.ShownLength >= e.Length || !strings.HasPrefix(e.Shown, "[compacte") {
		t.Errorf("what is left of it: %+v", e)
	}
}

func TestHitsAreMarkedAsABrowserCounts(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	open := created(t, service, "one", talkEntries())
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{Turns: tenfold.Omit, ToTurn: 0}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/conversations/one/search?q=there", "/api/search?q=there"} {
		hits := get[list[shape.Hit]](t, s, path, http.StatusOK).Items
		if len(hits) != 1 || hits[0].Seq != 7 || hits[0].Hidden == nil || !*hits[0].Hidden || hits[0].Title != "about one" ||
			len(hits[0].Marks) != 1 || hits[0].Marks[0] != [2]int{13, 18} {
			t.Errorf("%s: %+v", path, hits)
		}
	}
	if hits := get[list[shape.Hit]](t, s, "/api/search?q=well", http.StatusOK).Items; len(hits) != 2 || *hits[0].Hidden {
		t.Errorf("what is shown: %+v", hits)
	}
}

// What was in the last request that was answered is in the cache, as far as the view
// begins in the same way now.
func TestWhatIsCached(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	entries := append([]tenfold.Entry{{Payload: tenfold.ConfigDelta{Model: "claude-sonnet-4-5"}}}, talkEntries()...)
	open := created(t, service, "one", entries)
	look := func() shape.View { return get[shape.View](t, s, "/api/conversations/one/view", http.StatusOK) }
	v := look()
	// The request before the last "Well." had all but that.
	if v.Cached != v.Total-1 || v.Items[v.Cached].Text != "Well." || v.Items[v.Cached].Kind != "assistant_message" || len(v.Epochs) != 1 || v.Epochs[0].Tokens != 1000 {
		t.Errorf("%d of %d cached, epochs %+v", v.Cached, v.Total, v.Epochs)
	}
	if answered := entries[11].Time; !v.Warm.Equal(answered.Add(5 * time.Minute)) {
		t.Errorf("warm until %v, answered at %v", v.Warm, answered)
	}
	strip := tenfold.ToolPolicy{Action: tenfold.Omit}
	compact := tenfold.Compaction{ToTurn: 0, ToolCalls: &strip, TokensAfter: 77}
	if err := open.Append(t.Context(), tenfold.Entry{ID: "cmp", Payload: compact}); err != nil {
		t.Fatal(err)
	}
	if v = look(); v.Cached != 1 || len(v.Epochs) != 2 || v.Epochs[1].Compaction != "cmp" || v.Epochs[1].Tokens != 77 {
		t.Errorf("%d of %d cached, epochs %+v", v.Cached, v.Total, v.Epochs)
	}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "after"}}); err != nil {
		t.Fatal(err)
	}
	// Changes with no request between them begin one epoch, the last of them says when.
	if err := open.Append(t.Context(), tenfold.Entry{ID: "twice", Payload: compact}, tenfold.Entry{ID: "thrice", Payload: compact}); err != nil {
		t.Fatal(err)
	}
	if v = look(); len(v.Epochs) != 3 || v.Epochs[2].Compaction != "thrice" {
		t.Errorf("epochs %+v", v.Epochs)
	}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "at last"}}); err != nil {
		t.Fatal(err)
	}
	if v = look(); v.Cached != v.Total-1 {
		t.Errorf("after an answer %d of %d cached", v.Cached, v.Total)
	}
	if c := get[shape.Conversation](t, s, "/api/conversations/one", http.StatusOK); c.Status.Epoch != 2 || len(c.Compactions) != 3 || c.Compactions[0].After != 77 {
		t.Errorf("%+v", c)
	}
}

// A view adds up, also where a summary stands in the system prompt.
func TestAViewAddsUp(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	open := created(t, service, "one", talkEntries())
	summary := tenfold.Summary{Text: "It was about this and that.", Placement: tenfold.PlaceSystem}
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{ToTurn: 0, Summary: &summary}}); err != nil {
		t.Fatal(err)
	}
	v := get[shape.View](t, s, "/api/conversations/one/view", http.StatusOK)
	rest := v.Tokens - v.Config
	for _, n := range v.Sizes {
		rest -= n
	}
	if v.Config == 0 || rest < -len(v.Sizes) || rest > len(v.Sizes) {
		t.Errorf("of %d tokens are %d the system prompt's and %d the items'", v.Tokens, v.Config, v.Sizes)
	}
}

func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	day := func(n int) time.Time { return time.Date(2026, 5, n, 12, 0, 0, 0, time.Local) }
	for i, c := range []struct {
		id, dir, tool string
	}{{"a", "/home/x/p", "codex"}, {"b", "/home/x/p/sub", "claude-code"}, {"c", "/home/x/pq", "codex"}, {"d", "", ""}} {
		_, err := service.Create(t.Context(), session.Create{
			ID: c.id, Title: "Title " + strings.ToUpper(c.id), Created: day(i + 1), Origin: store.Origin{Key: "k" + c.id, Directory: c.dir, Tool: c.tool},
			Entries: []tenfold.Entry{{Time: day(i + 1), Payload: tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("word ", 4-i))}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{
		"":                             "d c b a",
		"?project=/home/x/p":           "b a",
		"?tool=codex":                  "c a",
		"?q=title+B":                   "b",
		"?q=pq":                        "c",
		"?since=2026-05-03":            "d c",
		"?until=2026-05-02":            "b a",
		"?sort=tokens":                 "a b c d",
		"?sort=ended":                  "d c b a",
		"?limit=2":                     "d c",
		"?sort=ended&limit=2&cursor=2": "b a",
		"?sort=ended&limit=2&cursor=9": "",
		"?q=nothing":                   "",
		"?tool=codex&until=2026-05-01": "a",
	} {
		got := get[shape.Conversations](t, s, "/api/conversations"+strings.Replace("?totals=true&"+query, "&?", "&", 1), http.StatusOK)
		var ids []string
		for _, c := range got.Items {
			ids = append(ids, c.ID)
		}
		slices.SortStableFunc(ids, func(x, y string) int {
			if strings.HasPrefix(query, "?sort") {
				return 0
			}
			return strings.Compare(y, x) // they were made in the same moment
		})
		if strings.Join(ids, " ") != want {
			t.Errorf("%s: %v, not %s", query, ids, want)
		}
		if len(got.Tools) != 2 || got.Tools[0] != (shape.Facet{Value: "codex", Count: 2}) || len(got.Projects) != 3 {
			t.Errorf("%s: facets %v %v", query, got.Tools, got.Projects)
		}
	}
	page := get[shape.Conversations](t, s, "/api/conversations?limit=1&totals=true", http.StatusOK)
	if all := get[shape.Conversations](t, s, "/api/conversations?totals=true", http.StatusOK); *page.Sums != *all.Sums || page.Sums.Before < 10 || page.Next == "" || all.Next != "" || *page.Total != 4 {
		t.Errorf("%+v and %+v", page, all)
	}
	var ids []string
	for next := ""; ; {
		page := get[shape.Conversations](t, s, "/api/conversations?limit=3&cursor="+next, http.StatusOK)
		for _, c := range page.Items {
			ids = append(ids, c.ID)
		}
		if next = page.Next; page.Total != nil || page.Sums != nil || page.Projects != nil {
			t.Errorf("nobody asked for totals: %+v", page)
		}
		if next == "" {
			break
		}
	}
	if slices.Sort(ids); strings.Join(ids, "") != "abcd" {
		t.Errorf("page by page there are %v", ids)
	}
	for _, cursor := range []string{"1", "MS4y", "eC4xLmE", "a.b.c"} {
		get[shape.Problem](t, s, "/api/conversations?cursor="+cursor, http.StatusBadRequest)
	}
}

// listedOften counts how often the whole list is read.
type listedOften struct {
	store.Store
	whole atomic.Int32
}

func (s *listedOften) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	s.whole.Add(1)
	return s.Store.Conversations(ctx)
}

// What is told of all conversations reads a long list once a minute, whoever asks for
// whichever part of it.
func TestALongListIsReadOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const short = 50
		st := &listedOften{Store: memory.New()}
		defer st.Close()
		for i := range short {
			if err := st.Create(t.Context(), store.Conversation{ID: fmt.Sprint("c", i), Created: time.Unix(int64(i), 0), Stats: store.Stats{TokensBefore: i}}); err != nil {
				t.Fatal(err)
			}
		}
		s, service := server(t, st)
		s.census.short = short
		ask := func(times int32) {
			t.Helper()
			st.whole.Store(0)
			for range 3 {
				if page := get[shape.Conversations](t, s, "/api/conversations?sort=tokens&limit=2", http.StatusOK); page.Items[0].ID != fmt.Sprint("c", short-1) || page.AsOf == nil {
					t.Errorf("%+v", page)
				}
				get[shape.Conversations](t, s, "/api/conversations?totals=true&limit=2", http.StatusOK)
				get[shape.Spendings](t, s, "/api/money", http.StatusOK)
			}
			synctest.Wait()
			if n := st.whole.Load(); n != times {
				t.Errorf("it is read %d times, not %d", n, times)
			}
		}
		get[shape.Spendings](t, s, "/api/money", http.StatusOK)
		synctest.Wait() // the logs are read
		ask(9)          // a short list tells what is there now
		created(t, service, "one more", nil)
		ask(1)
		if all := get[shape.Conversations](t, s, "/api/conversations?totals=true", http.StatusOK); *all.Total != short+1 || time.Since(*all.AsOf) > listStays {
			t.Errorf("%d as of %v", *all.Total, all.AsOf)
		}
		created(t, service, "and more", nil)
		ask(0)
		time.Sleep(listStays + time.Second)
		s.census.mu.Lock()
		kept := s.census.all
		s.census.mu.Unlock()
		if kept != nil {
			t.Error("the list is kept for nobody")
		}
		for version, want := range []bool{true, true, false} { // a log may have been read after the list
			if (&account{row: store.Conversation{Version: 1}}).current(store.Conversation{Version: int64(version)}) != want {
				t.Errorf("of version 1 for %d: not %v", version, want)
			}
		}
		ask(1)
		if all := get[shape.Conversations](t, s, "/api/conversations?totals=true", http.StatusOK); *all.Total != short+2 {
			t.Errorf("%d are there later", *all.Total)
		}
	})
}

// A cursor keeps where a walk stands, and what is no cursor is refused.
func TestCursors(t *testing.T) {
	t.Parallel()
	one, two := &store.Place{Updated: time.Unix(1<<40, 5).UTC(), ID: "a\xff.\x00"}, &store.Place{ID: ""}
	for _, w := range []*listing.Walk{nil, {}, {After: one}, {After: two, Began: one}, {Began: two, Until: one}} {
		if got, err := walkOf(cursorOf(w)); err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("%+v became %+v, %v", w, got, err)
		}
	}
}
