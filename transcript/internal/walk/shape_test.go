package walk

import "testing"

func TestShape(t *testing.T) {
	var s Scanner
	var id, name string
	var count int
	var on, called bool
	var rate float64
	var place, inside Span
	read := func(text string) {
		id, name, count, on, called, rate, place, inside = "", "", 0, false, false, 0, Span{}, Span{}
		s.Reset([]byte(text))
		Shape{
			"id", &id,
			"count", &count,
			"on", &on,
			"rate", &rate,
			"place", &place,
			"inner", Inner("name", &name, "place", &inside),
			"own", func() {
				called = true
				s.Value()
			},
		}.Read(&s)
		s.End()
	}

	read(` {"id": "a\"b", "count": 3, "on": true, "rate": 0.5, "other": {"id": "no"}, "place": [1, 2],
		"inner": {"name": "n", "id": "no", "place": null}, "own": {"id": "no"}} `)
	if s.Err != nil || s.Twice {
		t.Fatal(s.Err, s.Twice)
	}
	if id != `a"b` || count != 3 || !on || rate != 0.5 || name != "n" || !called {
		t.Error(id, count, on, rate, name, called)
	}
	if string(place.Of(s.Raw)) != "[1, 2]" || string(inside.Of(s.Raw)) != "null" {
		t.Errorf("%s, %s", place.Of(s.Raw), inside.Of(s.Raw))
	}

	read(`{"id": "a", "id": 1, "count": "x", "on": 1, "rate": {}, "inner": ["name", "n"]}`)
	if s.Err != nil || s.Twice || id != "" || count != 0 || on || rate != 0 || name != "" {
		t.Error("values of other kinds: ", s.Err, s.Twice, id, count, on, rate, name)
	}

	if read(`{"place": 1, "place": 2}`); s.Err != nil || !s.Twice || string(place.Of(s.Raw)) != "2" {
		t.Error("a place that comes twice: ", s.Err, s.Twice, place)
	}
	if read(`["id", "a"]`); s.Err != nil || s.Twice || id != "" {
		t.Error("not an object: ", s.Err, s.Twice, id)
	}
	for _, cut := range []string{`{"id`, `{"id":`, `{"place": [1,`, `{"inner": {"name": "n"`, `{"own": `} {
		if read(cut); s.Err == nil {
			t.Errorf("%s: no error", cut)
		}
	}
}

func TestSpliceIn(t *testing.T) {
	raw := []byte(`[{"a":"long"},{"b":"longer"}]`)
	got := SpliceIn(raw, Span{14, 28}, []Cut{{Span{19, 27}, CutText}})
	if want := `{"b":""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A list is read item by item, and any other value is a place; a text that is
// wanted once says so when it comes again.
func TestListsAndTextsOnce(t *testing.T) {
	var s Scanner
	var role string
	var content Span
	var items []string
	read := func(text string) {
		role, content, items = "", Span{}, nil
		s.Reset([]byte(text))
		Shape{
			"role",
			Once{&role},
			"content",
			List{&content, func() { items = Items(&s, items, func(item *string) { *item = s.Text() }) }},
		}.Read(&s)
		s.End()
	}

	if read(`{"role": "user", "content": ["a", 1, "b"]}`); s.Err != nil || s.Twice || role != "user" || content != Elsewhere || len(items) != 3 || items[2] != "b" {
		t.Error(s.Err, s.Twice, role, content, items)
	}
	if read(`{"content": "text"}`); s.Err != nil || s.Twice || items != nil || string(content.Of(s.Raw)) != `"text"` {
		t.Error(s.Err, s.Twice, content, items)
	}
	for _, twice := range []string{`{"role": "a", "role": "b"}`, `{"content": [], "content": 1}`, `{"content": 1, "content": []}`} {
		if read(twice); s.Err != nil || !s.Twice {
			t.Errorf("%s: %v, %v", twice, s.Err, s.Twice)
		}
	}
}
