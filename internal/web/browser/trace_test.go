package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tenfold/internal/logtest"
)

// A conversation of 100,000 entries opens at once and scrolls smoothly, in little
// memory.
func TestScrollingAt100000Entries(t *testing.T) {
	Dear(t)
	s := Serve(t)
	s.Create("long", "100,000 entries", logtest.Long(100_000)...)
	s.Call("GET", "/api/conversations/long", "") // whoever opens it from the list has it opened
	tab := s.Open(t, "/")
	const rows = `document.querySelectorAll(".grid .lines [role=row]").length > 5 && !document.querySelector(".grid .coming")`
	Do(tab, "watch for rows", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `(function look() { if (` + rows + `) window.rowsAt = performance.now(); else requestAnimationFrame(look) })()`,
		})
		return err
	}))
	tab.Go("/c/long")
	tab.Wait("window.rowsAt")
	paint := Eval[float64](tab, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	t.Logf("first paint after %.0f ms, rows after %.0f ms", paint, Eval[float64](tab, "window.rowsAt"))
	if paint > 300 {
		t.Errorf("the first paint is after %.0f ms, not 300", paint)
	}
	Eval[int](tab, `(document.querySelector(".grid").scrollTop = 0, 1)`)
	for _, pixels := range []int{10, 100, 2000} { // a finger, a wheel, the scroll bar
		f := tab.Scroll(".grid", pixels, 4, `at.querySelectorAll("[role=row]").length > 5`)
		t.Logf("%d pixels a frame: %.1f frames a second, the worst %.0f ms, rows in %d of %d", pixels, f.Rate, f.Worst, f.Shown, f.All)
		if f.Rate < 55 || f.Shown < f.All {
			t.Errorf("%d pixels a frame: %+v", pixels, f)
		}
	}
	heap := tab.Heap()
	t.Logf("the tab holds %.1f MB", float64(heap)/(1<<20))
	if heap > 150<<20 {
		t.Errorf("the tab holds %d bytes", heap)
	}
	tab.Pictures("long")
}
