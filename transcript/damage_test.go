package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// This file is what every importer has to do with a source of which a part is
// damaged: leave that part out, and say so.

// saying is what conversations say, whatever the ids of their entries.
func saying(list []Collected) []string {
	var all []string
	for _, c := range list {
		for _, e := range c.Entries {
			// Overlays may name calls and entries by the ids of records.
			if _, ok := e.Payload.(tenfold.Pin); ok {
				continue
			}
			raw, err := tenfold.MarshalPayload(e.Payload)
			if err != nil {
				raw = []byte(err.Error())
			}
			all = append(all, string(e.Payload.Kind())+" "+string(raw))
		}
	}
	return all
}

// warned gives all warnings.
func warned(list []Collected) string {
	var all []string
	for _, c := range list {
		all = append(all, c.Warnings...)
	}
	return strings.Join(all, "\n")
}

// A record is damaged in these ways.
var damages = map[string]func(record string) string{
	"torn":          func(record string) string { return record[:len(record)*2/3] },
	"foreign":       func(string) string { return "npm warn deprecated inflight@1.0.6: use another" },
	"an unfinished": func(string) string { return `{"type":"user","message":{"content":"half` },
	"zeros":         func(string) string { return strings.Repeat("\x00", 4096) },
	"binary":        func(string) string { return "\x1b[31m\xff\xfe{]\x01" },
	"too deep":      func(string) string { return strings.Repeat("[", 20_000) },
	"glued":         func(record string) string { return record[:len(record)/2] + record },
}

// A damaged line in the middle of a file of lines costs that line: all else is
// as without it, and a warning names the first. A strict import stops at it.
func TestSamplesDamagedLine(t *testing.T) {
	t.Parallel()
	corpustest.Unraced(t)
	for _, w := range samples(t, "") {
		lines := strings.SplitAfter(string(w.data), "\n")
		if intake.NewHead(w.data, w.path).JSON.Shape != intake.ShapeLines || len(lines) < 3 {
			continue
		}
		whole, err := w.read(w.data, w.format)
		if err != nil {
			t.Fatal(err)
		}
		for name, damage := range damages {
			t.Run(w.path+"/"+name, func(t *testing.T) {
				at := len(lines) / 2
				bad := damage(strings.TrimSpace(lines[at])) + "\n"
				data := []byte(strings.Join(slices.Insert(slices.Clone(lines), at, bad, bad), ""))
				got, err := w.read(data, w.format)
				if err != nil {
					t.Fatal(err)
				}
				says := fmt.Sprintf("2 lines are damaged and are left out (the first is line %d: ", at+1)
				if all := warned(got); !strings.Contains(all, says) {
					t.Errorf("warnings are %q, want one with %q", all, says)
				}
				for _, c := range got {
					checkLaws(t, c)
				}
				if have, want := withoutNumbers(saying(got)), withoutNumbers(saying(whole)); !slices.Equal(have, want) {
					t.Errorf("says\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
				}
				var ours *Error
				if _, err := w.readAs(Source{Strict: true}, data, w.format); !errors.As(err, &ours) || ours.Line != at+1 || ours.Hint == "" {
					t.Errorf("strict: %v, want an error in line %d", err, at+1)
				}
			})
		}
	}
}

// withoutNumbers takes out of what is said the numbers of lines, which are
// others when one was put in.
func withoutNumbers(list []string) []string {
	number := regexp.MustCompile(`line-\d+|event-\d+`)
	var out []string
	for _, text := range list {
		out = append(out, number.ReplaceAllString(text, "line-N"))
	}
	return out
}

// A damaged item of an array costs that item, wherever the array stands in the
// document.
func TestSamplesDamagedItem(t *testing.T) {
	t.Parallel()
	corpustest.Unraced(t)
	for _, w := range samples(t, "") {
		at, end, ok := firstItem(w.data)
		if shape := intake.NewHead(w.data, w.path).JSON.Shape; !ok || shape != intake.ShapeArray && shape != intake.ShapeObject {
			continue
		}
		if w.path == "testdata/pi/message.json" {
			continue // one message: its blocks are not records, and it stays whole or goes
		}
		for name, damage := range damages {
			if name == "glued" {
				continue // what is glued to the half may be told to be whole
			}
			t.Run(w.path+"/"+name, func(t *testing.T) {
				bad := damage(string(w.data[at:end]))
				lead := string(w.data[bytes.LastIndexAny(w.data[:at], "[,")+1 : at])
				// The damaged one stands in front of an item that is whole.
				data := []byte(string(w.data[:end]) + "," + lead + bad + "," + lead + string(w.data[at:end]) + string(w.data[end:]))
				twice := []byte(string(w.data[:end]) + "," + lead + string(w.data[at:end]) + string(w.data[end:]))
				want, err := w.read(twice, w.format)
				if err != nil {
					t.Fatal(err)
				}
				got, err := w.read(data, w.format)
				if unreadable(data) != nil {
					return // all of it is one line
				}
				if err != nil {
					t.Fatal(err)
				}
				if all := warned(got); !regexp.MustCompile(`1 (record|event) is damaged and is left out \(line \d+: `).MatchString(all) {
					t.Errorf("warnings are %q", all)
				}
				for _, c := range got {
					checkLaws(t, c)
				}
				if have, want := saying(got), saying(want); !slices.Equal(have, want) {
					t.Errorf("says\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
				}
				var ours *Error
				if _, err := w.readAs(Source{Strict: true}, data, w.format); !errors.As(err, &ours) || ours.Line == 0 || ours.Hint == "" {
					t.Errorf("strict: %v, want an error with its line", err)
				}
			})
		}
	}
}

// firstItem finds the first object in the first array of a document that is not
// in another one.
func firstItem(data []byte) (at, end int, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(data), walk.ScanOptions...)
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return 0, 0, false
		}
		if tok.Kind() == '[' && dec.PeekKind() == '{' {
			v, err := dec.ReadValue()
			end = int(dec.InputOffset())
			return end - len(v), end, err == nil
		}
	}
}

