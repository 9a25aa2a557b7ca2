package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTheCommittedPageIsCurrent(t *testing.T) {
	want, err := page("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/strategies.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/strategies.md is not current: run go generate ./strategy")
	}
}
