package browser

import (
	"os"
	"path/filepath"
	"testing"
)

// What the page computes without looking at anything else, case by case, in the
// browser that has to.
func TestPureFunctions(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("..", "page", "testdata", "pure.js"))
	if err != nil {
		t.Fatal(err)
	}
	tab := Serve(t).Open(t, "/nowhere")
	// A log of three turns of four entries, of which one compaction hides those from
	// the third to the ninth; the second of each turn is a call, the third its result.
	Eval[bool](tab, string(script)+`; globalThis.pure = pure; pure.some = () => {
		const log = new pure.Log(); const n = 12; const all = f => Array.from({length: n}, (_, i) => f(i + 1));
		const ok = log.merge({version: n, from: 1, kinds: ["turn_start", "tool_call", "tool_result", "usage"], fates: ["kept", "omitted"],
			kind: all(s => (s - 1) % 4), turn: all(s => Math.floor((s - 1) / 4)), step: all(() => 0), before: all(s => s), after: all(s => s >= 3 && s <= 9 ? 0 : s),
			fate: all(s => s >= 3 && s <= 9 ? 1 : 0), by: all(s => s >= 3 && s <= 9 ? 0 : -1), pair: all(s => s % 4 === 2 ? s + 1 : s % 4 === 3 ? s - 1 : 0), flags: all(s => s % 4 === 0 ? 16 : 0)});
		return {log, folds: new pure.Folds(log), ok};
	}; pure.shown = ({log, folds}) => { const l = pure.linesOf(log, folds); return Array.from(l.seq.slice(0, l.count), (s, i) => ["", "T", "H"][l.type[i]] + s).join(" ") }; true`)
	for _, c := range []struct{ expression, want string }{
		{`[0, 999, 1000, 12_345, 99_949, 99_950, 999_949, 999_950, 1_234_567].map(pure.format.tokens).join()`, "0,999,1k,12.3k,99.9k,100k,1000k,1M,1.2M"},
		{`[0, 0.0000042, 0.0042, 0.02, 1.5, 1234.5, -0.25].map(pure.format.dollars).join(" ")`, "$0 $0.000004 $0.0042 $0.0200 $1.50 $1,235 −$0.25"},
		{`[0, 0.004, 0.5, 1].map(pure.format.percent).join(" ")`, "0% 0.4% 50% 100%"},
		{`[0.0001, 0.0096, 0.995, 0.9994, 0.99996, 1.2, -0.001].map(pure.format.percent).join(" ")`, "<0.1% 1% 99.5% 99.9% >99.9% 120% 0%"},
		{`[pure.format.characters("a\u{1f35e}é"), pure.format.characters("")].join()`, "3,0"},
		{`["7", "", "-5", "1.5", "Infinity", "0x10", "1e3", "12345678901"].map(pure.entryIn).join()`, "7,0,0,0,0,0,0,0"},
		{`[850, 12_000, 200_000, 7_500_000].map(pure.format.span).join(", ")`, "850 ms, 12 s, 3 min 20 s, 2 h 5 min"},
		{`pure.format.plural(1, "entry", "entries") + pure.format.plural(1200, "turn")`, "1 entry1,200 turns"},
		{`pure.format.when("0001-01-01T00:00:00Z") + pure.format.full("never")`, ""},
		{`pure.pathOf("/api/conversations/{id}/rows", {id: "a/b?c", from: 1, q: "", x: undefined})`, "/api/conversations/a%2Fb%3Fc/rows?from=1"},
		{`["/", "/c/a%2Fb", "/c/a/view", "/c/a/compactions/x", "/c/a/nope", "/money", "/lab", "/c/%zz"].map(p => { const at = pure.placeOf(p, "?q=1", "#7"); return [at.view, at.id, at.part].join(":") }).join(" ")`, "conversations:: timeline:a/b: view:a: compactions:a:x nowhere:: money:: alllab:: timeline:%zz:"},
		{`pure.placeOf("/c/a", "", "#7").hash`, "7"},
		{`pure.visible("rm \u202etxt.\u2069\u001b[2J\u0085 é\t👩‍👧\n")`, `rm \u202etxt.\u2069\x1b[2J\x85 é` + "\t👩‍👧\n"},
		{`["/jobs", "/jobs/x"].map(p => pure.placeOf(p).view).join()`, "jobs,nowhere"},
		{`pure.pathOf("/api/jobs", {state: ["failed", "running"], conversation: ""})`, "/api/jobs?state=failed&state=running"},
		{`["running", "queued", "retrying", "scheduled", "failed", "cancelled"].map(state => pure.jobs.timing({state, created: "2026-01-01T00:00:00Z", began: "2026-01-01T00:00:05Z", due: "2026-01-01T00:01:00Z", ended: "2026-01-01T00:00:07Z"}, Date.parse("2026-01-01T00:00:10Z"))).join(", ")`, "for 5 s, for 0 ms, begins in 50 s, begins in 50 s, after 2 s, after 2 s"},
		{`["queued", "cancelled"].map(state => pure.jobs.timing({state, created: "2026-01-01T00:00:00Z"}, Date.parse("2026-01-01T00:00:10Z"))).join()`, "for 10 s,"},
		{`[["running", 1], ["retrying", 2], ["completed", 1], ["completed", 3], ["failed", 5], ["queued", 0]].map(([state, attempt]) => pure.jobs.attempts({state, attempt, attempts: 5})).join()`, "attempt 1 of 5,attempt 2 of 5,,3 attempts,5 attempts,"},
		// Usage is bookkeeping, which is hidden until it is asked for.
		{`pure.shown(pure.some())`, "T1 1 2 H3 3 T5 5 6 7 T9 9 10 11"},
		{`(s => (s.folds.setAll("book", false), pure.shown(s)))(pure.some())`, "T1 1 2 H3 3 4 T5 5 6 7 8 T9 9 10 11 12"},
		{`(s => (s.folds.setAll("turn", true), pure.shown(s)))(pure.some())`, "T1 T5 T9"},
		// The third turn goes on after what is hidden, and is headed there.
		{`(s => (s.folds.setAll("group", true), pure.shown(s)))(pure.some())`, "T1 1 2 H3 T10 10 11"},
		{`(s => (s.folds.setAll("group", true), s.folds.set("turn", 10, true), pure.shown(s)))(pure.some())`, "T1 1 2 H3 T10"},
		{`(s => (s.folds.setAll("result", true), pure.shown(s)))(pure.some())`, "T1 1 2 H3 T5 5 6 T9 9 10"},
		{`(s => (s.folds.setAll("turn", true), s.folds.setAll("group", true), s.folds.setAll("result", true), s.folds.reveal(7), pure.shown(s)))(pure.some())`, "T1 T5 5 6 7 T9"},
		{`(s => [0, 1, 4, 8, 12].map(q => pure.indexOf(pure.linesOf(s.log, s.folds), q)).join())(pure.some())`, "0,1,4,8,12"},
		// A compaction within what another one hides stays in sight.
		{`(s => { s.log.kinds[3] = "compaction"; s.log.merge({version: 12, from: 12, kinds: ["compaction"], fates: ["kept"], kind: [0], turn: [2], step: [0], before: [0], after: [0], fate: [0], by: [-1], pair: [0], flags: [16]});
			s.folds.setAll("group", true); return pure.shown(s) })(pure.some())`, "T1 1 2 3 4 T5 H5 8 T9 9 10 11 12"},
		// An outline that begins after what is known is refused; one from the middle replaces.
		{`(({log}) => { const one = from => ({version: from, from, kinds: ["usage"], fates: ["kept"], kind: [0], turn: [5], step: [0], before: [9], after: [9], fate: [0], by: [-1], pair: [0], flags: [16]});
			return [log.merge(one(14)), log.length, log.merge(one(13)), log.length, log.merge(one(6)), log.length, log.turnSeqs.join("/"), log.kindAt(6)].join() })(pure.some())`, "false,12,true,13,true,6,1/5/6,usage"},
	} {
		if got := Eval[string](tab, c.expression); got != c.want {
			t.Errorf("%s\n  gives %q\n  want  %q", c.expression, got, c.want)
		}
	}
}
