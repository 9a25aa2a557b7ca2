package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/test/modelserver"
)

// canary is in whatever a client says, and may come out nowhere.
const canary = "canary7f3a"

// A watchedServer is a command that serves, with all that it tells of itself.
type watchedServer struct {
	t       *testing.T
	first   []byte // what it printed
	log     *screen
	metrics string // address
	sent    func() string
	end     func() int
}

// listeningJSON is where "serve" and "proxy" can be reached.
type listeningJSON struct {
	Address string `json:"address"`
	Bases   []struct {
		URL string `json:"url"`
	} `json:"bases"`
}

var served = regexp.MustCompile(`"metrics are served","address":"([^"]+)"`)

// watch starts a command with its log and metrics on, and a collector that it sends to.
func watch(t *testing.T, args ...string) *watchedServer {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_DATA_HOME", dir)
	var mu sync.Mutex
	var sent strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		sent.WriteString(r.URL.Path + " " + string(body))
	}))
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s := &watchedServer{t: t, log: &screen{}, sent: func() string {
		mu.Lock()
		defer mu.Unlock()
		return sent.String()
	}}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(out), Err: s.log, JSON: true}
		code <- cli.Run(ctx, append(args, "--json", "--addr", "127.0.0.1:0", "--token-file", filepath.Join(dir, "token"), "--metrics-addr", "127.0.0.1:0", "--log", "json", "--log-level", "debug"), term)
		_ = out.Close()
	}()
	var err error
	if s.first, err = bufio.NewReader(in).ReadBytes('\n'); err != nil {
		t.Fatal(err, s.log.all.String())
	}
	s.metrics = served.FindStringSubmatch(s.log.until(t, served.String()))[1]
	s.end = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { s.end() })
	return s
}

