package proxy

import (
	"maps"
	"net/url"
	"strings"

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
