package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
)

// find gives the hits as "conversation/id", sorted.
func find(t *testing.T, st store.Store, q store.Query) []string {
	t.Helper()
	hits, err := st.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	var out []string
	for _, h := range hits {
		out = append(out, h.Conversation+"/"+h.Entry.ID)
	}
	slices.Sort(out)
	return out
}

// Search finds entries by their raw text, hidden ones included (D4).
func testSearch(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b", "empty")
	add(
		t, st, "a",
		say("said", "The quick brown fox jumps over the lazy dog"),
		tenfold.Entry{ID: "call", Payload: tenfold.ToolCall{CallID: "c1", Name: "read_file", Arguments: `{"path":"src/main.go"}`}},
		tenfold.Entry{ID: "result", Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("package main // brown bread")}},
		tenfold.Entry{ID: "asked", Payload: tenfold.UserMessage{
			Parts:       []tenfold.Part{tenfold.TextPart("look at this")},
			Attachments: []tenfold.Attachment{{Name: "plan.txt", Content: "the attached fox"}},
		}},
		tenfold.Entry{ID: "thought", Payload: tenfold.Reasoning{Text: "hmm, foxes", Provider: "x", Signature: "opaque"}},
		// Hides all of it from a model; a search is over what is raw.
		tenfold.Entry{ID: "overlay", Payload: tenfold.Compaction{
			FromTurn: 0, ToTurn: 5, Turns: tenfold.Omit,
			Summary: &tenfold.Summary{Text: "they spoke of a fox"},
		}},
	)
	add(t, st, "b", say("other", "another fox, brown and quick"))
	for _, test := range []struct {
		text, conversation string
		want               []string
	}{
		{"fox", "", []string{"a/asked", "a/overlay", "a/said", "b/other"}},
		{"FOX", "a", []string{"a/asked", "a/overlay", "a/said"}},
		{"fox", "b", []string{"b/other"}},
		{"fox", "empty", nil},
		{"quick brown", "", []string{"a/said", "b/other"}},
		{"brown   quick", "", []string{"a/said", "b/other"}},
		{`"quick brown"`, "", []string{"a/said"}},
		{`"quick brown" dog`, "", []string{"a/said"}},
		{`"brown quick"`, "", nil},
		{`"brown quick`, "", nil},
		{"quick unicorn", "", nil},
		{"fo", "", nil},
		{"read_file", "", []string{"a/call"}},
		{"src/main.go", "", []string{"a/call"}},
		{"main", "", []string{"a/call", "a/result"}},
		{"plan.txt", "", []string{"a/asked"}},
		{"opaque", "", nil},
		{"", "", nil},
		{" \n\t", "", nil},
		{"!?", "", nil},
	} {
		if got := find(t, st, store.Query{Text: test.text, Conversation: test.conversation}); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q finds %v, not %v", test.text, test.conversation, got, test.want)
		}
	}
	hits, err := st.Search(t.Context(), store.Query{Text: "lazy"})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	if e := hits[0].Entry; e.Seq != 1 || e.Payload.(tenfold.AssistantMessage).Text == "" || !e.Time.Equal(start) {
		t.Errorf("the hit is not the whole entry: %+v", e)
	}
}

// No text is a wrong query, and none does anything but look.
func testSearchSyntax(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(t, st, "a", say("1", "alpha beta NEAR gamma"), say("2", "it's 100% AND 'so' on"))
	for _, text := range []string{
		`"`, `""`, `"""`, `'`, `''`, `*`, `-alpha`, `+alpha`, `alpha*`, `^alpha`, `(alpha`, `alpha)`, `alpha AND`, `OR alpha`, `NOT`,
		`alpha NEAR`, `NEAR(alpha beta, 3)`, `text:alpha`, `{text}: alpha`, `- {text} : x`, `alpha; DROP TABLE entries; --`,
		`' OR '1'='1`, `$1`, `?`, `:x`, `@x`, `\`, `\"`, "a\x00b", "\xff\xfe", "%", "_", "💥", "a\nb", "<->", "alpha & beta", "!alpha", "alpha | beta",
		`"alpha" "beta`, `a"b"c"`, `/* */`, strings.Repeat(`"a `, 300), strings.Repeat("alpha ", 5000), strings.Repeat("x", 100_000),
	} {
		if _, err := st.Search(t.Context(), store.Query{Text: text}); err != nil {
			t.Errorf("%.40q gives %v", text, err)
		}
		if _, err := st.Search(t.Context(), store.Query{Text: text, Conversation: "a"}); err != nil {
			t.Errorf("%.40q in one conversation gives %v", text, err)
		}
	}
	for text, want := range map[string][]string{
		"NEAR": {"a/1"}, "and": {"a/2"}, "alpha OR nothing": nil, "-alpha": {"a/1"}, "alph*": nil, "it's": {"a/2"}, "100%": {"a/2"},
	} {
		if got := find(t, st, store.Query{Text: text}); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, not %v", text, got, want)
		}
	}
	// A query of very many words asks for the first of them at least.
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("w%d", i))
	}
	add(t, st, "a", say("3", strings.Join(many, " ")))
	if got := find(t, st, store.Query{Text: strings.Join(many, " ")}); !slices.Equal(got, []string{"a/3"}) {
		t.Errorf("a long query finds %v", got)
	}
	wantLog(t, st, "a", say("1", "alpha beta NEAR gamma"), say("2", "it's 100% AND 'so' on"), say("3", strings.Join(many, " ")))
}

