package atom_test

import (
	"slices"
	"strings"
	"testing"

	"tenfold/atom"
)

func scan(line string) []string {
	var got []string
	for kind, at := range atom.Scan(line) {
		got = append(got, kind.String()+" "+at.Of(line))
	}
	return got
}

func TestScan(t *testing.T) {
	for line, want := range map[string][]string{
		"":                         nil,
		"plain words and no more":  nil,
		"see src/lexer/scan.go:42": {"path src/lexer/scan.go"},
		"./a/b.c and ../up/one":    {"path a/b.c", "path ../up/one"},
		"open /etc/hosts.":         {"path /etc/hosts"},
		"https://host.example/a":   {"path host.example/a"},
		"main.go, go.mod":          {"path main.go", "path go.mod"},
		"a.go is short":            nil,
		"version 1.20.3 of 2026-11-21 at 10:22:33.123":   nil,
		"port 8080, 12, 123456789, 1,234 and 404.":       {"number 8080", "number 404"},
		"commit a1b2c3d of deadbeef":                     {"id a1b2c3d"},
		"123e4567-e89b-12d3-a456-426614174000":           {"id 123e4567-e89b-12d3-a456-426614174000"},
		"parseHeader parse_header Header parser2 header": {"identifier parseHeader", "identifier parse_header", "identifier parser2"},
		"_hidden trailing_":                              nil,
		"HTTPServer SHOUT":                               {"identifier HTTPServer"},
		"obj.methodName(arg_one)":                        {"identifier methodName", "identifier arg_one"},
		"\x1b[31mred_word\x1b[0m 31mm":                   {"identifier red_word"},
		`"first\nsecond_word\tthird_word"`:               {"identifier second_word", "identifier third_word"},
		"   412→	return errNotFound":                     {"identifier errNotFound"},
		"00412| return errNotFound":                      {"identifier errNotFound"},
		"   412\treturn errNotFound":                     {"identifier errNotFound"},
		"naïve_name":                                     {"identifier ve_name"},
		"--dry-run --out=dist/app.js":                    {"path dist/app.js"},
		strings.Repeat("x1", 40):                         nil,
		"~/notes/today.md":                               {"path ~/notes/today.md"},
		"src/parse_token/lexer2.go:42":                   {"path src/parse_token/lexer2.go", "identifier parse_token", "identifier lexer2"},
		"see parse_header.go or /run/8080/a1b2c3d/x":     {"path parse_header.go", "identifier parse_header", "path /run/8080/a1b2c3d/x", "number 8080", "id a1b2c3d"},
		"//////": nil,
	} {
		if got := scan(line); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for line, want := range map[string]string{
		"164-\treturn nil":      "return nil",
		"164:":                  "",
		"2026-11-21 done":       "2026-11-21 done",
		"10:22 done":            "10:22 done",
		"  12→\tfoo\r":          "foo",
		"\x1b]0;title\abar ":    "bar",
		"\x1b[1;31mred\x1b[0m ": "red",
		"12 apples":             "12 apples",
		"\x1b":                  "",
	} {
		if got := atom.Clean(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// Whatever the line, atoms are in order, within it, and no longer than they
// may be; none overlaps another but those inside a path.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"see src/lexer/scan.go:42", "\x1b[31mred_word\x1b[0m", "   412→x", "./././", "a//b///c", "\xff/\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		last, inPath := 0, atom.Span{}
		for kind, at := range atom.Scan(line) {
			inside := kind != atom.Path && at.Start >= inPath.Start && at.End <= inPath.End
			if !inside && at.Start < max(last, inPath.End) || at.Start < last || at.End <= at.Start || at.End > len(line) || at.End-at.Start > 300 {
				t.Fatalf("%q: %v after %d", line, at, last)
			}
			if last = at.End; kind == atom.Path {
				last, inPath = at.Start, at
			}
		}
		if got, again := atom.Clean(line), atom.Clean(line); got != again || strings.Contains(got, "\x1b[") && !strings.Contains(line, "\x1b[") {
			t.Fatalf("%q: %q, %q", line, got, again)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	line := "   412→\treturn s.scanner.nextToken(src/lexer/scan.go) // see errNotFound and 8080"
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range atom.Scan(line) {
			n++
		}
	}
}

func TestAMessageThatBeginsWithWhatItIsAbout(t *testing.T) {
	for text, want := range map[string]bool{
		"on 4, can you look?": true, "ok, do 1+2 next": true, "#3": true, "yeah let's do 1": true, "Option B, please": true, "lets drop 1, as for 2, do we need it?": true, "start with 3 and stop": true, "3: is it safe?": true,
		"2 tests fail": false, "a word": false, "do 3 loaves": false, "keep 3 copies": false, "": false, "look at 3": false,
	} {
		if got := atom.PointsFirst(text); got != want {
			t.Errorf("PointsFirst(%q) is %v", text, got)
		}
	}
}
