package browser

import (
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Heap is what the tab's scripts hold once garbage is collected, in bytes: objects,
// what the browser keeps for them, and the memory of arrays.
func (b *Tab) Heap() int64 {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		b.t.Fatal(err)
	}
	h, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	return int64(h.UsedSize + h.EmbedderHeapUsedSize + h.BackingStorageSize)
}

// Frames are how a stretch of time went on the screen.
type Frames struct {
	// Rate is frames a second, Worst the longest that one took, in milliseconds.
	Rate, Worst float64
	// All is the number of frames; in Shown of them the expression was true.
	Shown, All int
}

// Scroll scrolls an element down by so many pixels a frame for some seconds, and
// tells how the frames went. In each frame it looks whether expression is true, as
// whether there are rows rather than blank places; "at" is the element.
func (b *Tab) Scroll(selector string, pixels, seconds int, expression string) Frames {
	b.t.Helper()
	return Eval[Frames](b, fmt.Sprintf(`new Promise(done => {
		const at = document.querySelector(%q), shown = () => !!(%s)
		let began = 0, last = 0, n = 0, worst = 0, good = 0
		const frame = now => {
			if (!began) began = now
			else { n++; worst = Math.max(worst, now - last); if (shown()) good++ }
			last = now
			if (now - began >= %d) return done({Rate: n * 1000 / (now - began), Worst: worst, Shown: good, All: n})
			at.scrollTop += %d
			requestAnimationFrame(frame)
		}
		requestAnimationFrame(frame)
	})`, selector, expression, seconds*1000, pixels))
}