// A file with other line ends, or with a byte order mark, says the same.
func TestSamplesLineEnds(t *testing.T) {
	for _, w := range samples(t, "") {
		if intake.NewHead(w.data, w.path).JSON.Shape == intake.ShapeText {
			continue
		}
		whole, err := w.read(w.data, w.format)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{
			"carriage returns":  bytes.ReplaceAll(w.data, []byte("\n"), []byte("\r\n")),
			"a byte order mark": append(slices.Clone(intake.Bom), w.data...),
			"zeros at the end":  append(slices.Clone(w.data), make([]byte, 5000)...),
		} {
			t.Run(w.path+"/"+name, func(t *testing.T) {
				got, err := w.read(data, w.format)
				if err != nil {
					t.Fatal(err)
				}
				if have, want := saying(got), saying(whole); !slices.Equal(have, want) {
					t.Errorf("says\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// A file of which more is damaged than whole is refused, and so is one that is
// said to have a format and does not: neither becomes an empty conversation.
func TestSamplesRefused(t *testing.T) {
	list := samples(t, "")
	for _, w := range list {
		lines := strings.SplitAfter(string(w.data), "\n")
		if intake.NewHead(w.data, w.path).JSON.Shape != intake.ShapeLines || len(lines) < 3 {
			continue
		}
		t.Run(w.path, func(t *testing.T) {
			noise := strings.Repeat("not a line of it\n", len(lines)+1)
			got, err := w.read([]byte(string(w.data)+noise), w.format)
			var ours *Error
			if !errors.As(err, &ours) || ours.Line != strings.Count(string(w.data), "\n")+1 || !strings.Contains(errorText(err), "records cannot be read") {
				t.Errorf("%d conversations, %v", len(got), err)
			}
		})
	}
	for _, w := range list {
		for _, f := range Formats() {
			h, _ := find(f.Format)
			if h.Import == nil || h.Recognise(intake.NewHead(w.data, w.path)) != intake.No {
				continue
			}
			got, err := w.read(w.data, f.Format)
			if err != nil {
				continue
			}
			said := slices.ContainsFunc(got, func(c Collected) bool {
				return slices.ContainsFunc(c.Entries, func(e tenfold.Entry) bool {
					kind := e.Payload.Kind()
					return kind.Visible() && kind != tenfold.KindProviderItem
				})
			})
			if !said {
				t.Errorf("%s as %s: no error, and nothing that anybody said", w.path, f.Format)
			}
		}
	}
}

// The number of a damaged record in a warning is a terminal's to print: what
// stands in the file is quoted.
func TestDamageIsToldSafely(t *testing.T) {
	text := new(session).user("u1", `"one"`).raw("{\"a\":\x1b]0;owned\x07}").user("u2", `"two"`).String()
	got, err := importText(t, "a.jsonl", text)
	if err != nil || len(got.Warnings) != 1 || strings.ContainsAny(got.Warnings[0], "\x1b\x07") {
		t.Errorf("%q, %v", got.Warnings, err)
	}
	if _, err := json.Marshal(got.Warnings); err != nil {
		t.Error(err)
	}
}
