package excerpt

import (
	"slices"
	"testing"
)

func TestSubwords(t *testing.T) {
	for atom, want := range map[string][]string{
		"parseHeader":          {"parse", "header"},
		"HTTPServer_v2":        {"http", "server"},
		"src/lexer/scan.go":    {"src", "lexer", "scan"},
		"MAX_TOKENS":           {"max", "tokens"},
		"a1b2c3d":              nil,
		"utf8Decode123":        {"utf", "decode", "123"},
		"__init__":             {"init"},
		"ABc":                  nil,
		"":                     nil,
		"getURLFor":            {"get", "url", "for"},
		"aB":                   nil,
		"loremIPSUMdolor_sit9": {"lorem", "ipsu", "mdolor", "sit"},
	} {
		if got := slices.Collect(subwords(atom)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", atom, got, want)
		}
	}
}
