package keeper

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
	"tenfold/summary"
)

// A history is the items that Codex gave up when it compacted by itself and was told a
// handle (X4), as it sent them: put back in the handle's place they are edited like
// those of any request, so that the vendor is sent the same bytes after a restart.
type history struct {
	origin, tool, dir string // whose it is
	items             []byte
}

// kept is a history in memory.
type kept struct {
	handle wire.Handle
	history
}

// Bounds of what is kept of histories.
const (
	mostLeft      = 256 << 20 // bytes in memory
	mostLeftFiles = 4         // of a conversation: a client may go back before its last compaction
)

// belongs tells whether a history is that of a client: a handle is a claim, and
// anybody can write one.
func (h *history) belongs(id identity, dir string) bool {
	return h.origin == id.origin || dir != "" && h.dir == dir && h.tool == id.tool
}

// expand puts back what a handle of ours stands for in a request.
func (k *keeper) expand(ctx context.Context, ex *exchange, r *wire.Request, known []wire.Message) (*wire.Request, error) {
	list := wire.Handles(r)
	if len(list) == 0 {
		return r, nil
	}
	h := list[len(list)-1]
	items := k.itemsOf(ctx, h.Handle, identify(ex.in, r.Messages[0].Chain, k.secret), ex.in.Dir)
	if items == nil {
		return r, nil
	}
	body := r.With(items, h.Message+1)
	expanded, err := ex.in.Protocol.Scan(ex.in.Path, body, known)
	if err != nil {
		return nil, err
	}
	ex.in.Body, ex.body, ex.handle = body, body, &h.Handle
	return expanded, nil
}

// itemsOf gives what a handle stands for, nil where that is nothing of the client's.
func (k *keeper) itemsOf(ctx context.Context, h wire.Handle, id identity, dir string) []byte {
	k.mu.Lock()
	i := slices.IndexFunc(k.left, func(one kept) bool { return one.handle == h })
	if i >= 0 {
		defer k.mu.Unlock()
		if !k.left[i].belongs(id, dir) {
			return nil
		}
		return k.left[i].items
	}
	k.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, k.Patience)
	defer stop()
	svc, err := k.sessions(ctx)
	if err != nil {
		return nil
	}
	c, err := svc.Find(ctx, h.Conversation)
	found := history{origin: c.Origin.Key, tool: c.Origin.Tool, dir: c.Origin.Directory}
	if err != nil || c.ID != h.Conversation || !found.belongs(id, dir) {
		return nil
	}
	if found.items = k.read(h); found.items == nil {
		if found.items, err = itemsFromLog(ctx, svc, h); err != nil {
			if !errors.Is(err, store.ErrNotFound) {
				k.Fail(id.tool, "request", "read what Codex left: "+err.Error())
			}
			return nil
		}
	}
	k.keepInMemory(h, found)
	return found.items
}

func (k *keeper) keepInMemory(h wire.Handle, one history) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left = append(k.left, kept{h, one})
	size := 0
	for i := range k.left {
		size += len(k.left[i].items)
	}
	for size > mostLeft && len(k.left) > 1 {
		size -= len(k.left[0].items)
		k.left = slices.Delete(k.left, 0, 1)
	}
}

// keep keeps a history up to an entry of a conversation, and gives its handle. The
// handle holds a sum of it, so that nothing else is taken for it later.
func (k *keeper) keep(conversation string, seq int64, h history) (wire.Handle, error) {
	h.items = slices.Clone(h.items) // and not the request around it
	sum := sumOf(h.items)
	handle := wire.Handle{Conversation: conversation, Epoch: fmt.Sprintf("%d-%x", seq, sum)}
	if handle.String() == "" {
		return handle, errors.New("the conversation's id cannot stand in a handle")
	}
	k.keepInMemory(handle, h)
	dir, err := k.directory()
	if dir == "" || err != nil {
		return handle, err
	}
	if _, err := summary.Directory(dir).Write(summary.HistoryName(conversation, seq, sum), h.items); err != nil {
		return handle, err
	}
	return handle, prune(dir, conversation)
}

func (k *keeper) directory() (string, error) {
	if k.Directory == nil {
		return "", nil
	}
	return k.Directory()
}

// prune removes the oldest files of a conversation.
func prune(dir, conversation string) error {
	all, err := summary.Directory(dir).Of(conversation)
	if err != nil {
		return err
	}
	seq := func(path string) int {
		parts := strings.Split(filepath.Base(path), "-")
		n, _ := strconv.Atoi(parts[max(len(parts)-2, 0)])
		return n
	}
	all = slices.DeleteFunc(all, func(path string) bool { return filepath.Ext(path) != ".json" })
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(seq(b), seq(a)) })
	for _, old := range all[min(mostLeftFiles, len(all)):] {
		err = errors.Join(err, os.Remove(old))
	}
	return err
}

func sumOf(items []byte) [8]byte {
	sum := sha256.Sum256(items)
	return [8]byte(sum[:8])
}

// read gives what the file of a handle holds, nil where there is none, or another.
func (k *keeper) read(h wire.Handle) []byte {
	seq, raw, err := parseEpoch(h.Epoch)
	dir, failed := k.directory()
	if err != nil || failed != nil || dir == "" {
		return nil
	}
	items, err := os.ReadFile(filepath.Join(dir, summary.HistoryName(h.Conversation, seq, raw)))
	if err != nil || sumOf(items) != raw {
		return nil
	}
	return items
}

// parseEpoch reads which entry a history ends before, and its sum.
func parseEpoch(text string) (seq int64, sum [8]byte, err error) {
	number, rest, _ := strings.Cut(text, "-")
	seq, err = strconv.ParseInt(number, 10, 64)
	if n, bad := hex.Decode(sum[:], []byte(rest[:min(len(rest), 16)])); err == nil && (bad != nil || n != len(sum)) {
		err = errors.New("no sum")
	}
	return seq, sum, err
}

// itemsFromLog makes the items anew of what the log has, where the file is gone: ids and
// items that no log knows are lost then.
func itemsFromLog(ctx context.Context, svc *session.Service, h wire.Handle) ([]byte, error) {
	seq, _, err := parseEpoch(h.Epoch)
	if err != nil {
		return nil, err
	}
	s, err := svc.Open(ctx, h.Conversation)
	if err != nil {
		return nil, err
	}
	l := tenfold.NewLog()
	for e := range s.Log().Entries() {
		if e.Seq > seq {
			break
		}
		if !isPartOfHistory(s.Projection(), e) {
			continue
		}
		if _, err := l.Append(e); err != nil {
			return nil, err
		}
	}
	raw, err := body.OpenAIResponses().Write(tenfold.Project(l))
	if err != nil {
		return nil, err
	}
	r, err := wire.OpenAIResponses{}.Scan("/v1/responses", raw, nil)
	if err != nil || len(r.Messages) == 0 {
		return nil, cmp.Or(err, errors.New("the log is empty"))
	}
	return raw[r.Messages[0].From:r.Messages[len(r.Messages)-1].To], nil
}
