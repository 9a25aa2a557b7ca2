package mcpclient_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"tenfold"
	"tenfold/problem"
	"tenfold/toolbox"
	"tenfold/toolbox/mcpclient"
)

// The test's own binary is the server: what it does is in a variable.
const modeVariable = "TENFOLD_TEST_MCP"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(modeVariable); mode {
	case "":
		goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/modelcontextprotocol/go-sdk/mcp.(*streamableServerConn).Read")) // the service of a test that is replaced in use
	case "silent":
		time.Sleep(time.Minute)
	case "garbage":
		fmt.Println("Welcome to my server!")
		time.Sleep(time.Minute)
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot find the database")
		os.Exit(3)
	default:
		if file := os.Getenv("TENFOLD_TEST_PID"); file != "" {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(f, os.Getpid())
			f.Close()
		}
		if mode == "deaf" { // does not end when it should
			defer time.Sleep(time.Minute)
		}
		var in io.ReadCloser = os.Stdin
		if mode == "stuck" { // reads the beginning of a long call, and no more
			in = &stuckReader{in}
		}
		s := newServer()
		if mode == "wide" {
			s.AddTool(&mcp.Tool{Name: "wide", InputSchema: json.RawMessage(`{"type":"object","description":"` + strings.Repeat("x", 70000) + `"}`)}, nil)
		}
		if mode == "chatty" { // as programs are that forget who reads
			fmt.Println("Server \"chatty\" started on stdio [pid 7]")
			s.AddTool(&mcp.Tool{Name: "chat", InputSchema: object}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				fmt.Println("[debug] called\n}\n\"")
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "well {[\"\\"}}}, nil
			})
		}
		if mode == "many" {
			for i := range 70 {
				s.AddTool(&mcp.Tool{Name: fmt.Sprintf("more_%02d", i), InputSchema: json.RawMessage(`{"type":"object","anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"a":{"type":["string","null"]}}}}}`)}, nil)
			}
		}
		_ = s.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: os.Stdout})
	}
}

type stuckReader struct{ io.ReadCloser }

func (r *stuckReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if bytes.Contains(p[:n], []byte("xxxx")) {
		select {}
	}
	return n, err
}

