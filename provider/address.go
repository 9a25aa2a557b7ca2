package provider

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// CheckBaseURL says what is wrong with the address of an API: it is http or
// https, a host and a plain path, for what is asked for is written behind it. A
// query or a fragment would swallow that, and send the conversation to another
// place than the one that is read. The error does not show the address, which
// may hold a password.
func CheckBaseURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return errors.New("must begin with http:// or https:// and a host")
	case u.User != nil:
		return errors.New("holds a user or a password; keep it in the environment and name the variable in api_key_env")
	case strings.ContainsAny(address, "?#"):
		return errors.New("must not have a query or a fragment")
	case strings.ContainsAny(u.Path, "\\?#") || strings.ContainsFunc(u.Path, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return errors.New("must have a plain path")
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return part == "." || part == ".." }):
		return errors.New("must not have . or .. in its path")
	}
	return nil
}
