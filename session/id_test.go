package session

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// New ids are UUIDs of version 7 that carry the time and do not come twice.
func TestNewIDsAreUUIDsOfVersion7(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		before := time.Now().Truncate(time.Millisecond)
		text := newID()
		id, err := uuid.Parse(text)
		if err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 || id.String() != text || seen[text] {
			t.Fatalf("%q: version %d, variant %v, %v, twice %v", text, id.Version(), id.Variant(), err, seen[text])
		}
		sec, nsec := id.Time().UnixTime()
		if at := time.Unix(sec, nsec).Truncate(time.Millisecond); at.Before(before) || at.After(time.Now()) {
			t.Fatalf("%q is of %v, made at %v", text, at, before)
		}
		seen[text] = true
	}
}
