package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold/eval"
)

// V4: a plan is held against the requests after the cut. Here micro hides three
// results; the first request after the cut uses a name of one of them, the third
// a name of another.
func TestV4HeldOutByHand(t *testing.T) {
	rest := strings.Repeat("and more of the same that fills the result up to its size\n", 20)
	k := newTalk(t).user("go")
	for i := range 4 {
		k.runs(fmt.Sprint("cat ", i), fmt.Sprintf("func name_%d(ctx) error\n%s", i, rest))
	}
	k.runs("grep name_0", "none").runs("pwd", "there").runs("grep name_1", "none").runs("ls", "x")
	s := eval.Open(k.log())
	p, err := eval.ParsePolicy("micro:keep_recent=1")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := s.HeldOut(t.Context(), eval.Options{Policies: []eval.Policy{p}, Cuts: []int{45}, Horizons: []int{eval.All}, HeldOut: 2})
	if err != nil || len(cells) != 1 {
		t.Fatalf("%v, %d cells", err, len(cells))
	}
	c := cells[0]
	// name_0 was used within two requests: it is kept, and name_1 is still lost.
	if c.Used != 1 || c.Lost != 1 || c.Left != 0 || value(t, c.Early.Prepared) != 0 || value(t, c.Early.Committed) != 1 ||
		value(t, c.Late.Prepared) != 0 || value(t, c.Late.Committed) != 0 || c.Committed <= c.Prepared {
		t.Errorf("%+v", c)
	}
	// Within one request of the end there is nothing to hold it against.
	cells, err = s.HeldOut(t.Context(), eval.Options{Policies: []eval.Policy{p}, Cuts: []int{45}, Horizons: []int{eval.All}, HeldOut: 5})
	if err != nil || len(cells) != 0 {
		t.Errorf("%v, %d cells past the end", err, len(cells))
	}
}

// A run with held-out commits has a table of them, over the strategies alone.
func TestV4HeldOutTable(t *testing.T) {
	files := []eval.File{{Path: "../examples/session.jsonl", Name: "one", Source: "a"}}
	o := eval.Options{Policies: policies(t, "none", "fit:target=10%"), Cuts: []int{50}, Horizons: []int{30}, HeldOut: 3}
	r, err := eval.Run(t.Context(), files, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Summarise()
	if len(s.HeldOut) != 1 || s.HeldOut[0].Policy != "fit:target=10%" || s.HeldOut[0].Cuts != 1 {
		t.Fatalf("%+v", s.HeldOut)
	}
	tables := r.Tables(s)
	at := slices.IndexFunc(tables, func(t eval.Table) bool { return t.Title == "Held-out commit after 3 requests" })
	if at < 0 || len(tables[at].Rows) != 1 || len(tables[at].Rows[0].Cells) != len(tables[at].Columns) {
		t.Fatalf("%+v", tables)
	}
	o.HeldOut = 0
	if r, err = eval.Run(t.Context(), files, o, nil); err != nil || len(r.Summarise().HeldOut) != 0 {
		t.Errorf("%v, measured without being asked", err)
	}
}
