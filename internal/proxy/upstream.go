package proxy

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/problem"
)

// A Vendor is an address that clients talk to unless they are told another.
type Vendor struct {
	// Name is what a base URL of ours ends with, Title what people call it.
	Name, Title string
	// Base is the base URL that its clients have by default.
	Base string
}

// Vendors are those whose wires are read.
func Vendors() []Vendor {
	return []Vendor{
		{"anthropic", "Anthropic", "https://api.anthropic.com"},
		{"openai", "OpenAI", "https://api.openai.com/v1"},
		{"chatgpt", "ChatGPT sign-in of Codex", "https://chatgpt.com/backend-api/codex"},
		{"gemini", "Gemini", "https://generativelanguage.googleapis.com"},
		{"codeassist", "Google sign-in of Gemini CLI", "https://cloudcode-pa.googleapis.com"},
	}
}

// Upstreams gives the base URLs by name: the vendors' own, changed by what a person
// says. "URL" is one address for all vendors, under which each has its own path;
// "NAME=URL" is the base URL of one, or of a further one by a name of its own.
func Upstreams(said []string) (map[string]*url.URL, error) {
	all := map[string]*url.URL{}
	for _, v := range Vendors() {
		base, err := url.Parse(v.Base)
		if err != nil {
			return nil, err
		}
		all[v.Name] = base
	}
	vendors, named := maps.Clone(all), map[string]*url.URL{}
	for _, text := range said {
		name, address, ok := strings.Cut(text, "=")
		if !ok || strings.Contains(name, "/") { // "=" may stand in a URL
			name, address = "", text
		}
		base, err := ParseBase(address)
		switch {
		case err != nil:
			return nil, err
		case ok && name != "" && strings.Trim(name, tokenLetters) != "":
			return nil, &problem.Error{Subject: "--upstream " + text, Problem: "invalid name", Hint: "use letters, digits and -", Usage: true}
		case name != "":
			named[name] = base
		default:
			for name, own := range vendors {
				if all[name] = base.JoinPath(own.Path); base.Path == "" {
					all[name].Path = own.Path // JoinPath makes a relative one of it
				}
			}
		}
	}
	maps.Copy(all, named)
	return all, nil
}

// ParseBase reads the base URL of an upstream.
func ParseBase(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		// The address is not repeated: it may hold a password.
		return nil, &problem.Error{Op: "read upstream", Problem: "expected an address such as https://api.example.com/v1", Hint: "pass --upstream URL or --upstream NAME=URL", Usage: true}
	}
	return u, nil
}

// writeRoute tells who has a route's token where its upstreams are, but those that a password
// leads to.
func writeRoute(w http.ResponseWriter, r Route) {
	all := map[string]string{}
	for name, u := range r.Upstreams {
		if u.User == nil {
			all[name] = u.String()
		}
	}
	body, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the upstreams cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// Bounds of what is asked of another proxy. One that is there answers at once, unless the
// machine is busy, and one that is not refuses at once.
const (
	longestRoute = 1 << 20
	routeWait    = 30 * time.Second
)

// Behind gives where base URLs lead, past a proxy of ours on this machine: a client that is
// started by another one has the base URL of that one's proxy, and would go through two.
func Behind(ctx context.Context, bases map[string]*url.URL) map[string]*url.URL {
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	out := maps.Clone(bases)
	for name, u := range bases {
		leads, chatgpt := behind(ctx, u)
		if leads != nil {
			out[name] = leads
		}
		if name == "openai" && chatgpt != nil && out["chatgpt"] == nil { // as in ServeHTTP
			out["chatgpt"] = chatgpt
		}
	}
	return out
}

// behind gives where one leads, and where what a user of ChatGPT asks there does; nil where no
// proxy of ours tells.
func behind(ctx context.Context, u *url.URL) (leads, chatgpt *url.URL) {
	rest, ok := strings.CutPrefix(u.EscapedPath(), routePath)
	if !ok || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return nil, nil
	}
	token, rest, _ := strings.Cut(rest, "/")
	name, rest, _ := strings.Cut(rest, "/")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+u.Host+routePath+token, nil)
	if err != nil {
		return nil, nil
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r) // never by way of a proxy
	if err != nil {
		return nil, nil
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, longestRoute))
	var all map[string]string
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(body, &all) != nil {
		return nil, nil
	}
	if leads, err = ParseBase(all[name]); err != nil {
		return nil, nil
	}
	if rest != "" {
		leads = leads.JoinPath(rest)
	}
	if chatgpt, err = ParseBase(all["chatgpt"]); err != nil || name != "openai" {
		chatgpt = nil
	}
	return leads, chatgpt
}
