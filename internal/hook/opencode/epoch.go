package opencode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/internal/outfile"
	"tenfold/internal/rawjson"
)

// An epoch is what requests of a session begin with until the next compaction
// (V1). It follows from the log; it is kept in a file, so that a request costs no
// reading of the log, and so that a newer program draws what is sent already as
// it was.
type epoch struct {
	// Conversation is the one in the store, Version that of its log as last seen, and
	// Mark the entry that last changed what is shown of it.
	Conversation string `json:"conversation"`
	Version      int64  `json:"version"`
	Mark         string `json:"mark"`
	// Upto is the newest message that the view stands for.
	Upto string `json:"upto"`
	// View is empty where nothing is to be changed.
	View []jsontext.Value `json:"view"`
	// Asked are the messages by which opencode asked for a compaction that the
	// view answers.
	Asked []string `json:"asked"`
	// Tried is the newest message of the person when a compaction came to nothing:
	// there is none other in that turn (A3).
	Tried string `json:"tried"`
}

// Epochs are forgotten that were begun longer ago than oldest, but for the most recent: a
// clock may be wrong for a while, a session goes on in its epoch for months, and without it
// a vendor refuses what was thought in it.
const (
	oldest     = 60 * 24 * time.Hour
	mostRecent = 100
)

func epochs(h *hook.Host) string { return filepath.Join(h.Data, "opencode") }

// epochFile is where the epoch of a session is kept. What a session is called is
// a stranger's.
func epochFile(h *hook.Host, session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(epochs(h), hex.EncodeToString(sum[:12])+".json")
}

// readEpoch reads the epoch that a session is in; nil if there is none.
func readEpoch(h *hook.Host, session string) *epoch {
	data, err := os.ReadFile(epochFile(h, session))
	if err != nil || h.Data == "" {
		return nil
	}
	var e epoch
	if rawjson.Unmarshal(data, &e) != nil {
		return nil
	}
	return &e
}

// write keeps the epoch, and forgets old ones.
func (ep *epoch) write(h *hook.Host, session string) error {
	if h.Data == "" { // else it would lie in the project
		return errors.New("no home directory to keep the view in")
	}
	data, err := json.Marshal(ep)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(epochs(h), 0o700); err != nil {
		return err
	}
	if err := outfile.Write(epochFile(h, session), data, 0o600); err != nil {
		return err
	}
	forget(h)
	return nil
}

// forget removes what is old and not among the most recent.
func forget(h *hook.Host) {
	var all []fs.FileInfo
	entries, _ := os.ReadDir(epochs(h))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range all[min(len(all), mostRecent):] {
		if h.Now().Sub(old.ModTime()) > oldest {
			_ = os.Remove(filepath.Join(epochs(h), old.Name()))
		}
	}
}

// holds tells whether the epoch still stands for what opencode is about to send:
// its newest message is there, or was replaced by a compaction that Tenfold
// answered, and opencode made no other since.
func (ep *epoch) holds(e *event) bool {
	covered := false
	for _, m := range e.Messages {
		switch {
		case m.ID == ep.Upto:
			covered = true
		case m.Compaction && m.ID > ep.Upto && !slices.Contains(ep.Asked, m.ID):
			return false
		case slices.Contains(ep.Asked, m.ID):
			covered = true
		}
	}
	return covered
}

// precedes tells whether the newest response that was counted is from before the
// epoch, whose view is as small as it gets: the count is not of it.
func (ep *epoch) precedes(e *event) bool {
	return len(ep.View) > 0 && e.Counted != "" && e.Counted <= ep.Upto // ids ascend
}

// over tells whether somebody changed since what is shown of the conversation, by
// undoing a compaction or by making another (V2 d). Entries that only came in, such
// as those of an import, end nothing.
func (ep *epoch) over(ctx context.Context, h *hook.Host, session string) bool {
	svc, err := h.Service(ctx)
	if err != nil {
		return false
	}
	c, err := svc.Find(ctx, ep.Conversation)
	if err == nil && c.Version == ep.Version {
		return false
	}
	s, err := svc.Open(ctx, ep.Conversation)
	if err != nil || mark(s.Log()) != ep.Mark {
		return true
	}
	ep.Version = s.Log().Version()
	return ep.write(h, session) != nil
}

// mark is the id of the entry that last changed what is shown of a log.
func mark(l *tenfold.Log) string {
	id := ""
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.Compaction:
			if p.Source == tenfold.SourceImport {
				continue
			}
		case tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
		default:
			continue
		}
		id = e.ID
	}
	return id
}

// answer is what is sent in the epoch: the view that it began with, and whatever
// came since.
func (ep *epoch) answer(e *event) *answer {
	if len(ep.View) == 0 {
		return &answer{Raw: true}
	}
	out := slices.Clone(ep.View)
	newer := false
	if !slices.ContainsFunc(e.Messages, func(m told) bool { return m.ID == ep.Upto }) {
		// A compaction of opencode's hides it: ids ascend.
		for _, m := range e.Messages {
			if m.ID > ep.Upto && !m.Compaction && !m.Summary {
				out = append(out, rawjson.Quote(m.ID))
			}
		}
		return &answer{View: out}
	}
	for _, m := range e.Messages {
		if newer && !m.Compaction && !m.Summary {
			out = append(out, rawjson.Quote(m.ID))
		}
		newer = newer || m.ID == ep.Upto
	}
	return &answer{View: out}
}
