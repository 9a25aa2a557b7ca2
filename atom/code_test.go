package atom_test

import (
	"testing"

	"tenfold/atom"
)

// What people number things by is a code, and what only looks so is none.
func TestCodesAreAtoms(t *testing.T) {
	for line, want := range map[string]string{
		"claim S-2025-0481 is open":           "S-2025-0481",
		"see CHG-20471: heap":                 "CHG-20471",
		"B2025-0000001;02.01.2025;3":          "B2025-0000001",
		"ask k.sato@example.co.jp, please":    "k.sato@example.co.jp",
		"at 10.42.3.117:8080":                 "10.42.3.117",
		"on 2025-10-01 at 11:58":              "",
		"[http-nio-8080-exec-7] at your-site": "",
		"UTF-8 and X-A and version 1.2.3":     "",
		"@types/node and a@b":                 "",
		"300.1.1.1 is none":                   "",
	} {
		got := ""
		for kind, at := range atom.Scan(line) {
			if kind == atom.Code {
				got += at.Of(line)
			}
		}
		if got != want {
			t.Errorf("%q: code %q, want %q", line, got, want)
		}
	}
}
