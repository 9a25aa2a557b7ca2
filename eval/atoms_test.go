package eval

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// The scanner finds what the regular expressions of the reference scripts find.
func TestEachAtom(t *testing.T) {
	for line, want := range map[string]string{
		"see src/store/file.go now":             "src/store/file.go",
		"import some_name/inner_name":           "some_name/inner_name some_name inner_name",
		"http://host.org/a/page.html.":          "/host.org/a/page.html",
		"~/x/yz and ./run.sh, a/b":              "~/x/yz ./run.sh",
		"main.go a-b.test.ts --flag.py x.json5": "main.go test.ts flag.py",
		"a.go-b.go":                             "-b.go",
		"</span> <b>":                           "/span",
		"fooBar FOOBar foobar foo_bar _foobar":  "fooBar FOOBar foo_bar",
		"x12 abc123 deadbeef1 deadbeef":         "abc123 deadbeef1",
		"v 123 1234567890 12 1.234 567.8 (900)": "123 900",
		"12345678-abcd-ef01-2345-6789abcdef01":  "12345678-abcd-ef01-2345-6789abcdef01 12345678 2345",
		"über_größe straße/weg 12a":             "straße/weg",
	} {
		var got []string
		eachAtom(line, func(atom string) {
			if !slices.Contains(got, atom) {
				got = append(got, atom)
			}
		})
		wanted := strings.Fields(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%q: %q, want %q", line, got, wanted)
		}
	}
}

// An atom stands in its line, and no line takes long.
func TestEachAtomOfAnyLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.RuneFrom([]rune("abF01_-./~@+ é|[]٣\x80"))).Draw(t, "line")
		eachAtom(line, func(atom string) {
			if atom == "" || !strings.Contains(line, atom) {
				t.Fatalf("%q is not in %q", atom, line)
			}
		})
	})
	eachAtom(strings.Repeat("a-", 1<<20)+strings.Repeat("/", 1<<20)+strings.Repeat("a.", 1<<20), func(string) {})
}
