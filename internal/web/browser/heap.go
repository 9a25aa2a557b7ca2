package browser

import (
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
