// Package launch knows the agents that "tenfold run" starts: where each would talk
// to by what its user set up, and how one run of it is told another base URL. No
// file of the user's is written: a client is told by its environment, by flags, or
// by a file of its own in a directory that goes when the run ends.
//
// What the user configured counts: their environment, and the files in their home.
// A project's files are a stranger's: where they name a base URL, it is not
// followed.
package launch

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenfold/problem"
)

// A Client is an agent that can be started. The zero value is none.
type Client struct {
	// Name is what people call it: "claude". Format is that of its transcripts.
	Name, Format string
	// Program is its command.
	Program string
	// Install says how people get it.
	Install string

	// upstreams finds where the client would talk to, by names of its own.
	upstreams func(u User, args []string) map[string]string
	// point adds to a start what leads the client to other base URLs.
	point func(u User, to Target, s *Start) error
	// direct are first arguments with which it talks to no model, and takes no
	// flags of ours.
	direct []string
}

// A User is on whose behalf a client is started.
type User struct {
	// Home is their home directory.
	Home string
	// Env looks up a variable of the environment.
	Env func(name string) (string, bool)
}

// A Target is where a client is led to.
type Target struct {
	// Base gives the base URL that stands for an upstream.
	Base func(upstream string) string
	// Upstreams are those of [Client.Upstreams].
	Upstreams map[string]*url.URL
	// Scratch is an empty directory that lasts as long as the run.
	Scratch string
}

// A Start is how a client is started.
type Start struct {
	Args []string
	// Env is set in addition to the user's environment.
	Env map[string]string
	// Note says why the client cannot be led to us; empty if it can.
	Note string
}

// Running is the variable by which what a client starts in turn, such as "tenfold
// hook", knows that the client runs through a proxy. Its value is the client's
// format.
const Running = "TENFOLD_RUN"

// Unstored is the variable by which it knows that nothing of the conversation is to be stored.
const Unstored = Running + "_UNSTORED"

func Find(name string) (Client, error) {
	var names []string
	for _, c := range Clients() {
		if name == c.Name || name == c.Format {
			return c, nil
		}
		names = append(names, c.Name)
	}
	hint := cmp.Or(problem.DidYouMean(name, names), "the clients are "+strings.Join(names, ", ")+"; \"tenfold proxy\" prints base URLs for any other program")
	return Client{}, &problem.Error{Op: "run", Subject: name, Problem: "unknown client", Hint: hint, Usage: true}
}

// Upstreams gives where the client would talk to without us: base URLs by names
// that stand for them. What cannot be read as an address is left to the client.
func (c Client) Upstreams(u User, args []string) map[string]*url.URL {
	all := map[string]*url.URL{}
	for name, text := range c.upstreams(u, args) {
		base, err := url.Parse(text)
		if err == nil && (base.Scheme == "https" || base.Scheme == "http") && base.Hostname() != "" && base.RawQuery == "" && base.Fragment == "" {
			all[name] = base
		}
	}
	return all
}

// Start says how to start the client with the user's arguments, which stay as they
// are and in order.
func (c Client) Start(u User, args []string, to Target) (Start, error) {
	s := Start{Args: slices.Clone(args), Env: map[string]string{Running: c.Format}}
	s.reachLoopback(u)
	if len(args) > 0 && slices.Contains(c.direct, args[0]) {
		return s, nil
	}
	return s, c.point(u, to, &s)
}

// Environ adds the start's variables to an environment.
func (s Start) Environ(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, ours := s.Env[name]
		return ours
	})
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		out = append(out, name+"="+s.Env[name])
	}
	return out
}

// reachLoopback keeps the client from asking the user's HTTP proxy for our
// listener.
func (s *Start) reachLoopback(u User) {
	const us = "127.0.0.1"
	if u.get("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") == "" {
		return
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		switch list := u.get(name, "NO_PROXY", "no_proxy"); list {
		case "*":
			s.Env[name] = list
		case "":
			s.Env[name] = us
		default:
			s.Env[name] = list + "," + us
		}
	}
}

// get gives the first of several variables that is set and not empty.
func (u User) get(names ...string) string {
	for _, name := range names {
		if v, _ := u.Env(name); v != "" {
			return v
		}
	}
	return ""
}

// dir gives a directory that a variable names, or else one below the home.
func (u User) dir(variable string, below ...string) string {
	if d := u.get(variable); d != "" {
		if rest, ok := strings.CutPrefix(d, "~/"); ok {
			return filepath.Join(u.Home, rest)
		}
		return d
	}
	return filepath.Join(append([]string{u.Home}, below...)...)
}

// longestFile bounds the configuration files that are read, in bytes.
const longestFile = 4 << 20

// read gives a file of the user's; nil if there is none that can be read.
func read(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestFile {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