// Best hits come first, then later entries.
func testSearchOrder(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	filler := strings.Repeat("something else entirely ", 30)
	for i := range 10 {
		add(t, st, "a", say(fmt.Sprintf("filler-%d", i), filler))
	}
	for i, text := range []string{"needle " + filler, "needle", "needle"} {
		e := say(fmt.Sprint(i), text)
		e.Time = start.Add(time.Duration(i) * time.Second)
		add(t, st, "a", e)
	}
	hits, err := st.Search(t.Context(), store.Query{Text: "needle"})
	ok(t, err)
	var got []string
	for _, h := range hits {
		got = append(got, h.Entry.ID)
	}
	if !slices.Equal(got, []string{"2", "1", "0"}) {
		t.Errorf("hits come as %v", got)
	}
}

func testSearchLimit(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	for i := range 60 {
		add(t, st, "a", say(fmt.Sprint(i), "word"))
	}
	for limit, want := range map[int]int{0: store.DefaultLimit, 1: 1, 7: 7, 60: 60, 100: 60} {
		if got := find(t, st, store.Query{Text: "word", Limit: limit}); len(got) != want {
			t.Errorf("limit %d gives %d hits", limit, len(got))
		}
	}
}

// A phrase is found in an old entry, however many newer ones have its words apart.
func testSearchFarBack(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "old", "new")
	add(t, st, "old", say("phrase", "bread and butter"))
	for _, id := range []string{"old", "new"} {
		apart := make([]tenfold.Entry, 1100)
		for i := range apart {
			apart[i] = say(fmt.Sprint(i), "butter and bread")
		}
		add(t, st, id, apart...)
	}
	for _, conversation := range []string{"", "old"} {
		q := store.Query{Text: `"bread and butter"`, Conversation: conversation}
		if got := find(t, st, q); !slices.Equal(got, []string{"old/phrase"}) {
			t.Errorf("%q in %q finds %q", q.Text, conversation, got)
		}
		if got := find(t, st, store.Query{Text: "bread", Conversation: conversation, Limit: 1000}); len(got) != 1000 {
			t.Errorf("of many in %q it finds %d", conversation, len(got))
		}
	}
}

// Snippet is a line of text around the first match, with no line breaks.
func testSearchSnippet(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	long := strings.Repeat("before\r\nit ", 400) + "the\nneedle\u2028in\u2029the\u0085hay\tstack" + strings.Repeat("\nafter", 400)
	add(t, st, "a", say("1", long))
	hits, err := st.Search(t.Context(), store.Query{Text: "needle"})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	s := hits[0].Snippet
	if !strings.Contains(s, "the needle in the hay stack") || strings.ContainsAny(s, "\r\n\t\v\f\u0085\u2028\u2029") || len(s) > 1000 {
		t.Errorf("the snippet is %q", s)
	}
}

// A deleted conversation's entries are found no more.
func testSearchDeleted(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	add(t, st, "a", say("1", "common"), say("2", "common"))
	add(t, st, "b", say("1", "common"))
	if got := find(t, st, store.Query{Text: "common"}); len(got) != 3 {
		t.Errorf("%v were found", got)
	}
	add(t, st, "a", say("3", "common"))
	ok(t, st.Delete(t.Context(), "a", store.AnyVersion))
	create(t, st, "a", "c")
	add(t, st, "c", say("9", "uncommon"))
	if got := find(t, st, store.Query{Text: "common"}); !slices.Equal(got, []string{"b/1"}) {
		t.Errorf("after a deletion %v are found", got)
	}
	if got := find(t, st, store.Query{Text: "common", Conversation: "a"}); len(got) != 0 {
		t.Errorf("in a new conversation %v are found", got)
	}
}

// What was acknowledged can be found at once.
func testSearchGrowing(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a", "b")
	for i := range 20 {
		add(t, st, "a", say(fmt.Sprint(i), fmt.Sprintf("common only%d", i)))
		add(t, st, "b", say(fmt.Sprint(i), "common"))
		if got := find(t, st, store.Query{Text: fmt.Sprintf("only%d", i), Conversation: "a"}); len(got) != 1 {
			t.Fatalf("entry %d is found as %v", i, got)
		}
		if got := find(t, st, store.Query{Text: "common"}); len(got) != 2*(i+1) {
			t.Fatalf("after %d appends %d are found", 2*(i+1), len(got))
		}
	}
}

// Words are found in every script, whatever their case.
func testSearchScripts(t *testing.T, _ *suite, st store.Store) {
	create(t, st, "a")
	add(
		t, st, "a",
		say("greek", "Ο ΣΟΦΌΣ άνθρωπος"), say("russian", "Москва, лето"), say("chinese", "我喜欢吃中文书"), say("japanese", "東京タワーへ"),
		say("thai", "สวัสดีครับ"), say("german", "GRÜẞE aus Köln"), say("broken", "left\xffright \x00zero"),
	)
	for text, want := range map[string]string{
		"σοφός": "greek", "МОСКВА": "russian", "中文": "chinese", "文中": "", "タワー": "japanese", "สวัสดี": "thai", "grüße": "german",
		"köln": "german", "right": "broken", "zero": "broken",
	} {
		var wanted []string
		if want != "" {
			wanted = []string{"a/" + want}
		}
		if got := find(t, st, store.Query{Text: text}); !slices.Equal(got, wanted) {
			t.Errorf("%q finds %v, not %v", text, got, wanted)
		}
	}
}
