package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/internal/rawjson"
	"tenfold/internal/record"
	"tenfold/internal/web/shape"
)

// What a program appends in one request is safe to repeat: the ids of its entries
// follow from the request's key and their places in it, and a log takes an id once
// (L9). So a request that comes again, to whichever server, finds its entries.

// mostBatch is how many entries one request may append.
const mostBatch = 1000

// lenient reads what real transcripts hold, as the log's own form does.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.RejectUnknownMembers(true))

// readBody reads a body that may hold entries, which stay as they were sent.
func readBody(body []byte, v any) error {
	if jsontext.Value(body).Kind() != '{' { // null would be nothing
		return shape.Refused("body: it is not a JSON object", "/api/openapi.json says what this operation takes")
	}
	if err := json.Unmarshal(body, v, lenient); err != nil {
		return shape.Refused("body: "+rawjson.Words(err), "/api/openapi.json says what this operation takes")
	}
	return nil
}

// keyed names what a request with a key makes.
func keyed(key, what string) string {
	sum := sha256.Sum256([]byte(what + "\x00" + key))
	return base64.RawURLEncoding.EncodeToString(sum[:15])
}

// newEntries reads the entries of a request. Those without an id get one of the key.
func newEntries(ctx context.Context, lines []jsontext.Value, key string) ([]tenfold.Entry, error) {
	if len(lines) > mostBatch {
		return nil, unprocessable(fmt.Sprintf("%d entries are more than the %d that one request may append", len(lines), mostBatch), "send them in several requests", nil)
	}
	entries, ids := make([]tenfold.Entry, 0, len(lines)), make(map[string]int, len(lines))
	var faults []shape.Fault
	for i, line := range lines {
		e, err := newEntry(line, entryID(key, i))
		if at, twice := ids[e.ID]; err == nil && twice {
			err = fmt.Errorf("entries[%d] has the same id", at)
		}
		if err == nil && tenant.ScopeOf(e.Payload.Kind()) == tenant.Compact && !allowed(ctx, scopeCompact) {
			return nil, shape.NewProblem(http.StatusForbidden, "scope",
				fmt.Sprintf("entries[%d]: a %s changes what a model sees, and the token lacks the scope %q", i, e.Payload.Kind(), scopeCompact),
				"use a token with the scope "+scopeCompact)
		}
		if err != nil {
			faults = append(faults, shape.Fault{Location: "body.entries[" + strconv.Itoa(i) + "]", Message: err.Error()})
			continue
		}
		ids[e.ID] = i
		entries = append(entries, e)
	}
	if len(faults) > 0 {
		return nil, unprocessable(faults[0].Location+": "+faults[0].Message, "docs/json.md describes the form of an entry; nothing was written", faults)
	}
	return entries, nil
}

// A log keeps times of these years, as nanoseconds in 64 bits.
const firstYear, lastYear = 1678, 2261

// newEntry reads one entry. What the server says of it is not taken from the request.
func newEntry(line jsontext.Value, id string) (tenfold.Entry, error) {
	if line.Kind() != '{' {
		return tenfold.Entry{}, errors.New("an entry is a JSON object")
	}
	const none = "\x00" // is no id that a request could hold by chance
	given := append(jsontext.Value(`{"id":"\u0000",`), bytes.TrimLeft(line[1:], " \t\r\n")...)
	if given[len(given)-1] == '}' && bytes.HasSuffix(given, []byte(",}")) {
		return tenfold.Entry{}, errors.New("an entry has a kind")
	}
	e, err := tenfold.ParseEntry(given)
	if err != nil {
		return e, errors.New(strings.ReplaceAll(rawjson.Words(err), "entry "+none+": ", ""))
	}
	if e.ID == none {
		e.ID = id
	}
	if year := e.Time.Year(); !e.Time.IsZero() && (year < firstYear || year > lastYear) {
		return e, fmt.Errorf("time: %d is not a year from %d to %d", year, firstYear, lastYear)
	}
	e.Seq, e.Tokens = 0, 0
	e.Payload, err = record.Canonical(e.Payload)
	return e, err
}

// entryID is that of an entry of a request with a key, at its place.
func entryID(key string, i int) string {
	return "req_" + keyed(key, "entry") + "-" + strconv.Itoa(i)
}

// known counts the entries that a log holds already. It refuses a request whose ids
// stand for something else there: another body was sent with the same key before.
func known(l *tenfold.Log, key string, entries []tenfold.Entry) (n int, err error) {
	used := false // the key was
	for i, e := range entries {
		held, ok := l.Lookup(e.ID)
		if !ok {
			continue
		}
		n++
		if !sameEntry(held, e) {
			if e.ID == entryID(key, i) {
				return n, keyReused()
			}
			p := unprocessable("the log has another entry "+strconv.Quote(e.ID), "give each new entry an id of its own", nil)
			p.Code, p.Errors = "reused", []shape.Fault{{Location: "body.entries[" + strconv.Itoa(i) + "]", Message: "differs from the entry of this id that the log has"}}
			return n, p
		}
		used = used || e.ID == entryID(key, i)
	}
	if _, longer := l.Lookup(entryID(key, len(entries))); longer || used && n < len(entries) {
		return n, keyReused()
	}
	return n, nil
}

// sameExpected refuses a request that comes again with a key and another expected than
// before: one of its entries is the first that came after that version, and none that the key
// names came earlier.
func sameExpected(l *tenfold.Log, key string, entries []tenfold.Entry, expected int64) error {
	ours, first, after := false, int64(math.MaxInt64), false
	for i, e := range entries {
		held, _ := l.Lookup(e.ID)
		if after = after || held.Seq == expected+1; e.ID == entryID(key, i) {
			ours, first = true, min(first, held.Seq)
		}
	}
	if !ours || after && first > expected {
		return nil
	}
	p := keyReused()
	p.Detail = "the Idempotency-Key was used with another expected before"
	p.Hint = "its entries are in the log: repeat a request as it was, and take a new key for each new one"
	return p
}

func keyReused() *shape.Problem {
	p := unprocessable("the Idempotency-Key was used with another body before", "take a new key for each new request, and repeat one with the same body", nil)
	p.Code = "reused"
	return p
}

// sameEntry reports whether a stored entry says what a request does.
func sameEntry(held, sent tenfold.Entry) bool {
	if held.Branch != sent.Branch || held.MessageID != sent.MessageID || held.Source != sent.Source || (!sent.Time.IsZero() && !held.Time.Equal(sent.Time)) {
		return false
	}
	x, err := tenfold.MarshalPayload(held.Payload)
	y, other := tenfold.MarshalPayload(sent.Payload)
	return err == nil && other == nil && held.Payload.Kind() == sent.Payload.Kind() && bytes.Equal(x, y)
}

// placesOf says where entries stand in a log that has them all.
func placesOf(l *tenfold.Log, entries []tenfold.Entry) (out shape.Appended) {
	for _, e := range entries {
		held, _ := l.Lookup(e.ID)
		out.Entries = append(out.Entries, shape.Place{ID: held.ID, Seq: held.Seq})
		out.Version = max(out.Version, held.Seq)
	}
	return out
}

// unprocessable is a request that is understood and cannot be done.
func unprocessable(detail, hint string, faults []shape.Fault) *shape.Problem {
	p := shape.NewProblem(http.StatusUnprocessableEntity, "invalid", detail, hint)
	p.Errors = faults
	return p
}
