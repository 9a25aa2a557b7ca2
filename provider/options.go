package provider

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// DefaultTimeout is how long a whole answer may take when nothing else is said.
const DefaultTimeout = 10 * time.Minute

// Options say where a model is and how it is called. The zero value is the
// vendor's own address without a key.
type Options struct {
	// BaseURL is the address of the API, with its version where the vendor
	// writes one ("https://api.openai.com/v1"); empty for the vendor's own.
	BaseURL string
	// Key is what the provider knows the caller by; empty for servers that
	// ask for none.
	Key Key
	// Timeout is the most a whole answer may take, its stream included;
	// 0 is [DefaultTimeout], below 0 is no limit.
	Timeout time.Duration
	// Client makes the requests; nil is one of Go's defaults. Redirects are
	// never followed: they would carry the key to another place.
	Client *http.Client
	// Extra is a JSON object whose members go into each request beside the
	// conversation: {"seed":1} or {"thinking":{"type":"adaptive"}}.
	// What the request itself says wins.
	Extra string
}

// A Key is a secret: printed in any way it is "[key]".
type Key string

// Format implements [fmt.Formatter].
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.hidden()) }

// MarshalText implements [encoding.TextMarshaler].
func (k Key) MarshalText() ([]byte, error) { return []byte(k.hidden()), nil }

func (k Key) hidden() string {
	if k == "" {
		return ""
	}
	return "[key]"
}

// KeyFrom reads a key from the environment variable of a name, with os.Getenv
// or what stands for it. An empty one is an [*Error] of kind Authentication
// that names the variable.
func KeyFrom(getenv func(string) string, name string) (Key, error) {
	key := getenv(name)
	if key == "" {
		return "", &Error{
			Kind: Authentication, Message: "the environment variable " + name + " is empty",
			Hint: "set " + name + " to your key, or name another variable in the configuration (api_key_env)",
		}
	}
	return Key(key), nil
}
