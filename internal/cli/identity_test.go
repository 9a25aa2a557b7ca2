package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/report"
	"tenfold/problem"
	"tenfold/store/postgres/pgtest"
)

// command runs a command line as somebody, and gives what it prints.
func tenfoldAs(t *testing.T, whose string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &command.App{Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &errs}, Now: time.Now, Whose: whose}
	if code := Execute(context.Background(), a, args); code != command.ExitOK {
		t.Errorf("%s: the exit code is %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// request is a body with turns that read files.
func request(turns int) []byte {
	type call struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"`
		Function map[string]string `json:"function"`
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Calls   []call `json:"tool_calls,omitempty"`
		CallID  string `json:"tool_call_id,omitempty"`
	}
	var all []message
	for i := range turns {
		id := fmt.Sprintf("c%d", i)
		var file strings.Builder
		for j := range 60 {
			fmt.Fprintf(&file, "line %d of file %d func Foo%d()\n", j, i, i*j)
		}
		all = append(
			all,
			message{Role: "user", Content: fmt.Sprintf("please look at file %d", i)},
			message{Role: "assistant", Calls: []call{{id, "function", map[string]string{"name": "read", "arguments": fmt.Sprintf(`{"path":"f%d.go"}`, i)}}}},
			message{Role: "tool", CallID: id, Content: file.String()},
			message{Role: "assistant", Content: fmt.Sprintf("done with %d", i)},
			message{Role: "assistant", Content: " \n\t\n "}, // blank, as some models say
		)
	}
	data, err := json.Marshal(map[string]any{"model": "m", "messages": all})
	if err != nil {
		panic(err)
	}
	return data
}

func save(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What "compact FILE" reports is what the store then holds, when the file has
// grown since the last run and when other things were done to the conversation
// as well: overlays name the entries that they were made for.
func TestCompactFileReportsWhatIsStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	file := filepath.Join(dir, "request.json")
	check := func(step string, args ...string) {
		t.Helper()
		got := result[compaction.Report](t, tenfoldAs(t, "", append([]string{"compact", file, "--json"}, args...)...))
		listed := result[struct {
			ID     string        `json:"id"`
			Tokens report.Tokens `json:"tokens"`
		}](t, strings.SplitAfter(tenfoldAs(t, "", "conversation", "ls", "--json"), "\n")[0])
		if got.Conversation != listed.ID || got.Tokens != listed.Tokens {
			t.Errorf("%s: reported %s with %+v, stored %s with %+v", step, got.Conversation, got.Tokens, listed.ID, listed.Tokens)
		}
		again := result[compaction.Report](t, tenfoldAs(t, "", append([]string{"compact", file, "--json"}, args...)...))
		if again.Tokens != got.Tokens {
			t.Errorf("%s: again it reports %+v, not %+v", step, again.Tokens, got.Tokens)
		}
	}
	save(t, file, request(6))
	check("first", "--target", "1500")
	save(t, file, request(9))
	check("grown", "--target", "2000")
	tenfoldAs(t, "", "conversation", "pin", "5")
	check("pinned", "--target", "2000")
	tenfoldAs(t, "", "conversation", "compact", "--from", "3", "--to", "4", "--summary", "two files were read")
	check("with a summary beside", "--target", "2500")
	save(t, file, request(12))
	check("grown again", "--strategy", "micro:keep_recent=2")
	check("with settings", "--cfg", "conversation.compaction.keep_last=1")
	save(t, file, request(4))
	check("cut", "--target", "1500")
}

// Two people import a file of one path and name, that begins alike, into one
// database at once: each exports what was theirs.
func TestTwoPeopleOnPostgreSQL(t *testing.T) {
	t.Setenv("TENFOLD_STORE", pgtest.Start(t).Database(t))
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // made before anybody writes to it
	file := filepath.Join(t.TempDir(), "request.json")
	body := func(texts ...string) []byte {
		var messages []string
		for i, text := range texts {
			messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, [...]string{"user", "assistant"}[i%2], text))
		}
		return []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`)
	}
	save(t, file, body("hello", "hello to you"))
	ids := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, whose := range []string{"ada@here", "bob@there"} {
		for range 3 {
			wg.Go(func() {
				got := result[importedJSON](t, tenfoldAs(t, whose, "conversation", "import", file, "--json"))
				mu.Lock()
				defer mu.Unlock()
				if id := ids[whose]; id != "" && id != got.Conversation {
					t.Errorf("%s has %s and %s", whose, id, got.Conversation)
				}
				ids[whose] = got.Conversation
			})
		}
	}
	wg.Wait()
	if ids["ada@here"] == ids["bob@there"] {
		t.Fatalf("both have %s", ids["ada@here"])
	}
	save(t, file, body("hello", "hello to you", "what only bob says"))
	if got := result[importedJSON](t, tenfoldAs(t, "bob@there", "conversation", "import", file, "--json")); got.Conversation != ids["bob@there"] || got.New == 0 {
		t.Errorf("bob's file is %+v", got)
	}
	for whose, other := range map[string]bool{"ada@here": false, "bob@there": true} {
		text := tenfoldAs(t, whose, "conversation", "export", ids[whose], "--to", "openai-chat")
		if strings.Contains(text, "what only bob says") != other {
			t.Errorf("%s exports %s", whose, text)
		}
	}
}

// A file that another process found longer, and has imported so far, is read
// again: it is not taken for one that was cut.
func TestFileThatGrowsWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	file := filepath.Join(dir, "request.json")
	save(t, file, request(2))
	var out bytes.Buffer
	a := &command.App{Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&out), Err: &out, Quiet: true}, Now: time.Now}
	Root(a)
	l, err := a.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	reads := 0
	var last transcripts.Located
	err = transcripts.Steadily(func() error {
		return transcripts.Read(t.Context(), a, file, "", "", "--from", false, func(in transcripts.Imported) error {
			if reads++; reads == 1 { // meanwhile
				save(t, file, request(3))
				tenfoldAs(t, "", "conversation", "import", file)
			}
			var err error
			last, err = transcripts.Put(t.Context(), a, l, in)
			return err
		})
	})
	if err != nil || reads != 2 || last.Parted != nil || last.Added != 0 {
		t.Errorf("read %d times, %+v, %v", reads, last, err)
	}
	// One that never comes to rest is told.
	err = transcripts.Steadily(func() error { return transcripts.ErrChanged })
	var f *problem.Error
	if !errors.As(err, &f) || f.Hint == "" {
		t.Errorf("the error is %v", err)
	}
}

// What commands print with --json, as far as tests read it.
type (
	tokensJSON struct {
		Before int    `json:"before"`
		After  int    `json:"after"`
		Method string `json:"method"`
	}
	listedJSON struct {
		ID        string     `json:"id"`
		Title     string     `json:"title"`
		Turns     int        `json:"turns"`
		Entries   int64      `json:"entries"`
		Tokens    tokensJSON `json:"tokens"`
		Active    bool       `json:"active"`
		Updated   time.Time  `json:"updated"`
		Tool      string     `json:"tool"`
		Directory string     `json:"directory"`
		Began     time.Time  `json:"began"`
		Ended     time.Time  `json:"ended"`
	}
	shownJSON struct {
		Model       string           `json:"model"`
		Tokens      tokensJSON       `json:"tokens"`
		Compactions []report.Overlay `json:"compactions"`
	}
	diffedJSON struct {
		Seq    int64  `json:"seq"`
		Turn   int    `json:"turn"`
		Step   int    `json:"step"`
		Kind   string `json:"kind"`
		Fate   string `json:"fate"`
		By     string `json:"by"`
		Why    string `json:"why"`
		Before int    `json:"tokens_before"`
		After  int    `json:"tokens_after"`
	}
	importedJSON struct {
		Conversation string `json:"conversation"`
		New          int    `json:"new"`
	}
)

// listeningJSON is where "serve" and "proxy" can be reached.
type listeningJSON struct {
	Address string `json:"address"`
	Bases   []struct {
		URL string `json:"url"`
	} `json:"bases"`
}