// ask sends a request and gives the status and the body.
func (s *watchedServer) ask(method, url, body string, header ...string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// silent ends the server and looks whether anything of what was said came out.
func (s *watchedServer) silent(secret string, metrics, spans, logs []string) {
	s.t.Helper()
	status, text := s.ask("GET", "http://"+s.metrics+"/metrics", "")
	if status != http.StatusOK {
		s.t.Errorf("/metrics: %d", status)
	}
	if code := s.end(); code != command.ExitOK {
		s.t.Errorf("it ends with %d: %s", code, s.log.all.String())
	}
	for where, one := range map[string]struct {
		text string
		want []string
	}{"metrics": {text, metrics}, "what is sent": {s.sent(), spans}, "log": {s.log.all.String(), logs}} {
		for _, never := range []string{canary, secret} {
			if at := strings.Index(one.text, never); at >= 0 {
				s.t.Errorf("%s: %q", where, one.text[max(at-200, 0):at+40])
			}
		}
		for _, want := range one.want {
			if !strings.Contains(one.text, want) {
				s.t.Errorf("%s: no %s in %.3000s", where, want, one.text)
			}
		}
	}
}

// secretOf is the token that a server made.
func secretOf(t *testing.T) string {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(os.Getenv("XDG_DATA_HOME"), "token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// Whatever clients of a server say, in texts, titles, paths, queries, headers and
// tokens, is in no log, no metric and no trace.
func TestAServerTellsNothingOfWhatIsSaid(t *testing.T) {
	s := watch(t, "serve", "--store", "memory:", "--no-open")
	var out listeningJSON
	if err := json.Unmarshal(s.first, &out); err != nil {
		t.Fatal(err)
	}
	secret, base := secretOf(t), "http://"+out.Address
	bearer := []string{"Authorization", "Bearer " + secret, "X-" + canary, canary, "Content-Type", "application/json", "User-Agent", canary}
	status, made := s.ask("POST", base+"/api/conversations", `{"id":"c1","title":"`+canary+`"}`, bearer...)
	if status/100 != 2 {
		t.Fatal(status, made)
	}
	entries := `{"entries":[{"id":"e1","kind":"user_message","parts":[{"text":"` + canary + `"}]},{"id":"` + canary + `","kind":"tool_call","name":"` + canary + `","call":"` + canary + `","arguments":"{}"}]}`
	s.ask("POST", base+"/api/conversations/c1/entries", entries, bearer...)
	for _, path := range []string{
		"/api/conversations/c1", "/api/conversations/" + canary, "/api/search?q=" + canary, "/api/conversations/c1/rows?from=" + canary,
		"/api/" + canary, "/" + canary + "?token=" + canary, "/api/store/" + canary,
	} {
		s.ask("GET", base+path, "", bearer...)
		s.ask("POST", base+path, `{"`+canary+`":"`+canary, bearer...)
		s.ask("GET", base+path, "", "Authorization", "Bearer "+canary, "Cookie", canary+"="+canary)
	}
	for _, address := range []string{base, "http://" + s.metrics} {
		for _, path := range []string{"/healthz", "/readyz"} {
			if status, body := s.ask("GET", address+path, ""); status != http.StatusOK || body != "ok\n" {
				t.Errorf("%s%s: %d %q", address, path, status, body)
			}
		}
	}
	if status, _ := s.ask("GET", base+"/metrics", ""); status == http.StatusOK {
		t.Error("the metrics are on the page's port")
	}
	s.silent(
		secret,
		[]string{`http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="404",http_route="/api/conversations/{id}"`, "go_goroutines", "service_name=\"tenfold\""},
		[]string{"/v1/traces", "/v1/metrics", "GET /api/conversations/{id}", "tenfold.open", "c1"},
		[]string{`"route":"/api/conversations"`, `"code":"not_found"`, `"route":"none"`, `"status":401`},
	)
}

// Nor is what goes through a proxy.
func TestAProxyTellsNothingOfWhatIsSaid(t *testing.T) {
	up := httptest.NewServer(modelserver.New(modelserver.Sequence(modelserver.Text("it is " + canary))))
	defer up.Close()
	s := watch(t, "proxy", "--upstream", up.URL)
	var out listeningJSON
	if err := json.Unmarshal(s.first, &out); err != nil {
		t.Fatal(err)
	}
	body := `{"model":"` + canary + `","max_tokens":99,"system":"` + canary + `","tools":[{"name":"` + canary + `","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"` + canary + `"}]}`
	if status, answer := s.ask("POST", out.Bases[0].URL+"/v1/messages?"+canary+"="+canary, body, "X-Api-Key", canary, "Content-Type", "application/json"); status != http.StatusOK || !strings.Contains(answer, canary) {
		t.Fatal(status, answer)
	}
	s.ask("GET", out.Bases[0].URL+"/"+canary, "", "X-Api-Key", canary)
	s.ask("GET", "http://"+out.Address+"/t/"+canary+"/anthropic", "")
	if status, _ := s.ask("GET", "http://"+s.metrics+"/readyz", ""); status != http.StatusOK {
		t.Errorf("/readyz: %d", status)
	}
	s.silent(
		secretOf(t),
		[]string{`tenfold_proxy_request_duration_seconds_count{http_response_status_code="200",tenfold_proxy_upstream="anthropic"`},
		[]string{"/v1/metrics", "tenfold.proxy.request.duration"},
		[]string{`"msg":"request"`, `"upstream":"anthropic"`},
	)
}

func TestObservingFlagsThatCannotBe(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, args := range [][]string{{"--log", "xml"}, {"--log-level", "loud"}, {"--log-level", "info+2"}, {"--metrics-addr", "nowhere"}} {
		for _, line := range [][]string{{"serve", "--store", "memory:", "--no-open", "--addr", "127.0.0.1:0"}, {"proxy", "--no-store", "--addr", "127.0.0.1:0"}} {
			errs := &screen{}
			term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(io.Discard), Err: errs}
			if code := cli.Run(t.Context(), append(line, args...), term); code == command.ExitOK || !strings.Contains(errs.all.String(), "hint:") {
				t.Errorf("%v %v: %d %s", line, args, code, errs.all.String())
			}
		}
	}
}
