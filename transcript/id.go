package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
)

// plainID reports whether a foreign id may stand as it is: it can be neither a
// path nor one of the ids that are derived with "/", "#", "~" and ":".
func plainID(id string) bool {
	if id == "" || len(id) > 100 || id[0] == '.' {
		return false
	}
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// conversationID gives a foreign id that is fit to name a conversation.
func conversationID(id string) string {
	if plainID(id) {
		return id
	}
	return "c-" + digest([]byte(id))
}

// nameID makes a conversation id from the source's name.
func nameID(name string, format Format) string {
	base := filepath.Base(filepath.ToSlash(name))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || base == "" || base == "." || base == "/" {
		return string(format)
	}
	return conversationID(base)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// ids makes the ids of lines unique: the second line of an id gets "~2". They
// depend on the lines before, never on those after, so that a grown file keeps
// its ids.
type ids struct{ seen map[string]int }

func (s *ids) unique(id string) string {
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.seen[id]++
	if n := s.seen[id]; n > 1 {
		return id + "~" + strconv.Itoa(n)
	}
	return id
}

// recordID is the id of the record that an entry came from: entries beyond the
// first of a record add "#" or "/" and something to it.
func recordID(id string) string {
	if i := strings.IndexAny(id, "/#"); i >= 0 {
		return id[:i]
	}
	return id
}
