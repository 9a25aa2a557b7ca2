package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"tenfold"
)

// PlainID reports whether a foreign id may stand as it is: it can be neither a
// path, nor a flag, nor one of the ids that are derived with "/", "#", "~" and ":".
func PlainID(id string) bool {
	if id == "" || len(id) > 100 || id[0] == '.' || id[0] == '-' {
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

// IsUnique tells ids that nobody gives twice, such as UUIDs and what else is
// drawn at random, from those that people make up.
func IsUnique(id string) bool {
	if _, err := uuid.Parse(id); err == nil {
		return true
	}
	const random = 20 // letters and digits, without a mark between
	run, digits, letters := 0, 0, 0
	for i := 0; i < len(id) && run < random; i++ {
		switch c := id[i]; {
		case '0' <= c && c <= '9':
			run, digits = run+1, digits+1
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			run, letters = run+1, letters+1
		default:
			run, digits, letters = 0, 0, 0
		}
	}
	return run == random && digits >= 3 && letters >= 3
}

// Numbered gives an id for a record that is known by its number, or by a name
// that others may have: what it says tells it from others.
func Numbered(id string, raw []byte) string { return id + "-" + Digest(raw)[:8] }

// ConversationID gives a foreign id that is fit to name a conversation.
func ConversationID(id string) string {
	if PlainID(id) {
		return id
	}
	return "c-" + Digest([]byte(id))
}

// NameID makes a conversation id from the source's name.
func NameID(name string, format Format) string {
	base := filepath.Base(filepath.ToSlash(name))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if name == "" || base == "" || base == "." || base == "/" || base == "-" {
		return string(format)
	}
	return ConversationID(base)
}

func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Ids makes the ids of lines unique: the second line of an id gets "~2". They
// depend on the lines before, never on those after, so that a grown file keeps
// its ids.
type Ids struct{ Seen map[string]int }

func (s *Ids) Unique(id string) string {
	if s.Seen == nil {
		s.Seen = map[string]int{}
	}
	s.Seen[id]++
	if n := s.Seen[id]; n > 1 {
		return id + "~" + strconv.Itoa(n)
	}
	return id
}

// Record gives a record its own id, or one that follows from what it says.
func (s *Ids) Record(id string, raw []byte) string {
	if PlainID(id) {
		return s.Unique(id)
	}
	return s.Unique("line:" + Digest(raw))
}

// BlockID names the n-th entry of a line.
func BlockID(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}

// Entries makes the entries of one record, all of one message where that has an id.
// The source, what the payloads do not hold of the record, stays with the first.
func Entries(id, messageID, source string, payloads []tenfold.Payload) []tenfold.Entry {
	list := make([]tenfold.Entry, len(payloads))
	for i, p := range payloads {
		list[i] = tenfold.Entry{ID: BlockID(id, i), MessageID: messageID, Payload: p}
	}
	if len(list) > 0 {
		list[0].Source = source
	}
	return list
}

// RecordID is the id of the record that an entry came from: entries beyond the
// first of a record add "#" or "/" and something to it.
func RecordID(id string) string {
	if i := strings.IndexAny(id, "/#"); i >= 0 {
		return id[:i]
	}
	return id
}

// BranchName makes one segment of a branch path.
func BranchName(id string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, id)
	return name[:min(64, len(name))]
}

// IsUUID reports whether an id is a UUID in its usual form.
func IsUUID(id string) bool {
	_, err := uuid.Parse(id)
	return err == nil && len(id) == 36
}

// UUIDOf derives a UUID, the same for the same things.
func UUIDOf(conversation, of string) string { return HashedUUID(conversation + "\x00" + of) }

// HashedUUID is a UUID made of a text.
func HashedUUID(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8, variant 1
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
