package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// geminiAnswered reads a request with the parts of an answer and its results, and gives the ids
// of its calls and, with what each says, of its results. A "|" parts contents.
func geminiAnswered(t testing.TB, calls, results string) (ids, answers []string) {
	t.Helper()
	contents := func(role, parts string) string {
		return `{"role":"` + role + `","parts":[` + strings.ReplaceAll(parts, "|", `]},{"role":"`+role+`","parts":[`) + `]}`
	}
	r, err := wire.Gemini{}.Scan("", []byte(`{"contents":[`+contents("user", `{"text":"go"}`)+","+contents("model", calls)+","+contents("user", results)+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Messages {
		only := *r // as a copy has some of the messages only
		only.Messages = r.Messages[i : i+1]
		pieces, err := wire.Gemini{}.Read(&only, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			switch p := p.Entry.Payload.(type) {
			case tenfold.ToolCall:
				ids = append(ids, p.CallID)
			case tenfold.ToolResult:
				answers = append(answers, p.CallID+" "+p.Parts[0].Text)
			}
		}
	}
	return ids, answers
}

func geminiCall(id, tool string) string {
	return fmt.Sprintf(`{"functionCall":{%s"name":"%s","args":{}}}`, id, tool)
}

func geminiResult(id, tool, text string) string {
	return fmt.Sprintf(`{"functionResponse":{%s"name":"%s","response":{"output":"%s"}}}`, id, tool, text)
}

// X2: results find their calls also where a client sends a stream back as a content for each
// chunk, or a content for each result, and where a server gives calls the same id.
func TestX2CallsOfGeminiInManyContents(t *testing.T) {
	t.Parallel()
	const p, q = `"id":"p",`, `"id":"q",`
	for name, c := range map[string]struct{ calls, results, ids, answers string }{
		"a content for each result": {
			geminiCall(p, "r") + "," + geminiCall(q, "r"), geminiResult(q, "r", "of q") + "|" + geminiResult(p, "r", "of p"),
			"r/1 r/2", "r/2 of q r/1 of p",
		},
		"a content for each, without ids": {
			geminiCall("", "r") + "," + geminiCall("", "r"), geminiResult("", "r", "one") + "|" + geminiResult("", "r", "two"),
			"r/1 r/2", "r/1 one r/2 two",
		},
		"a content for each chunk": {
			geminiCall(p, "r") + `|{"text":"And"}|` + geminiCall(q, "r"), geminiResult(q, "r", "of q") + "," + geminiResult(p, "r", "of p"),
			"r/1 r/2", "r/2 of q r/1 of p",
		},
		"one id of two tools": {
			geminiCall(p, "r") + "," + geminiCall(p, "w"), geminiResult(p, "w", "of w") + "," + geminiResult(p, "r", "of r"),
			"r/1 w/1", "w/1 of w r/1 of r",
		},
		"another name": {
			geminiCall(p, "r") + "," + geminiCall(q, "w"), geminiResult(q, "r", "of q") + "," + geminiResult(p, "w", "of p"),
			"r/1 w/1", "w/1 of q r/1 of p",
		},
	} {
		ids, answers := geminiAnswered(t, c.calls, c.results)
		if got, is := strings.Join(ids, " "), strings.Join(answers, " "); got != c.ids || is != c.answers {
			t.Errorf("%s: the calls are %s, the results %s", name, got, is)
		}
	}
}

// X9: what it takes to find the calls of results grows as their number does.
func TestX9CallsOfGeminiInManyContentsAreReadInLinearTime(t *testing.T) {
	cost := func(n int) float64 {
		calls, results := make([]string, n), make([]string, n)
		for i := range n {
			calls[i], results[i] = geminiCall("", "r"), geminiResult("", "r", "x")
		}
		return testing.AllocsPerRun(1, func() { geminiAnswered(t, strings.Join(calls, "|"), strings.Join(results, "|")) })
	}
	if few, many := cost(50), cost(400); many > 16*few {
		t.Errorf("400 results take %.0f allocations, 50 take %.0f", many, few)
	}
}
