package command

import (
	"path/filepath"
	"testing"

	"tenfold/internal/config"
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
		if got := BesideFile(tt.name, tt.from); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
