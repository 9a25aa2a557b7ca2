package transcript

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
)

func checkInspect(tb testing.TB, data []byte, got []Collected) (all []group) {
	tb.Helper()
	var samples []any
	for i, c := range got {
		entries := c.Entries
		if i == 0 {
			_, logs := recordsIn(tb, entries, "inspect-eval.log")
			samples = cutOut(tb, decodeJSON(tb, data), logs[0], "")
		}
		records, frames := recordsIn(tb, entries, "inspect-eval.log", "inspect-eval.sample")
		checkRecords(tb, cutOut(tb, samples[i], frames[len(frames)-1], ""), records)
		all = append(all, records...)
	}
	if len(samples) != len(got) {
		tb.Errorf("%d conversations of %d samples", len(got), len(samples))
	}
	return all
}

func TestInspectCorpus(t *testing.T) {
	for _, want := range corpustest.Files(t, string(InspectEval)) {
		t.Run(want.Name, func(t *testing.T) {
			data, err := os.ReadFile(want.Path)
			if err != nil {
				t.Fatal(err)
			}
			got := importAll(t, want.Path)
			records := checkInspect(t, data, got)
			n := counts(records)
			have := corpustest.File{
				Conversations: len(got), Msgs: len(records), User: n.user, Assistant: n.assistant,
				Calls: n.calls, Results: n.results, Images: n.images, Errors: n.errors,
			}
			index := corpustest.File{
				Conversations: want.Conversations, Msgs: want.Msgs, User: want.User, Assistant: want.Assistant,
				Calls: want.Calls, Results: want.Results, Images: want.Images, Errors: want.Errors,
			}
			if have != index {
				t.Errorf("counts differ:\n got %+v\nwant %+v", have, index)
			}
			for _, c := range got {
				if len(c.Warnings) > 0 {
					t.Log(c.Warnings)
				}
			}
		})
	}
}

// A log without samples holds no conversation.
func TestInspectWithoutSamples(t *testing.T) {
	for _, file := range corpustest.Files(t) {
		if !strings.HasSuffix(filepath.Base(file.Path), "no-samples.json") {
			continue
		}
		f, err := Open(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		err = Import(context.Background(), f.Source, "", &Collector{})
		if err == nil || !strings.Contains(errorText(err), "holds no samples") {
			t.Errorf("the error is %v", err)
		}
		_ = f.Close()
	}
}
