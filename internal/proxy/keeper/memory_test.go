package keeper_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tenfold/internal/proxy/keeper"
	"tenfold/store"
	"tenfold/store/memory"
)

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools let go of what they hold at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// sources are files of this program, which an agent might have read.
func sources(t *testing.T, bytes int) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || bytes <= 0 || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, string(text))
		bytes -= len(text)
		return err
	})
	if err != nil || bytes > 0 {
		t.Fatalf("%v: %d bytes are missing", err, bytes)
	}
	return files
}

// mostKept is how much memory a conversation may take that is in no store, for each byte
// that its client sends: what the client sends again with each request is not needed.
const mostKept = 0.6

// Without a store only what a projection needs stays in memory between requests, and
// what it needs is there: each request of an epoch begins with the one before it (X3).
func TestX3WithoutAStoreLittleIsKept(t *testing.T) {
	filled(t).close() // what is made once is not part of it
	c := newClient(newPlace(t), "one")
	c.live.Request.Options.Window = 200_000
	files := sources(t, 2<<20)
	for i, text := range files {
		if i%10 == 0 {
			c.user(fmt.Sprintf("Look at file_%d.go, please.", i))
		}
		c.messages = append(c.messages,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}]}`, i, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, i, said(text)))
		if i%10 == 9 || i == len(files)-1 {
			c.messages = append(c.messages, `{"role":"assistant","content":[`+said("I have read it.")+`]}`)
		}
	}
	size := int64(len(c.body()))
	c.messages = slices.Grow(c.messages, 16)
	before := heap()
	c.store, c.spare = memory.New(memory.Packed()), true
	c.restart()
	last := ""
	for turn := range 3 {
		c.user(fmt.Sprint("And now? ", turn))
		ex := c.send()
		sent := string(ex.Body())
		if last != "" && !begins(t, last, sent) {
			t.Errorf("turn %d does not begin with the one before it", turn)
		}
		c.answered(ex, said("Fine."))
		keeper.Rest(c.k, true)
		last = sent
	}
	c.cached = ""
	if kept := float64(heap()-before) / float64(size); kept > mostKept {
		t.Errorf("%.2f bytes are kept for each of %d", kept, size)
	} else {
		t.Logf("%.2f bytes are kept for each of %d", kept, size)
	}
	if st := c.status(); st.Epochs != 1 || st.Edited != 3 || st.Saved == 0 {
		t.Errorf("status is %+v", st)
	}
	for _, e := range c.failures() {
		t.Error(e)
	}
	c.close()
	runtime.KeepAlive(c)
}

// V7: a conversation that somebody deleted while it rested is stored anew, whole.
func TestV7WhatRestsMayBeGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spare = true
	p.restart()
	c := newClient(p, "one")
	c.turn(100)
	keeper.Rest(c.k, true)
	gone := c.conversations()
	if err := c.store.Delete(t.Context(), gone[0], store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	c.turn(100)
	c.close()
	if turns, results, _ := c.logOf(); turns != 2 || results != 2 || slices.Equal(c.conversations(), gone) {
		t.Errorf("the log has %d turns, %d results", turns, results)
	}
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// V7: a message that nobody can read keeps a conversation out of the store, and none of its
// requests in memory.
func TestV7WhatCannotBeStoredIsNotKept(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.user("Hello.")
	c.messages = append(c.messages, `{"role":"assistant","content":[{"type":"thinking","signature":"s"},`+said("Hello.")+`]}`)
	for range 10 {
		c.turn(1000)
	}
	if n := keeper.Behind(c.k); n > 0 {
		t.Errorf("%d bytes are kept of requests that others followed", n)
	}
	if f := c.failures(); len(f) == 0 || !strings.Contains(f[0], "message 1") {
		t.Errorf("failures: %q", f)
	}
	c.close()
}
