package providertest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/provider"
)

// An Open makes a model of options.
type Open func(o provider.Options) (provider.Model, error)

// Opens makes an [Open] of a provider's New, whose model has a type of its own.
func Opens[M provider.Model](open func(o provider.Options) (M, error)) Open {
	return func(o provider.Options) (provider.Model, error) {
		m, err := open(o)
		if err != nil {
			return nil, err // rather than a model that is a nil pointer
		}
		return m, nil
	}
}

// bases are the addresses that both ways to send are tried with.
func bases() []string {
	return []string{
		"", "https://host.example", "https://host.example/", "https://host.example/v1", "https://host.example/v1/",
		"https://host.example/v1beta", "http://127.0.0.1:8080/a/long%20way/v1", "https://host.example/a+b/v1alpha",
	}
}

// Alike holds two models to the same requests, of a stream and of a count: the
// same method, address and body, and each header that the plain one sends. An
// SDK may have more to say of itself.
func Alike(t *testing.T, plain, sdk Open) {
	t.Helper()
	for _, base := range bases() {
		for _, key := range []provider.Key{"", Key} {
			o := provider.Options{BaseURL: base, Key: key}
			want, wantErr := asked(t, plain, o)
			got, gotErr := asked(t, sdk, o)
			if provider.KindOf(gotErr) != provider.KindOf(wantErr) {
				t.Errorf("at %q: plain says %v, the SDK %v", base, wantErr, gotErr)
			}
			if len(want) != len(got) {
				t.Errorf("at %q: plain asks %d times, the SDK %d times", base, len(want), len(got))
				continue
			}
			for i := range want {
				for name := range got[i].header {
					if _, both := want[i].header[name]; !both && !secret(name) {
						delete(got[i].header, name)
					}
				}
				if diff := cmp.Diff(want[i], got[i], cmp.AllowUnexported(request{})); diff != "" {
					t.Errorf("at %q (-plain +SDK):\n%s", base, diff)
				}
			}
		}
	}
}

// secret reports whether a header tells who asks, which no one may add.
func secret(header string) bool {
	header = strings.ToLower(header)
	return header == "authorization" || header == "cookie" || strings.HasSuffix(header, "-key") || strings.HasSuffix(header, "-token")
}

// request is what a server would see.
type request struct {
	method, url, body string
	header            http.Header
}

// asked gives the requests a model makes for a stream and for a count, and the
// first error that is not the missing network.
func asked(t *testing.T, open Open, o provider.Options) (all []request, err error) {
	t.Helper()
	o.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(r.Body)
		all = append(all, request{r.Method, r.URL.String(), string(raw), r.Header.Clone()})
		return nil, errors.Join(errors.New("offline"), err)
	})}
	m, err := open(o)
	if err != nil {
		return nil, err
	}
	if _, err = listen(t.Context(), m, provider.Request{View: View(t)}); provider.KindOf(err) != provider.Unreachable {
		return all, err
	}
	if _, err = m.Count(t.Context(), provider.Request{View: View(t)}); err != nil && provider.KindOf(err) != provider.Unreachable {
		return all, err
	}
	return all, nil
}
