package tool

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Subsumer tells whether later calls of a tool make earlier ones needless.
//
// Subsumes is asked about pairs: whether later[i] subsumes earlier[i], both
// the arguments of calls of the named tool as the model wrote them. It answers
// each pair; when in doubt, no. Its error is the context's and nothing else:
// a tool that cannot answer has answered no (H2). Implementations are safe for
// concurrent use and keep none of the slices.
type Subsumer interface {
	Subsumes(ctx context.Context, tool string, earlier, later []string) ([]bool, error)
}

// A Runner runs tools that live outside the program.
//
// Run starts the named tool, gives it stdin to its end, and returns what it
// wrote to standard output once it has ended well; an error says that there is
// no such tool, that it could not be run, or that it ended badly. When ctx is
// done the tool is ended and the error is the context's. Runners are safe for
// concurrent use.
type Runner interface {
	Run(ctx context.Context, tool string, stdin []byte) (stdout []byte, err error)
}

// DefaultLimit is how long a tool may think about one pair of calls.
const DefaultLimit = 5 * time.Second

// giveUpAfter is how many answers in a row a tool may fail to give before the
// rest of a batch counts as no: n broken calls are not to cost n limits.
const giveUpAfter = 3

// An Asker asks the tools themselves (H2): one JSON document on standard
// input, one on standard output, for each pair.
type Asker struct {
	Runner Runner
	// Limit bounds each question; 0 is [DefaultLimit].
	Limit time.Duration
}

// question is the document of H2.
type question struct {
	Tool struct {
		Name      string `json:"name"`
		Action    string `json:"action"`
		Arguments struct {
			Earlier jsontext.Value `json:"earlier"`
			Later   jsontext.Value `json:"later"`
		} `json:"arguments"`
	} `json:"tool"`
}

// newQuestion asks whether a later call of a tool subsumes an earlier. Arguments
// that are not JSON cannot be asked about.
func newQuestion(tool, earlier, later string) ([]byte, error) {
	var q question
	q.Tool.Name, q.Tool.Action = tool, "subsumes"
	// A call without arguments has an empty object.
	q.Tool.Arguments.Earlier = jsontext.Value(cmp.Or(earlier, "{}"))
	q.Tool.Arguments.Later = jsontext.Value(cmp.Or(later, "{}"))
	return json.Marshal(q)
}

// Answer reads a tool's answer: yes is {"type":"success","content":"true"},
// with whatever other members, and anything else is no.
func Answer(document []byte) bool {
	var a struct {
		Type    jsontext.Value `json:"type"`
		Content jsontext.Value `json:"content"`
	}
	if json.Unmarshal(document, &a) != nil {
		return false
	}
	kind, _ := stringOf(a.Type)
	content, _ := stringOf(a.Content)
	return kind == "success" && content == "true"
}

// Subsumes implements [Subsumer]. A tool that fails, hangs past the limit or
// answers anything else says no.
func (a Asker) Subsumes(ctx context.Context, tool string, earlier, later []string) ([]bool, error) {
	answers := make([]bool, min(len(earlier), len(later)))
	failed := 0
	for i := range answers {
		if failed == giveUpAfter {
			break
		}
		document, err := newQuestion(tool, earlier[i], later[i])
		if err != nil {
			continue
		}
		out, hung, err := a.ask(ctx, tool, document)
		if ctx.Err() != nil {
			return answers, ctx.Err()
		}
		switch {
		case hung:
			return answers, nil // it would hang again
		case err != nil:
			failed++
		default:
			failed = 0
			answers[i] = Answer(out)
		}
	}
	return answers, nil
}

func (a Asker) ask(ctx context.Context, tool string, document []byte) (out []byte, hung bool, err error) {
	if a.Runner == nil {
		return nil, true, nil
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(a.Limit, DefaultLimit))
	defer cancel()
	out, err = a.Runner.Run(limited, tool, document)
	return out, limited.Err() != nil, err
}
