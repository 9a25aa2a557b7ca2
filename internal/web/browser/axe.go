package browser

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// axe is the source of axe-core, which test/page/package.json pins.
var axe = sync.OnceValues(func() (string, error) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "test", "page", "node_modules", "axe-core", "axe.min.js"))
	return string(data), err
})

// A violation is a rule of accessibility that elements of a page break.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML           string `json:"html"`
		FailureSummary string `json:"failureSummary"`
	}
}

// Accessible fails the test for each rule of axe-core that the page breaks as it
// stands, in both themes. The second differs in its colours alone.
func (b *Tab) Accessible() {
	b.t.Helper()
	source, err := axe()
	if err != nil {
		missing(b.t, "axe-core is not installed (cd test/page && npm install)")
	}
	Do(b, "load axe-core", chromedp.Evaluate[chromedp.Void](source+";0"))
	for dark, rules := range []string{"", `, runOnly: ["color-contrast", "link-in-text-block"]`} {
		theme := []string{"light", "dark"}[dark]
		b.media("prefers-color-scheme", theme)
		found := Eval[[]violation](b, `axe.run(document, {resultTypes: ["violations"]`+rules+`}).then(r => r.violations.map(v =>
			({id: v.id, help: v.help, nodes: v.nodes.slice(0, 5).map(n => ({html: n.html, failureSummary: n.failureSummary}))})))`)
		for _, v := range found {
			var at []string
			for _, n := range v.Nodes {
				at = append(at, n.HTML+"\n    "+strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
			}
			b.t.Errorf("%s: %s: %s\n  %s", theme, v.ID, v.Help, strings.Join(at, "\n  "))
		}
	}
}
