package clients

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/test/modelserver"
)

// program is tenfold, built once and without the race detector, under which its
// hundreds of runs here would take minutes; package cli's own tests have it.
var program = sync.OnceValues(func() (string, error) {
	out := filepath.Join(shared, "tenfold")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, "tenfold/cmd/tenfold")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build tenfold: %w\n%s", err, said)
	}
	return out, err
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tenfold-clients")
	if err != nil {
		panic(err)
	}
	shared = dir
	// Clients take half of a processor, and wait for the rest of their time: twice as many at once
	// as there are processors keep these busy.
	flag.Parse()
	if atOnce := flag.Lookup("test.parallel"); atOnce.Value.String() == atOnce.DefValue {
		_ = atOnce.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// tenfold runs the command line with a store and a configuration of the
// place's own, and gives standard output and standard error.
func (p *Place) tenfold(args ...string) (string, string) {
	p.tb.Helper()
	exe, err := program()
	if err != nil {
		p.tb.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = p.Dir
	data := p.data()
	// What the tests are told is not a configuration of tenfold's.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TENFOLD_") })
	cmd.Env = append(env, "HOME="+p.Home, "XDG_DATA_HOME="+data, "XDG_CONFIG_HOME="+data, "TMPDIR="+p.temporary(), "TZ=UTC")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.tb.Fatalf("tenfold %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// work is a session with thinking, a call, parallel calls, and one that fails.
func work(c Client, dir string) modelserver.Script {
	file := filepath.Join(dir, "greet.go")
	return modelserver.Sequence(
		modelserver.Thinking("First the module.", modelserver.Saying("I look at the module.", modelserver.Calls(c.Reads(filepath.Join(dir, "go.mod"))))),
		modelserver.Calls(c.Reads(file), c.Runs("ls "+dir)),
		modelserver.Calls(c.Runs("cat "+filepath.Join(dir, "missing.go"))),
		modelserver.Text("The module demo has one function, Greet."),
	)
}

// placed makes a place of a client whose server answers by a script that
// knows the place.
func placed(t *testing.T, c Client, script func(p *Place) modelserver.Script) *Place {
	t.Helper()
	var answer atomic.Pointer[modelserver.Script]
	p := At(t, c, modelserver.New(func(r modelserver.Request) modelserver.Reply { return (*answer.Load())(r) }))
	made := script(p)
	answer.Store(&made)
	return p
}

// made lets a client work in a new place.
func made(t *testing.T, c Client) (*Place, Session) {
	t.Helper()
	p := placed(t, c, func(p *Place) modelserver.Script { return work(c, p.Dir) })
	session, _ := p.Begin("What does this module do?")
	return p, session
}

// last is the history of the newest request of a conversation that was
// answered.
func (p *Place) last() modelserver.Request {
	p.tb.Helper()
	for _, r := range p.Server.Problems() {
		p.tb.Errorf("%s: refused: %v", p.Client.Name, r.Problem)
	}
	main := p.Server.Main()
	if len(main) == 0 {
		p.tb.Fatalf("%s sent nothing", p.Client.Name)
	}
	return main[len(main)-1]
}

// stored imports what the client keeps, and gives the conversation's id.
func (p *Place) stored(s Session) string {
	p.tb.Helper()
	from := s.Path
	args := []string{"conversation", "import", "--json", "--from", p.Client.Name}
	if from != "" {
		args = append(args, from)
	}
	out, _ := p.tenfold(args...)
	var id struct {
		Conversation string `json:"conversation"`
	}
	if err := unmarshalFirst(out, &id); err != nil {
		p.tb.Fatalf("%v: %s", err, out)
	}
	return id.Conversation
}

// imported holds that nothing a model was sent is lost: the whole conversation
// as a request says what the client's own last request said, and the model's
// last answer.
func imported(t *testing.T, p *Place, id string) {
	importedAs(t, p, id, "The module demo has one function, Greet.")
}

// importedAs does so for a session whose last answer is the given one; with
// --compacted for what is left of it after the client compacted it.
func importedAs(t *testing.T, p *Place, id, answer string, flags ...string) {
	c := p.Client
	want := append(History(p.last(), true), Line{Role: "assistant", Kind: "text", Text: answer})
	body, _ := p.tenfold(append([]string{"conversation", "export", id, "--to", string(c.Wire)}, flags...)...)
	r, problem := modelserver.Read(c.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	same(t, want, History(r, true))
}

// same compares histories.
func same(t *testing.T, want, got []Line) {
	t.Helper()
	if !slices.Equal(want, got) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(shown(want), shown(got)))
	}
}

func shown(lines []Line) []string {
	var list []string
	for _, l := range lines {
		list = append(list, l.String())
	}
	return list
}
