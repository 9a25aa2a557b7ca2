//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"tenfold"
)

// An agent says what a coding agent's log holds: the sizes are distributed as in real
// ones: half of the results are below 300 bytes, one in thirty above 10 KB. A text has
// 52 different words by the KB (real ones 58), and zlib makes 43 % of it (38 %).
type agent struct {
	name   string
	random *rand.Rand
	n      int
	paths  []string
	own    []string // words of the project
	lines  []string // said lately, of which some come again
}

const ownWords = 250

func newAgent(name string, seed uint64) *agent {
	var mixed uint64 = 14695981039346656037
	for _, c := range []byte(name) {
		mixed = (mixed ^ uint64(c)) * 1099511628211
	}
	a := &agent{name: name, random: rand.New(rand.NewPCG(seed, mixed))}
	for len(a.own) < ownWords {
		a.own = append(a.own, a.word())
	}
	for range 12 {
		a.paths = append(a.paths, "internal/"+a.word()+"/"+a.word()+"_"+a.word()+".go")
	}
	return a
}

var common = strings.Fields(`the of to a in is it for and that be with on as err nil return if func error string int not
	test file line build run path name value type this from package import range index len byte struct map key get set new
	open close read write append store log entry version context request response server client token config default
	PASS FAIL ok expected got have want undefined cannot use missing argument call function method interface exit code
	git diff commit branch merge main modified added deleted src lib node npm go mod sum cargo target debug info warn`)

var syllables = strings.Fields(`con ver ta ti on re pro ject ion com pact tor der lay set view log ser ket fix port
	stat map list node tree hash key val par se lex tok fmt buf io net http url json sql row col idx ptr ref lock`)

// word gives a word of a text: a common one, one of the project, which come again and
// again, or now and then one that is seen but once.
func (a *agent) word() string {
	switch n := a.random.IntN(20); {
	case n < 10:
		return common[int(math.Pow(a.random.Float64(), 2)*float64(len(common)))]
	case n < 19 && len(a.own) == ownWords:
		f := a.random.Float64()
		return a.own[int(f*f*ownWords)]
	case n == 19 && a.random.IntN(2) == 0:
		return strconv.Itoa(a.random.IntN(3000))
	}
	var b strings.Builder
	for range 2 + a.random.IntN(3) {
		b.WriteString(syllables[a.random.IntN(len(syllables))])
	}
	return b.String()
}

// size draws a length: half of them are below median.
func (a *agent) size(median, spread float64, most int) int {
	return min(most, 1+int(median*math.Exp(spread*a.random.NormFloat64())))
}

// text gives lines of so many bytes.
func (a *agent) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(a.line())
		b.WriteByte('\n')
	}
	return strings.Clone(b.String()[:size])
}

func (a *agent) line() string {
	if len(a.lines) > 0 && a.random.IntN(4) == 0 {
		return a.lines[a.random.IntN(len(a.lines))]
	}
	var b strings.Builder
	if a.random.IntN(4) == 0 {
		fmt.Fprintf(&b, "%s:%d: ", a.paths[a.random.IntN(len(a.paths))], a.random.IntN(900))
	} else {
		b.WriteString(strings.Repeat("\t", a.random.IntN(3)))
	}
	for range 2 + a.random.IntN(9) {
		b.WriteString(a.word())
		b.WriteString([]string{" ", " ", " ", " ", "(", ".", ", ", " = "}[a.random.IntN(8)])
	}
	if a.lines = append(a.lines, b.String()); len(a.lines) > 40 {
		a.lines = a.lines[1:]
	}
	return b.String()
}

// entry names an entry, so that who appended it, and in which order, is known by its id.
func (a *agent) entry(p tenfold.Payload) tenfold.Entry {
	a.n++
	return tenfold.Entry{ID: fmt.Sprintf("%s-%07d", a.name, a.n), Payload: p}
}

// mark is a word that says whose a message is: nobody says that of another tenant.
func (a *agent) mark() string { return markOf(strings.Split(a.name, ".")[0]) + " " }

func markOf(tenant string) string { return "belongsto" + tenant }

// ask begins a turn.
func (a *agent) ask() []tenfold.Entry {
	return []tenfold.Entry{
		a.entry(tenfold.TurnStart{}),
		a.entry(tenfold.UserMessage{Parts: tenfold.Text(a.mark() + a.text(a.size(120, 1.2, 4000)))}),
	}
}

// step is what a model answers: a text, mostly, and calls of tools.
func (a *agent) step() (answer []tenfold.Entry, calls []string) {
	if a.random.IntN(3) > 0 {
		answer = append(answer, a.entry(tenfold.AssistantMessage{Text: a.text(a.size(93, 1.5, 16_000))}))
	}
	for range 1 + a.random.IntN(4)/3 {
		args := map[string]string{"path": a.paths[a.random.IntN(len(a.paths))]}
		name := []string{"read_file", "grep", "shell", "edit"}[a.random.IntN(4)]
		switch name {
		case "shell":
			args = map[string]string{"command": "go test ./" + args["path"] + " -run " + a.word()}
		case "grep":
			args["pattern"] = a.word()
		case "edit":
			args["old"], args["new"] = a.text(a.size(200, 1.3, 6000)), a.text(a.size(200, 1.3, 6000))
		}
		b, err := json.Marshal(args)
		if err != nil {
			panic(err) // strings are JSON
		}
		e := a.entry(tenfold.ToolCall{Name: name, Arguments: string(b)})
		call := "call_" + e.ID
		e.Payload = tenfold.ToolCall{CallID: call, Name: name, Arguments: string(b)}
		answer, calls = append(answer, e), append(calls, call)
	}
	return answer, calls
}

// result answers a call.
func (a *agent) result(call string) tenfold.Entry {
	return a.entry(tenfold.ToolResult{CallID: call, Parts: tenfold.Text(a.text(a.size(300, 1.95, 50_000))), IsError: a.random.IntN(15) == 0})
}
