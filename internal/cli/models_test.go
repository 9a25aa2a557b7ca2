package cli

import (
	"fmt"
	"path/filepath"
	"testing"

	"tenfold/internal/config"
	"tenfold/strategy"
)

func TestBesideFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	file := config.Origin{Kind: config.User, Name: filepath.Join("some", "config.toml")}
	absolute := filepath.Join(home, "x")
	for _, tt := range []struct {
		name string
		from config.Origin
		want string
	}{
		{"play.jsonl", file, filepath.Join("some", "play.jsonl")},
		{"play.jsonl", config.Origin{Kind: config.Flag}, "play.jsonl"},
		{absolute, file, absolute},
		{"~/play.jsonl", file, filepath.Join(home, "play.jsonl")},
	} {
		if got := besideFile(tt.name, tt.from); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSomeOf(t *testing.T) {
	named := []strategy.Tangent{{Turn: 1}, {Turn: 4}, {Turn: 12}}
	for answer, want := range map[string]string{
		"1": "[1]", "12, 4": "[12 4]", "1 4 12": "[1 4 12]", "": "no", "2": "no", "1 2": "no", "one": "no", ",": "no",
	} {
		chosen, ok := someOf(named, answer)
		got := "no"
		if ok {
			turns := []int{}
			for _, c := range chosen {
				turns = append(turns, c.Turn)
			}
			got = fmt.Sprint(turns)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", answer, got, want)
		}
	}
}

func TestDollars(t *testing.T) {
	for cost, want := range map[float64]string{0: "$0.00", 0.00001: "under $0.0001", 0.0213: "$0.0213", 1.239: "$1.24", 1234.5: "$1234.50"} {
		if got := dollars(cost); got != want {
			t.Errorf("%v: %s", cost, got)
		}
	}
}
