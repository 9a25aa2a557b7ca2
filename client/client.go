package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/pause"
	"tenfold/problem"
)

// A Client asks one server. It is safe for concurrent use.
type Client struct {
	base, token string
	http        *http.Client
	retries     int
}

// An Option changes what [New] makes.
type Option func(*Client)

// WithHTTPClient has requests go through h. One that follows redirects may give the
// token to another server.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries sets how often a request is sent again that may be; the default is 3.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// New makes a client of the server at an address, such as
// https://fleet.example.com: what stands before /api. The token goes to that server alone, and to another
// machine only over TLS; a server without one is given "". Nothing is sent yet.
func New(address, token string, options ...Option) (*Client, error) {
	u, err := url.Parse(address)
	wrong := ""
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		wrong = "is not the address of a server"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		address, wrong = u.Redacted(), "says more than where the server is"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		wrong = "would send the token and every conversation unencrypted"
	}
	if wrong != "" {
		return nil, &problem.Error{
			Op: "open a client", Subject: address, Code: "usage", Problem: wrong, Hint: "write https://HOST or, on this machine, http://127.0.0.1:PORT",
		}
	}
	c := &Client{base: strings.TrimSuffix(u.String(), "/"), token: token, retries: 3}
	c.http = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, o := range options {
		o(c)
	}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A request is what a generated method asks for.
type request struct {
	method, path string
	params       any // a pointer to a struct: fields with a form tag go into the query, others into the header
	body         any
}

const keyHeader = "Idempotency-Key"

// fill puts values into the places of a path, in order.
func fill(path string, values ...any) string {
	for _, v := range values {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + url.PathEscape(fmt.Sprint(v)) + after
	}
	return path
}

// spread gives the query and the header of parameters. Of those that take a key, one
// without gets a key of its own.
func spread(params any) (url.Values, http.Header) {
	query, header := url.Values{}, http.Header{}
	if params == nil {
		return query, header
	}
	v := reflect.ValueOf(params)
	for f := range v.Type().Elem().Fields() {
		form, isQuery := f.Tag.Lookup("form")
		name, _, _ := strings.Cut(cmp.Or(form, f.Tag.Get("json")), ",")
		to := header.Add
		if isQuery {
			to = query.Add
		}
		if !v.IsNil() {
			add(to, name, v.Elem().FieldByIndex(f.Index))
		}
		if name == keyHeader && header.Get(keyHeader) == "" {
			header.Set(keyHeader, rand.Text())
		}
	}
	return query, header
}

// add gives a parameter where it has a value: what a pointer points to, each of a
// slice, and else what is not zero.
func add(to func(name, value string), name string, v reflect.Value) {
	at, isTime := v.Interface().(time.Time)
	switch {
	case isTime && !at.IsZero():
		to(name, at.Format(time.RFC3339Nano))
	case isTime:
	case v.Kind() == reflect.Pointer && !v.IsNil():
		to(name, fmt.Sprint(v.Elem()))
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			to(name, fmt.Sprint(v.Index(i)))
		}
	case v.Kind() != reflect.Pointer && !v.IsZero():
		to(name, fmt.Sprint(v))
	}
}

// form is how bodies are written and read: what is JSON already keeps its bytes.
var form = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))

// ask sends a request and gives what came back.
func ask[T any](ctx context.Context, c *Client, r request) (out T, err error) {
	err = c.do(ctx, r, &out)
	return out, err
}

// do sends a request and reads the answer into out; nil reads none.
func (c *Client) do(ctx context.Context, r request, out any) error {
	return c.sendTo(ctx, r, func(resp *http.Response) (again bool, err error) {
		defer func() { _ = resp.Body.Close() }()
		body := &watched{Reader: resp.Body}
		if out == nil {
			_, err = io.Copy(io.Discard, body)
		} else {
			reflect.ValueOf(out).Elem().SetZero() // of what an answer that was cut off left
			err = json.UnmarshalRead(body, out, form)
		}
		if err != nil {
			err = fmt.Errorf("read the answer of %s %s: %w", r.method, r.path, err)
		}
		return body.broken, err
	})
}

// A watched reader notes that reading broke off.
type watched struct {
	io.Reader
	broken bool
}

// Read implements [io.Reader].
func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.broken = w.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// send sends a request, and again where that is safe and may help. Any answer that is
// not one of success, or of an unchanged body, is an error.
func (c *Client) send(ctx context.Context, r request) (answer *http.Response, err error) {
	err = c.sendTo(ctx, r, func(resp *http.Response) (bool, error) {
		answer = resp
		return false, nil
	})
	return answer, err
}

// sendTo is send that has a function take the answer, which says whether another may be
// better.
func (c *Client) sendTo(ctx context.Context, r request, take func(*http.Response) (again bool, err error)) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body, form); err != nil {
			return fmt.Errorf("write %s %s: %w", r.method, r.path, err)
		}
	}
	query, header := spread(r.params)
	safe := r.method == http.MethodGet || header.Get(keyHeader) != ""
	address := c.base + r.path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	for try := 0; ; try++ {
		resp, err := c.once(ctx, r.method, address, header, body) //nolint:bodyclose // whoever takes it does
		switch {
		case err != nil:
			err = &problem.Error{
				Op: "reach the server", Subject: c.base, Code: "unreachable", Hint: "check that the server runs and that this machine reaches it", Err: err,
			}
		case resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified:
			var again bool
			if again, err = take(resp); err == nil || !again {
				return err
			}
			resp = nil // it came to nothing
		default:
			err = problemIn(resp)
		}
		wait := time.Duration(-1)
		if safe && try < c.retries && ctx.Err() == nil {
			wait = waitAfter(resp, try)
		}
		if wait < 0 || pause.For(ctx, wait) != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, method, address string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(req)
}

const (
	// firstWait is the time before the first repetition, which doubles with each;
	// longestWait bounds it, and what a server asks for.
	firstWait   = 100 * time.Millisecond
	longestWait = 30 * time.Second
)

// waitAfter is how long to wait before a request is sent again; below 0 for one that
// would come to the same. A nil answer is of a server that was not reached.
func waitAfter(resp *http.Response, try int) time.Duration {
	wait := min(firstWait<<min(try, 10), longestWait)
	if n, err := rand.Int(rand.Reader, big.NewInt(int64(wait))); err == nil { // so that programs do not come back together
		wait = wait/2 + time.Duration(n.Int64())/2
	}
	if resp == nil {
		return wait
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return -1
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		return min(max(wait, time.Duration(seconds)*time.Second), longestWait)
	}
	return wait
}
