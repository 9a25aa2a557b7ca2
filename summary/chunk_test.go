package summary

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/summary/internal/source"
)

// sized makes a block of so many tokens in all, by characters over four.
func sized(turn, step, tokens int) Block {
	head := fmt.Sprintf("[turn %03d] ASSISTANT:", turn)
	return Block{Turn: turn, Step: step, Head: head, Body: strings.Repeat("x", tokens*4-len(head)-3)}
}

// C5: at turn, then step, then entry; what fits goes together.
func TestC5Split(t *testing.T) {
	for _, tt := range []struct {
		name   string
		blocks []Block
		budget int
		want   string // blocks in each chunk
		cut    int
	}{
		{"all fits", []Block{sized(0, 0, 40), sized(1, 0, 40)}, 80, "2", 0},
		{"one token over", []Block{sized(0, 0, 40), sized(1, 0, 40)}, 79, "1 1", 0},
		{"turns packed", []Block{sized(0, 0, 40), sized(1, 0, 40), sized(2, 0, 40), sized(3, 0, 40)}, 120, "3 1", 0},
		{"a turn is not torn where it need not be", []Block{sized(0, 0, 40), sized(1, 0, 20), sized(1, 1, 20)}, 60, "1 2", 0},
		{"a large turn at its steps", []Block{sized(0, 0, 20), sized(1, 0, 20), sized(1, 0, 20), sized(1, 1, 20), sized(1, 1, 20), sized(2, 0, 20)}, 60, "1 2 2 1", 0},
		{"a large step between entries", []Block{sized(0, 0, 20), sized(0, 0, 20), sized(0, 0, 20), sized(0, 0, 20)}, 40, "2 2", 0},
		{"an entry exactly as large", []Block{sized(0, 0, 60)}, 60, "1", 0},
		{"a large entry is cut", []Block{sized(0, 0, 20), sized(0, 0, 900), sized(1, 0, 20)}, 60, "1 1 1", 1},
		{"nothing", nil, 60, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sizes []string
			var all []Block
			cut := 0
			for _, c := range chunked(tenfold.Chars4{}, tt.blocks, tt.budget) {
				tokens := 0
				for _, b := range c.blocks {
					tokens += tenfold.Chars4{}.Count(b.Text())
				}
				if tokens > tt.budget || tokens != c.tokens {
					t.Errorf("a chunk of %d tokens, counted as %d, budget %d", tokens, c.tokens, tt.budget)
				}
				if c.from != c.blocks[0].Turn || c.to != c.blocks[len(c.blocks)-1].Turn {
					t.Errorf("turns %d to %d", c.from, c.to)
				}
				sizes = append(sizes, fmt.Sprint(len(c.blocks)))
				all = append(all, c.blocks...)
				cut += c.cut
			}
			if got := strings.Join(sizes, " "); got != tt.want || cut != tt.cut {
				t.Errorf("chunks of %q blocks, %d cut; want %q, %d", got, cut, tt.want, tt.cut)
			}
			if len(all) != len(tt.blocks) {
				t.Fatalf("%d blocks of %d", len(all), len(tt.blocks))
			}
			for i, b := range all {
				if whole := tt.blocks[i]; b.Body != whole.Body && (!strings.Contains(b.Body, " characters]") || tt.cut == 0) {
					t.Errorf("block %d is %q", i, b.Body)
				}
			}
		})
	}
}

func TestCutMiddleKeepsRunes(t *testing.T) {
	text := strings.Repeat("äöü€", 50)
	for n := range 80 {
		got := source.CutMiddle(text, n)
		if strings.ContainsRune(got, '\uFFFD') || (n > 0 && len(got) > n+40) {
			t.Errorf("cut to %d: %q", n, got)
		}
	}
}
