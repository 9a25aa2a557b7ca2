package web

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
)

func TestComparisonsOverTheAPI(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	l := logtest.Talk(t, "t", "u read the file", "k it must be read first", `c 1 fs_read_file {"path":"a.go"}`, "r 1 "+strings.Repeat("a line of the file\n", 200), "a It has two hundred lines.")
	entries := append(slices.Collect(l.Entries()), []tenfold.Entry{
		{ID: "cmp_1", Payload: tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
		{ID: "cmp_2", Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: "The file was read."}}},
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("thanks")}},
	}...)
	open := created(t, service, "one", entries)
	at := "/api/conversations/one/compactions/"
	c := get[look.Comparison](t, s, at+"cmp_2", http.StatusOK)
	if c.Compaction != "cmp_2" || c.Version != 8 || c.Tokens.After >= c.Tokens.Before || len(c.Seq) != len(c.Decided) {
		t.Errorf("%+v", c)
	}
	whole := get[look.Comparison](t, s, at+"all", http.StatusOK)
	rows := get[look.ComparedRows](t, s, at+"all/rows?from=1&limit=3&chars=5", http.StatusOK)
	if len(rows.Items) != 3 || rows.Items[0].Index != 1 {
		t.Errorf("%+v", rows)
	}
	for _, row := range rows.Items {
		if utf8.RuneCountInString(row.Before.Text) > 5 || utf8.RuneCountInString(row.After.Text) > 5 {
			t.Errorf("longer than asked for: %+v", row)
		}
	}
	// What comes later changes the whole, and never what one compaction did.
	if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("more")}}); err != nil {
		t.Fatal(err)
	}
	if again := get[look.Comparison](t, s, at+"cmp_2", http.StatusOK); !reflect.DeepEqual(again, c) {
		t.Errorf("%+v became %+v", c, again)
	}
	if again := get[look.Comparison](t, s, at+"all", http.StatusOK); again.Version != 11 || again.Tokens.Before <= whole.Tokens.Before {
		t.Errorf("%+v", again)
	}
	if err := open.Pin(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	for _, row := range get[look.ComparedRows](t, s, at+"cmp_2/rows", http.StatusOK).Items {
		if row.Pinned != (row.Seq == 4 || row.Seq == 5) || row.Label == "" { // a call and its result
			t.Errorf("after entry 5 was pinned: %+v", row)
		}
	}
	for path, status := range map[string]int{"nothing": 404, "e2": 404, "all/rows?limit=201": 422, "all/rows?from=-1": 422} {
		if p := get[shape.Problem](t, s, at+path, status); p.Hint == "" {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestFewComparisonsAreKept(t *testing.T) {
	t.Parallel()
	var k comparisons
	for i := range mostCompared {
		k.add(strconv.Itoa(i), &look.Compared{})
	}
	k.get("0")
	k.add("new", &look.Compared{})
	if k.get("0") == nil || k.get("1") != nil || len(k.made) != mostCompared || len(k.keys) != mostCompared {
		t.Errorf("kept: %v", k.keys)
	}
}
