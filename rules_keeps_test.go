package tenfold_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"tenfold"
)

// A rest that says so hides what a person typed as well, unless it is named; what P9
// shields and standing instructions stay (P8a).
func TestP5RestHidesRequestsWhereItSaysSo(t *testing.T) {
	entries := append(spoken(), context("<env>dir: /work</env>"))
	keep := map[int64]tenfold.TextTrim{8: {Action: tenfold.Keep}}
	for name, c := range map[string]struct {
		policy tenfold.TextPolicy
		want   []string
	}{
		"not said":     {tenfold.TextPolicy{Rest: tenfold.Omit}, []string{"2 kept", "8 kept", "11 kept", "4 omitted by", "3 omitted by"}},
		"said":         {tenfold.TextPolicy{Rest: tenfold.Omit, Requests: true, Entries: keep}, []string{"2 omitted by", "8 kept", "11 kept", "4 omitted by", "3 omitted by"}},
		"without rest": {tenfold.TextPolicy{Requests: true, Entries: map[int64]tenfold.TextTrim{3: {Action: tenfold.Omit}}}, []string{"2 kept", "8 kept", "4 kept", "3 omitted by"}},
	} {
		t.Run(name, func(t *testing.T) {
			holdsFates(t, project(t, append(entries[:len(entries):len(entries)], texts("by", c.policy))...), c.want)
		})
	}
	c := tenfold.Compaction{ToTurn: 1, ToStep: new(0), Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Omit, Requests: true}}
	holdsFates(t, project(t, append(entries, overlay("by", c))...), []string{"2 omitted by", "8 kept"})
}

// What an omission leaves alone older and newer overlays may still shorten; the form
// comes back from JSON as it was.
func TestKeepsCallsAndMessages(t *testing.T) {
	c := tenfold.Compaction{ToTurn: 1, Turns: tenfold.Omit, Keeps: &tenfold.Keeps{Entries: []int64{2, 3, 6, 77}}}
	named := texts("named", tenfold.TextPolicy{Entries: map[int64]tenfold.TextTrim{3: {Action: tenfold.Trim, Lines: lines(1, 1)}}})
	for name, order := range map[string][]tenfold.Entry{"before": {named, overlay("by", c)}, "after": {overlay("by", c), named}} {
		t.Run(name, func(t *testing.T) {
			holdsFates(t, project(t, append(spoken(), order...)...), []string{"2 kept", "3 trimmed named", "4 omitted by", "5 omitted by", "6 kept", "8 omitted by", "9 omitted by", "10 kept"})
		})
	}
	text, err := tenfold.MarshalPayload(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := tenfold.UnmarshalPayload(tenfold.KindCompaction, text)
	if err != nil || !reflect.DeepEqual(back, tenfold.Payload(c)) {
		t.Errorf("%s comes back as %+v, %v", text, back, err)
	}
}

// holdsFates wants entries to have fates: "2 omitted by", the seq and the overlay.
func holdsFates(t *testing.T, p *tenfold.Projection, want []string) {
	t.Helper()
	for _, one := range want {
		at, _, _ := strings.Cut(one, " ")
		seq, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "fate", at+" "+fateOf(p, seq), one)
	}
}
