package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
)

// spent is a conversation whose requests cost something at certain times, by the
// price of a model that is known or not; with hidden, its first turn is hidden before
// the last half.
func spent(model string, hidden bool, input, output int, at ...time.Time) []tenfold.Entry {
	all := []tenfold.Entry{
		{Time: at[0], Payload: tenfold.TurnStart{}},
		{Time: at[0], Payload: tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("a long request ", 4000))}},
	}
	add := func(at time.Time, p tenfold.Payload) { all = append(all, tenfold.Entry{Time: at, Payload: p}) }
	for i, t := range at {
		if hidden && i == len(at)/2 {
			add(t, tenfold.TurnStart{})
			add(t, tenfold.UserMessage{Parts: tenfold.Text("and now?")})
			add(t, tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit, Source: "user"})
		}
		add(t, tenfold.AssistantMessage{Text: "done"})
		add(t, tenfold.Usage{Model: model, Input: input, Output: output})
	}
	return all
}

// every is as many times, so far apart.
func every(apart time.Duration, from time.Time, n int) []time.Time {
	var all []time.Time
	for i := range n {
		all = append(all, from.Add(time.Duration(i)*apart))
	}
	return all
}

func TestWhatConversationsCost(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	const haiku = "claude-haiku-4-5" // a dollar for each million tokens read, five for each written
	for _, c := range []session.Create{
		{ID: "a", Title: "Bread", Origin: store.Origin{Directory: "/home/me/bakery"}, Entries: spent(haiku, false, 1_000_000, 100_000, every(24*time.Hour, begin, 2)...)},
		{ID: "b", Title: "Soup", Origin: store.Origin{Directory: "/home/me/kitchen"}, Entries: spent("no-such-model", false, 500, 10, begin)},
		{ID: "c", Title: "Tea", Origin: store.Origin{Directory: "/home/me/kitchen"}, Entries: spent(haiku, true, 20_000, 10, every(time.Minute, begin.AddDate(0, 0, 3), 8)...)},
	} {
		if _, err := s.Service.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	tab := s.Open(t, "/money")
	tab.WaitText(".totals", "$3.16")
	tab.Wait(`!document.querySelector(".measuring")`)
	tab.WaitText(".unpriced", "1 request without a price")
	rows := func() string {
		return Eval[string](tab, `[...document.querySelectorAll("table.sheet tbody tr")].map(r => [...r.cells].slice(0, 4).map(c => c.innerText.trim()).join(" ")).join("|")`)
	}
	saved := Eval[string](tab, `document.querySelector(".totals .gain, .totals .loss").innerText`)
	want := "Wed, Mar 4, 2026 $0.16 " + saved + " 8|Mon, Mar 2, 2026 $1.50 – 1|Sun, Mar 1, 2026 $1.50 – 2"
	if got := strings.ReplaceAll(rows(), " + 1 unpriced", ""); got != want || !strings.ContainsAny(saved, "▲▼") {
		t.Errorf("by day: %s, want %s", got, want)
	}
	// The plot has bars of three days, and what the pointer is at is read out.
	tab.Wait(`document.querySelector(".plot canvas")`)
	if got := Eval[string](tab, `document.querySelector(".plot").ariaLabel`); got != "Cost and savings in 3 days. The table below has the figures by day." {
		t.Errorf("the plot is %q", got)
	}
	Eval[bool](tab, `(() => { const o = document.querySelector(".u-over"), r = o.getBoundingClientRect(); return o.dispatchEvent(new MouseEvent("mousemove", {clientX: r.left + 2, clientY: r.top + 9, bubbles: true})) })()`)
	tab.WaitText(".readout", "Sun, Mar 1, 2026: $1.50, saved $0")
	tab.Pictures("money")
	tab.Narrow()
	for by, want := range map[string]string{
		"project":      "/home/me/bakery $3.00 – 2|/home/me/kitchen $0.16 + 1 unpriced " + saved + " 9",
		"model":        haiku + " $3.16 " + saved + " 10|no-such-model unpriced – 1",
		"conversation": "Bread $3.00 – 2|Tea $0.16 " + saved + " 8|Soup unpriced – 1",
	} {
		Eval[bool](tab, `(() => { const s = [...document.querySelectorAll(".page select")].find(s => s.options[0].value === "day"); s.value = "`+by+`"; return s.dispatchEvent(new Event("change", {bubbles: true})) })()`)
		tab.Wait(`location.search === "?by=` + by + `" && document.querySelector("table.sheet caption").innerText === "Costs by ` + by + `" && !document.querySelector(".stale")`)
		tab.Wait(`document.querySelector("table.sheet tbody").innerText.includes("` + strings.Fields(want)[0] + `")`)
		if got := rows(); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	tab.Go("/money?since=2026-03-02&until=2026-03-02")
	tab.WaitText(".totals", "$1.50")
	tab.Go("/money?since=2025-03-02&until=2025-03-02")
	tab.WaitText(".empty", "Nothing was spent in these days")
	tab.Go("/money")
	tab.Wait(`document.querySelector(".plot canvas")`)
	tab.Accessible()
}

// worked is a conversation in which what results showed is used three calls later, so
// that the lab can measure what a strategy keeps of it.
func worked(requests int) []tenfold.Entry {
	all := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("fix it")}}}
	for i := range requests {
		id, command := fmt.Sprintf("c%d", i), fmt.Sprintf("run step%d.sh", i)
		if i > 0 && i%3 == 0 {
			command = fmt.Sprintf("cat src/module%d/handler%d.go", i-3, i-3)
		}
		all = append(all,
			tenfold.Entry{Payload: tenfold.ToolCall{CallID: id, Name: "Bash", Arguments: fmt.Sprintf(`{"command":%q}`, command)}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(fmt.Sprintf("compiled src/module%d/handler%d.go without warnings today\nanother plain line of output here", i, i))}})
	}
	return all
}