func picture(width, height int) []byte {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

var object = json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}`)

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	add := func(name string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".\x1b[31m", InputSchema: object, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "echo"}}, h)
	}
	text := func(texts ...string) *mcp.CallToolResult {
		r := &mcp.CallToolResult{}
		for _, t := range texts {
			r.Content = append(r.Content, &mcp.TextContent{Text: t})
		}
		return r
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(r.Params.Arguments), "\x1b[1msecond\x1b[0m"), nil
	})
	add("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := text("it went wrong")
		r.IsError = true
		return r, nil
	})
	add("refuse", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("not for you")
	})
	add("env", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(strings.Join(os.Environ(), "\n")), nil
	})
	add("long", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("line\n", 100000)), nil
	})
	add("hang", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("die", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "panic: out of luck")
		os.Exit(2)
		return nil, nil
	})
	add("empty", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text(), nil })
	add("structured", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"b": 1, "a": 2}}, nil
	})
	add("mixed", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		good := picture(3, 3)
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "see:"},
			&mcp.ImageContent{MIMEType: "image/png", Data: good},
			&mcp.ImageContent{MIMEType: "image/jpeg", Data: good},               // is not one
			&mcp.ImageContent{MIMEType: "image/png", Data: good[:len(good)-20]}, // half of one
			&mcp.ImageContent{MIMEType: "image/png", Data: picture(8001, 1)},
			&mcp.ImageContent{MIMEType: "image/png", Data: picture(4200, 4000)},
			&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF")},
			&mcp.ResourceLink{Name: "doc", URI: "file:///x"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: "inner"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:c", MIMEType: "image/png", Blob: good}},
		}}, nil
	})
	return s
}

// program is a server of the given mode, over pipes.
func program(t *testing.T, name, mode string, env ...string) mcpclient.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpclient.Server{Name: name, Command: []string{self, "-test.run=^$"}, Env: append(env, modeVariable+"="+mode)}
}

func connect(t *testing.T, o mcpclient.Options, list ...mcpclient.Server) (*mcpclient.Servers, map[string]toolbox.Tool) {
	t.Helper()
	o.Timeout = cmp.Or(o.Timeout, 5*time.Minute) // a busy machine is no server that does not start
	s := mcpclient.Connect(t.Context(), list, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	tools := map[string]toolbox.Tool{}
	for _, x := range s.Tools() {
		tools[x.Definition().Name] = x
	}
	return s, tools
}

func call(t *testing.T, x toolbox.Tool, arguments string) (string, []tenfold.Part, error) {
	t.Helper()
	r, err := x.Run(t.Context(), toolbox.Call{Arguments: arguments})
	if err != nil {
		return "", nil, err
	}
	if r.Outcome != tenfold.Success {
		t.Errorf("outcome %q", r.Outcome)
	}
	if len(r.Parts) > 0 && r.Parts[0].File == nil {
		return r.Parts[0].Text, r.Parts[1:], nil
	}
	return "", r.Parts, nil
}

func TestToolsOfAProgram(t *testing.T) {
	t.Setenv("OTHER_API_KEY", "sk-1")
	t.Setenv("MINE", "sk-2")
	s, tools := connect(t, mcpclient.Options{Limit: 2000, Secrets: []string{"MINE"}}, program(t, "my server", "ok", "GIVEN=yes"))
	if len(s.Problems()) > 0 || len(tools) != 10 {
		t.Fatal(s.Problems(), len(tools))
	}
	d := tools["my_server__echo"].Definition()
	want := tenfold.ToolDefinition{Name: "my_server__echo", Description: "Does echo.", Schema: `{"properties":{"a":{"type":"string"},"z":{"type":"integer"}},"type":"object"}`}
	if d != want {
		t.Errorf("%+v", d)
	}
	in, err := tools["my_server__echo"].Intent(`{"a":1}`)
	if err != nil || in.Effect != toolbox.Unknown || in.Subject != `{"a":1} (the server says that it only reads)` {
		t.Errorf("a claim of the server counts: %+v, %v", in, err)
	}
	for _, c := range []struct{ tool, arguments, want, fails string }{
		{"echo", `{"z":12345678901234567890.10, "a":"é"}`, "{\"z\":12345678901234567890.10,\"a\":\"é\"}\nsecond", ""},
		{"echo", "", "{}\nsecond", ""},
		{"echo", "[]", "", "the arguments are not a valid JSON object"},
		{"fail", "{}", "", "it went wrong"},
		{"refuse", "{}", "", "not for you"},
		{"empty", "{}", "[no output]", ""},
		{"structured", "{}", `{"a":2,"b":1}`, ""},
	} {
		text, _, err := call(t, tools["my_server__"+c.tool], c.arguments)
		if text != c.want || (err == nil) != (c.fails == "") || (err != nil && !strings.Contains(err.Error(), c.fails)) {
			t.Errorf("%s %s: %q, %v", c.tool, c.arguments, text, err)
		}
	}
	if text, _, err := call(t, tools["my_server__env"], "{}"); err != nil || strings.Contains(text, "=sk-") || !strings.Contains(text, "GIVEN=yes") {
		t.Errorf("%q, %v", text, err)
	}
	if text, _, err := call(t, tools["my_server__long"], "{}"); err != nil || len(text) > 2000 || !strings.Contains(text, "left out") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	text, images, err := call(t, tools["my_server__mixed"], "{}")
	if err != nil || len(images) != 2 || images[0].File.MediaType != "image/png" || !strings.HasPrefix(images[0].File.URI, "data:image/png;base64,iVBOR") {
		t.Errorf("%+v, %v", images, err)
	}
	for _, piece := range []string{"see:\n", "[not shown: image/jpeg image, ", "[not shown: image/png image, ", "[not shown: audio/wav audio, 4 bytes]", "[doc: file:///x]", "\ninner"} {
		if !strings.Contains(text, piece) {
			t.Errorf("%q lacks %q", text, piece)
		}
	}
	if _, err := tools["my_server__echo"].Run(t.Context(), toolbox.Call{Contained: true}); err == nil {
		t.Error("ran contained")
	}
}

func TestCallsEnd(t *testing.T) {
	t.Parallel()
	for limit := time.Second; ; limit *= 4 { // until it is one that the machine answers in
		_, tools := connect(t, mcpclient.Options{CallTimeout: limit}, program(t, "s", "ok"))
		if _, _, err := call(t, tools["s__hang"], "{}"); err == nil || err.Error() != fmt.Sprintf("s__hang did not answer within %s", limit) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, hung := tools["s__hang"].Run(ctx, toolbox.Call{})
		text, _, err := call(t, tools["s__empty"], "{}")
		if errors.Is(hung, context.Canceled) && err == nil && text != "" {
			return
		}
		if limit > time.Minute || !strings.Contains(fmt.Sprint(hung, err), "did not answer within") {
			t.Fatalf("cancelled: %v; the server was given up: %v", hung, err)
		}
	}
}

func TestAServerThatDoesNotReadHoldsUpNothing(t *testing.T) {
	t.Parallel()
	_, tools := connect(t, mcpclient.Options{CallTimeout: 100 * time.Millisecond}, program(t, "s", "stuck"))
	started := time.Now()
	_, err := tools["s__echo"].Run(t.Context(), toolbox.Call{Arguments: `{"a":"` + strings.Repeat("x", 1<<20) + `"}`})
	if err == nil || time.Since(started) > 2*time.Minute {
		t.Error(err, time.Since(started))
	}
}

func TestALostServerIsStartedOnceMore(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	s, tools := connect(t, mcpclient.Options{}, program(t, "s", "ok", "TENFOLD_TEST_PID="+pids))
	die := func() string {
		t.Helper()
		_, _, err := call(t, tools["s__die"], "{}")
		if err == nil {
			t.Fatal("did not die")
		}
		return err.Error()
	}
	if got := die(); !strings.Contains(got, "the server was lost: ") || !strings.Contains(got, "panic: out of luck") || !strings.Contains(got, "started again for the next call") {
		t.Error(got)
	}
	if _, _, err := call(t, tools["s__echo"], "{}"); err != nil { // sets the count back
		t.Error(err)
	}
	die()
	die()
	if got := die(); !strings.Contains(got, "the server was lost 2 times and is not started again") {
		t.Error(got)
	}
	started := strings.Fields(readFile(t, pids))
	if len(started) != 3 {
		t.Errorf("started %d times", len(started))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := call(t, tools["s__echo"], "{}"); err == nil || !strings.Contains(err.Error(), "the server was stopped") {
		t.Error(err)
	}
	for _, pid := range started {
		gone(t, pid)
	}
}

func TestManyCallsLoseAServerOnce(t *testing.T) {
	t.Parallel()
	_, tools := connect(t, mcpclient.Options{}, program(t, "s", "ok"))
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { _, _ = tools["s__hang"].Run(t.Context(), toolbox.Call{}) })
	}
	time.Sleep(50 * time.Millisecond) // most hang by now; those that begin later hang in the second server
	_, _ = tools["s__die"].Run(t.Context(), toolbox.Call{})
	if _, _, err := call(t, tools["s__echo"], "{}"); err != nil { // losses of one server by many calls count once
		t.Error(err)
	}
	_, _ = tools["s__die"].Run(t.Context(), toolbox.Call{})
	wg.Wait()
}

// A program that prints lines of its own among the messages is not lost for that.
func TestLinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	s, tools := connect(t, mcpclient.Options{}, program(t, "c", "chatty"))
	if len(s.Problems()) > 0 {
		t.Fatal(s.Problems())
	}
	for range 2 {
		r, err := tools["c__chat"].Run(t.Context(), toolbox.Call{Arguments: "{}"})
		if err != nil || r.Parts[0].Text != "well {[\"\\" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// One provider or another refuses every request that offers too many tools, or one with a
// schema that it does not take.
func TestToolsAreWhatEveryProviderTakes(t *testing.T) {
	t.Parallel()
	s, tools := connect(t, mcpclient.Options{}, program(t, "one", "many"), program(t, "two", "many"), program(t, "zoo", "ok"))
	if got := fmt.Sprint(s.Problems()); len(tools) != 100 || tools["zoo__echo"] == nil || len(s.Problems()) != 2 || !strings.Contains(got, "mcp two: its tools from more_") || strings.Contains(got, "zoo") {
		t.Errorf("%d tools, %s", len(tools), got)
	}
	if got := tools["one__more_00"].Definition().Schema; got != `{"properties":{"a":{"type":"string"}},"type":"object"}` {
		t.Errorf("the schema is %s", got)
	}
}

// What a server has started goes with it, whether the server worked or not.
func TestNothingOfAServerIsLeft(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	good := program(t, "good", "wide")
	good.Command = append([]string{"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $! >> " + pids + "; exec \"$0\" \"$@\""}, good.Command...)
	s, tools := connect(t, mcpclient.Options{}, good,
		mcpclient.Server{Name: "bad", Command: []string{"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $! >> " + pids + "; exit 3"}})
	if got := fmt.Sprint(s.Problems()); len(tools) != 10 || len(s.Problems()) != 2 || !strings.Contains(got, "mcp good: the schema of its tool wide is too large") {
		t.Errorf("%d tools, %s", len(tools), got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	left := strings.Fields(readFile(t, pids))
	if len(left) != 2 {
		t.Error(left)
	}
	for _, pid := range left {
		for range 20_000 { // it is killed, but perhaps not gone yet: its new parent must take note
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err != nil || strings.Contains(string(stat), ") Z ") {
				pid = ""
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if pid != "" {
			t.Errorf("process %s is left", pid)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// gone fails if a process is still there.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %s is still there: %v", pid, err)
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	var problems []error
	limit := time.Second
	for ; ; limit *= 4 { // until it is one that the machine starts a program in
		silent, _ := connect(t, mcpclient.Options{Timeout: limit}, program(t, "silent", "silent"), program(t, "garbage", "garbage"))
		if problems = silent.Problems(); limit > time.Minute || strings.Contains(fmt.Sprint(problems), "Welcome") {
			break
		}
	}
	s, tools := connect(
		t, mcpclient.Options{},
		program(t, "broken", "broken"), program(t, "good", "deaf", "TENFOLD_TEST_PID="+pids),
		mcpclient.Server{Name: "none\x1b", Command: []string{"no-such-program-here"}}, mcpclient.Server{Name: "relative", Command: []string{"./server"}},
		mcpclient.Server{Name: "nothing"}, mcpclient.Server{Name: "both", Command: []string{"sh"}, URL: "http://127.0.0.1/"},
		mcpclient.Server{Name: "file", URL: "file:///etc/passwd"}, mcpclient.Server{Name: "user", URL: "http://me:secret@127.0.0.1/"},
		mcpclient.Server{Name: "closed", URL: "http://127.0.0.1:1/"},
	)
	var got strings.Builder
	for _, err := range append(problems, s.Problems()...) {
		var p *problem.Error
		if !errors.As(err, &p) || p.Hint == "" {
			t.Errorf("%v has no hint", err)
		}
		fmt.Fprintln(&got, err)
	}
	for _, want := range []string{
		fmt.Sprintf("mcp silent: no answer within %s", limit), fmt.Sprintf("mcp garbage: no answer within %s: Welcome to my server!", limit), "mcp broken: ", "cannot find the database", `mcp none\x1b: `, "mcp relative: ./server: a relative path",
		"mcp nothing: no command is given", "mcp both: it has both", "mcp file: its address is not one of http", "mcp user: its address", "mcp closed: ",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("%q is not among\n%s", want, got.String())
		}
	}
	if strings.Contains(got.String(), "secret") || strings.Count(got.String(), "\n") != 10 {
		t.Errorf("there are these problems:\n%s", got.String())
	}
	if _, _, err := call(t, tools["good__echo"], "{}"); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil { // although it does not end by itself
		t.Error(err)
	}
	gone(t, strings.TrimSpace(readFile(t, pids)))
}

func TestNamesFitAndAreUnique(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 20)
	s, tools := connect(t, mcpclient.Options{}, program(t, long, "ok"), program(t, "a.b", "ok"), program(t, "a b", "ok"), program(t, "", "ok"))
	if len(s.Problems()) > 0 || len(tools) != 40 {
		t.Fatal(s.Problems(), len(tools))
	}
	for name := range tools {
		if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("name %q", name)
		}
	}
	for _, name := range []string{"a_b__echo", "a_b__echo_2", "mcp__echo", long[:32] + "__echo"} {
		if tools[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

func TestToolsOfAService(t *testing.T) {
	t.Parallel()
	var secrets, deleted atomic.Int32
	handler := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, nil)
	}
	var inner atomic.Value
	inner.Store(handler())
	var reset atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer t" {
			secrets.Add(1)
		}
		if r.Method == http.MethodDelete {
			deleted.Add(1)
		}
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, "/mcp", http.StatusTemporaryRedirect)
		case r.URL.Path == "/huge":
			w.Header().Set("Content-Type", "application/json")
			chunk := bytes.Repeat([]byte(" "), 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case r.URL.Path == "/slow":
			_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
			<-r.Context().Done()
		case reset.Load():
			panic(http.ErrAbortHandler)
		default:
			inner.Load().(http.Handler).ServeHTTP(w, r)
		}
	}))
	defer web.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	s, tools := connect(
		t, mcpclient.Options{},
		mcpclient.Server{Name: "web", URL: web.URL + "/mcp?token=hidden", Headers: map[string]string{"Authorization": "Bearer t"}},
		mcpclient.Server{Name: "away", URL: web.URL + "/away", Headers: map[string]string{"Authorization": "Bearer t"}},
		mcpclient.Server{Name: "huge", URL: web.URL + "/huge?token=hidden"},
	)
	if len(s.Problems()) != 2 || len(tools) != 10 {
		t.Fatal(s.Problems(), len(tools))
	}
	slow, _ := connect(t, mcpclient.Options{Timeout: time.Second}, mcpclient.Server{Name: "slow", URL: web.URL + "/slow"})
	if got := fmt.Sprint(slow.Problems()); !strings.Contains(got, "mcp slow: no answer within 1s") {
		t.Error(got)
	}
	if !strings.Contains(s.Problems()[0].Error(), "mcp away: ") || !strings.Contains(s.Problems()[0].Error(), "the server leads elsewhere") {
		t.Error(s.Problems()[0])
	}
	if !strings.Contains(s.Problems()[1].Error(), "mcp huge: ") || !strings.Contains(s.Problems()[1].Error(), "too large") {
		t.Error(s.Problems()[1])
	}
	if strings.Contains(fmt.Sprint(s.Problems()), "token=hidden") {
		t.Error(s.Problems())
	}
	if text, _, err := call(t, tools["web__echo"], `{"a":"b"}`); err != nil || !strings.HasPrefix(text, `{"a":"b"}`) {
		t.Errorf("%q, %v", text, err)
	}
	if secrets.Load() < 3 {
		t.Error("the headers were not sent")
	}
	reset.Store(true)
	if _, _, err := call(t, tools["web__echo"], "{}"); err == nil || !strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "token=hidden") {
		t.Error(err)
	}
	reset.Store(false)
	if _, _, err := call(t, tools["web__echo"], "{}"); err != nil {
		t.Error(err)
	}
	inner.Store(handler()) // the service was started anew and knows no session
	if _, _, err := call(t, tools["web__echo"], "{}"); err == nil || !strings.Contains(err.Error(), "the server was lost") {
		t.Error(err)
	}
	if _, _, err := call(t, tools["web__echo"], "{}"); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil || deleted.Load() == 0 {
		t.Error("the service was not told", err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":1}`, "[]", "{\"a\":\"\\u001b\"}", `{"a":1,"a":2}`, "\x1b[2J"} {
		f.Add(seed)
	}
	self, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	s := mcpclient.Connect(f.Context(), []mcpclient.Server{{Name: "s", Command: []string{self, "-test.run=^$"}, Env: []string{modeVariable + "=ok"}}}, mcpclient.Options{})
	tools := s.Tools()
	if err := s.Close(); err != nil || len(tools) == 0 {
		f.Fatal(err, s.Problems())
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		in, _ := tools[0].Intent(arguments)
		if in.Effect != toolbox.Unknown || strings.ContainsAny(in.Subject, "\n\x1b\x00") {
			t.Fatalf("%+v", in)
		}
	})
}
