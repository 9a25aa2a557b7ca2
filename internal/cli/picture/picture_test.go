package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/token"
)

// The picture of any conversation is well-formed, and its strips hold the
// tokens that the projection counts.
func TestPictureAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		for _, e := range logtest.Entries(60).Draw(t, "entries") {
			_, _ = l.Append(e) // what a log refuses is not in the picture
		}
		p := tenfold.Project(l)
		svg := SVG(p, token.Scale{})
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, svg)
			}
		}
		before, after := pieces(p)
		was, is := 0, 0
		for _, c := range sums(before, after) {
			was, is = was+c.Before, is+c.After
		}
		if all := p.Totals().All(); was != all.Before || is != all.After {
			t.Fatalf("the strips hold %d and %d tokens, the projection counts %d and %d", was, is, all.Before, all.After)
		}
	})
}

// A strip is as long as it should be however many entries it shows, and a
// conversation without tokens has none.
func TestStripsAreBounded(t *testing.T) {
	var many []piece
	for i := range 1_000_000 {
		many = append(many, piece{class: i % classes, tokens: i % 3, gone: i%2 == 0})
	}
	var b strings.Builder
	bars(&b, many, 0, inner)
	if n := strings.Count(b.String(), "<rect"); n == 0 || n > columns {
		t.Errorf("a million entries make %d bars", n)
	}
	b.Reset()
	if bars(&b, []piece{{class: person}}, 0, inner); b.Len() > 0 {
		t.Errorf("nothing is drawn as %s", b.String())
	}
}
