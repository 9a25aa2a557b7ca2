package terminal

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Progress draws a bar on standard error during long work. A nil progress draws
// nothing.
type Progress struct {
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
	ProgressAfter = 500 * time.Millisecond
	ProgressEvery = 100 * time.Millisecond
)

// StartProgress starts a bar that appears if the work takes long.
func (t *Terminal) StartProgress(label string, total int64) *Progress {
	t.Progress.End()
	if !t.ErrTTY || t.Quiet || t.plain {
		return nil
	}
	p := &Progress{out: t.Err, width: t.ErrWidth, stop: make(chan struct{}), gone: make(chan struct{})}
	p.Stage(label, total)
	t.Progress = p
	go p.draw()
	return p
}

// Stage sets what is being done, and its total.
func (p *Progress) Stage(label string, total int64) {
	if p == nil {
		return
	}
	label = VisibleLine(label)
	p.label.Store(&label)
	p.done.Store(0)
	p.total.Store(total)
}

// At sets how much is done.
func (p *Progress) At(done int64) {
	if p != nil {
		p.done.Store(done)
	}
}

// End removes the bar.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.once.Do(func() { close(p.stop) })
	<-p.gone
}

func (p *Progress) draw() {
	defer close(p.gone)
	select {
	case <-p.stop:
		return
	case <-time.After(ProgressAfter):
	}
	tick := time.NewTicker(ProgressEvery)
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

// Line is the bar as text: "import a.jsonl  ████░░░░  42 %".
func (p *Progress) line() string {
	label, total := *p.label.Load(), p.total.Load()
	if total <= 0 {
		return ansi.Truncate(label+" …", p.width-1, "…")
	}
	const cells = 20
	done := min(max(p.done.Load(), 0), total)
	full := int(done * cells / total)
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	tail := "  " + bar + "  " + PadLeft(strconv.Itoa(int(done*100/total)), 3) + " %"
	return ansi.Truncate(label, max(p.width-1-ansi.StringWidth(tail), 8), "…") + tail
}
