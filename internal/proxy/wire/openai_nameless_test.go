package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// withoutIDs is a request with an answer of n calls without ids, and their results, which
// name no tool either.
func withoutIDs(t testing.TB, n int) *wire.Request {
	t.Helper()
	calls, results := make([]string, n), make([]string, n)
	for i := range n {
		calls[i] = fmt.Sprintf(`{"type":"function","function":{"name":"tool_%d","arguments":"{}"}}`, i)
		results[i] = fmt.Sprintf(`{"role":"tool","content":"result %d"}`, i)
	}
	body := `{"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":null,"tool_calls":[` +
		strings.Join(calls, ",") + `]},` + strings.Join(results, ",") + `]}`
	r, err := wire.OpenAIChat{}.Scan("", []byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll reads all messages of a request.
func readAll(t testing.TB, r *wire.Request) (all []tenfold.Entry) {
	t.Helper()
	for i := range r.Messages {
		pieces, err := wire.OpenAIChat{}.Read(r, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			all = append(all, p.Entry)
		}
	}
	return all
}

// X9: what it takes to find the calls of results grows as their number does.
func TestX9ResultsWithoutIDsAreReadInLinearTime(t *testing.T) {
	cost := func(n int) float64 {
		return testing.AllocsPerRun(1, func() { readAll(t, withoutIDs(t, n)) })
	}
	if few, many := cost(50), cost(400); many > 16*few {
		t.Errorf("400 results take %.0f allocations, 50 take %.0f", many, few)
	}
}

// A copy of a request may have some of its messages only: each result answers the same
// call in it, whichever is read first.
func TestX2CopiesOfARequestFindTheSameCalls(t *testing.T) {
	t.Parallel()
	whole := withoutIDs(t, 5)
	for _, part := range [][2]int{{0, 4}, {3, 7}, {4, 5}, {0, 7}} {
		r := *whole
		r.Messages = whole.Messages[part[0]:part[1]]
		for i, e := range readAll(t, &r) {
			if result, ok := e.Payload.(tenfold.ToolResult); ok {
				if want := strings.Replace(result.Parts[0].Text, "result ", "tool_", 1); result.CallID != want {
					t.Errorf("message %d of those from %d on answers %q: %s", i, part[0], result.CallID, result.Parts[0].Text)
				}
			}
		}
	}
}

// BenchmarkX9WithoutIDs is what a result without an id costs among so many of one answer.
func BenchmarkX9WithoutIDs(b *testing.B) {
	for _, n := range []int{250, 1000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				readAll(b, withoutIDs(b, n))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/result")
		})
	}
}