func TestTheLabPlotsWhatStrategiesKeep(t *testing.T) {
	t.Parallel()
	s := Serve(t)
	if _, err := s.Service.Create(t.Context(), session.Create{ID: "long", Title: "Long work", Origin: store.Origin{Directory: "/home/me/work"}, Entries: worked(40)}); err != nil {
		t.Fatal(err)
	}
	s.Create("short", "Short", wordy("Who?", "You.", 3)...)
	tab := s.Open(t, "/c/long/lab")
	tab.WaitText(".lab", "Measured on one conversation.")
	tab.Wait(`document.querySelector(".plot canvas") && document.querySelector(".panels").innerText.includes("EDR cannot be measured here")`)
	// The table says what the server measured, and marks what no other beats.
	_, stream := s.Call("GET", "/api/conversations/long/lab", "")
	type point struct {
		Strategy   string
		Share, CUR float64
	}
	var points []point
	for block := range strings.SplitSeq(stream, "\n\n") {
		if data, found := strings.CutPrefix(block, "event: point\ndata: "); found {
			var p point
			decode(t, data, &p)
			points = append(points, p)
		}
	}
	var want []string
	for _, p := range points {
		beaten := p.CUR == 0 || strings.HasPrefix(p.Strategy, "clairvoyant") || slices.ContainsFunc(points, func(q point) bool {
			return !strings.HasPrefix(q.Strategy, "clairvoyant") && q.Share <= p.Share && q.CUR >= p.CUR && (q.Share < p.Share || q.CUR > p.CUR)
		})
		want = append(want, fmt.Sprintf("%s|%.0f%%|%.3f|%v", p.Strategy, p.Share*100, p.CUR, !beaten))
	}
	got := Eval[[]string](tab, `[...document.querySelectorAll("table.sheet tbody tr")].map(r => [r.dataset.strategy, r.cells[2].innerText, r.cells[3].innerText.slice(0, 5), r.cells[3].innerText.includes("★")].join("|"))`)
	slices.Sort(want)
	slices.Sort(got)
	if len(points) < 8 || !slices.Equal(got, want) {
		t.Errorf("the table has\n%q, want\n%q", got, want)
	}
	// Ours and baselines are told apart by their signs, each by its own.
	if got := Eval[bool](tab, `(() => { const signs = [...document.querySelectorAll(".legend .sign")].map(s => s.classList.contains("baseline") + s.querySelector("path").getAttribute("d")); return signs.length > 4 && new Set(signs).size === signs.length })()`); !got {
		t.Error("two strategies have the same sign")
	}
	// The keyboard goes from point to point; the plot and the table show where it is.
	Eval[bool](tab, `(document.querySelector(".frontier").focus(), true)`)
	tab.Keys(kb.End)
	tab.WaitText(".readout", ": keeps 100% of the tokens, CUR 1.000, EDR –")
	tab.Wait(`document.querySelector(".readout").innerText.startsWith(document.querySelector("tr.chosen").dataset.strategy + ": ")`)
	tab.Keys(Escape)
	tab.Wait(`!document.querySelector("tr.chosen")`)
	// The pointer finds the sign of everything, at the end of the axis.
	Eval[bool](tab, `(() => { const o = document.querySelector(".u-over"), r = o.getBoundingClientRect(); return o.dispatchEvent(new MouseEvent("mousemove", {clientX: r.right - 18, clientY: r.top + 12, bubbles: true})) })()`)
	tab.WaitText(".readout", ": keeps 100%")
	tab.Pictures("lab")
	tab.Narrow()
	tab.Go("/lab?project=/home/me/work")
	tab.WaitText(".lab", "Measured on one conversation.")
	tab.WaitText(".fields select", "/home/me/work (1)")
	tab.Accessible()
	tab.Go("/c/short/lab")
	tab.WaitText(".empty", "Nothing to measure here")
	tab.Bear("404")
	tab.Go("/c/nowhere/lab")
	tab.Wait(`document.querySelector(".problem h2")`)
}
