package cli

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// progress draws a bar on standard error during long work. A nil progress draws
// nothing.
type progress struct {
	out   io.Writer
	width int
	label atomic.Pointer[string]
	done  atomic.Int64
	total atomic.Int64 // 0: unknown, no bar

	once sync.Once
	stop chan struct{}
	gone chan struct{}
}

const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// startProgress starts a bar that appears if the work takes long.
func (t *terminal) startProgress(label string, total int64) *progress {
	t.progress.end()
	if !t.errTTY || t.quiet || t.plain {
		return nil
	}
	p := &progress{out: t.err, width: t.errWidth, stop: make(chan struct{}), gone: make(chan struct{})}
	p.stage(label, total)
	t.progress = p
	go p.draw()
	return p
}

// stage sets what is being done, and its total.
func (p *progress) stage(label string, total int64) {
	if p == nil {
		return
	}
	label = visibleLine(label)
	p.label.Store(&label)
	p.done.Store(0)
	p.total.Store(total)
}

// at sets how much is done.
func (p *progress) at(done int64) {
	if p != nil {
		p.done.Store(done)
	}
}

// end removes the bar.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.once.Do(func() { close(p.stop) })
	<-p.gone
}

func (p *progress) draw() {
	defer close(p.gone)
	select {
	case <-p.stop:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		_, _ = io.WriteString(p.out, "\r\x1b[K"+p.line())
		select {
		case <-p.stop:
			_, _ = io.WriteString(p.out, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}

// line is the bar as text: "import a.jsonl  ████░░░░  42 %".
func (p *progress) line() string {
	label, total := *p.label.Load(), p.total.Load()
	if total <= 0 {
		return ansi.Truncate(label+" …", p.width-1, "…")
	}
	const cells = 20
	done := min(max(p.done.Load(), 0), total)
	full := int(done * cells / total)
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	tail := "  " + bar + "  " + padLeft(strconv.Itoa(int(done*100/total)), 3) + " %"
	return ansi.Truncate(label, max(p.width-1-ansi.StringWidth(tail), 8), "…") + tail
}
