// The first view: all conversations of the store, what they cost and what of them a
// model still sees.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversations, Facet, ListSums } from "../api";
import { call } from "../call";
import { count, dollars, percent, plural, tokens } from "../format";
import { usePoll } from "../parts/clock";
import { Empty, ProblemBox, useLoad } from "../parts/load";
import { change } from "../query";
import { conversationPath, go } from "../router";
import { useKeys } from "../shell/keys";
import { meta } from "../shell/shell";
import { fail } from "../shell/toast";
import { Begin } from "./begin";
import { baseName, clear, filtered, list, orders, totals, wanted } from "./list";
import { Rows } from "./rows";
import "../parts/page.css";
import "./conversations.css";

/** How many rows there are at first, and how many more come at the end of the list. */
const step = 100;
/** How often the list is asked for again while it can be seen, in milliseconds. */
const often = 5000;
/** How often the totals are, which cost the server as much as there are conversations. */
const seldom = 60_000;

export function ConversationsView(_: { id: string }) {
  const w = wanted();
  const words = JSON.stringify(w);
  const [rows, setRows] = useState(step);
  useEffect(() => setRows(step), [words]);
  const got = useLoad((signal) => list(w, rows, signal), [words, rows]);
  usePoll(got, often);
  const sums = useLoad((signal) => totals(w, signal), [words]);
  usePoll(sums, seldom);
  const all = got.value;
  const total = sums.value?.total;
  if (!all) return got.error !== undefined ? <ProblemBox error={got.error} again={got.again} /> : <p class="waits" aria-busy="true">Loading…</p>;
  const items = all.items ?? [];
  const none = items.length === 0 && !filtered(w);
  return (
    <div class="page conversations">
      <header>
        <h1>Conversations</h1>
        {meta.value?.agent && !meta.value.read_only && <New />}
      </header>
      {got.error !== undefined && <ProblemBox error={got.error} again={got.again} />}
      {none ? <Begin /> : (
        <>
          {sums.value?.sums && <Totals of={sums.value.sums} total={total ?? 0} />}
          <Filters of={sums.value} />
          {items.length === 0
            ? <Empty title="No conversation matches"><p>The list looks at titles, projects and ids. To look into what was said, <a href={`/search${w.q ? `?q=${encodeURIComponent(w.q)}` : ""}`}>search everything</a>.</p><button onClick={clear}>Clear the filters</button></Empty>
            : <Rows items={items} total={total} sort={w.sort} />}
          {all.next && <More shown={items.length} total={total} more={() => setRows(items.length + step)} />}
        </>
      )}
    </div>
  );
}

function New() {
  const [busy, work] = useState(false);
  const start = () => {
    work(true);
    void call("POST /api/conversations", {}, {}).then((c) => go(conversationPath(c.id)), (e) => (work(false), fail(e)));
  };
  return <button class="primary" disabled={busy} onClick={start}>New conversation</button>;
}

/** What all conversations that pass the filters come to. */
function Totals({ of, total }: { of: ListSums; total: number }) {
  const { before, after, dollars: cost } = of;
  const share = before > 0 ? after / before : 1;
  return (
    <section class="con-sum" aria-label="Totals">
      <p>
        <strong>{plural(total, "conversation")}</strong>
        <span><strong>{tokens(before)}</strong> tokens said</span>
        <span>a model sees <strong>{tokens(after)}</strong>{share < 0.9995 && <span class="gain"> ({percent(1 - share)} less)</span>}</span>
        {cost > 0 && <a href="/money"><strong>{dollars(cost)}</strong> spent</a>}
      </p>
      <span class="con-whole" aria-hidden="true"><span style={{ width: `${share * 100}%` }} /></span>
    </section>
  );
}

function Filters({ of }: { of: Conversations | undefined }) {
  const w = wanted();
  const find = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useKeys("Conversations", [{ key: "f", does: "find by title or project", run: () => find.current?.focus() }]);
  const typed = (q: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => change({ q }, true), 200);
  };
  // A value that came another way, by a link or by going back, is shown.
  useEffect(() => {
    if (find.current && document.activeElement !== find.current) find.current.value = w.q;
  }, [w.q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <search class="fields" aria-label="Filters">
      <label class="grow"><span class="unseen">Find by title, project or id</span><input ref={find} type="search" placeholder="Find by title, project or id" defaultValue={w.q} onInput={(e) => typed(e.currentTarget.value)} /></label>
      <Choice name="project" label="Project" any="All projects" value={w.project} of={of?.projects ?? []} short={baseName} />
      <Choice name="tool" label="Tool" any="All tools" value={w.tool} of={of?.tools ?? []} />
      <label>From <input type="date" value={w.since} onChange={(e) => change({ since: e.currentTarget.value })} /></label>
      <label>To <input type="date" value={w.until} onChange={(e) => change({ until: e.currentTarget.value })} /></label>
      <label>
        Sort
        <select value={w.sort} onChange={(e) => change({ sort: e.currentTarget.value === "updated" ? "" : e.currentTarget.value })}>
          {Object.entries(orders).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
      {filtered(w) && <button onClick={clear}>Clear</button>}
    </search>
  );
}

function Choice(props: { name: string; label: string; any: string; value: string; of: Facet[]; short?: (value: string) => string }) {
  const { name, label, any, value, of, short = (v) => v } = props;
  if (of.length === 0 && !value) return null;
  // Two directories of the same name are told apart by the whole path.
  const names = of.map((f) => short(f.value));
  const text = (f: Facet, i: number) => (names.indexOf(names[i]!) === names.lastIndexOf(names[i]!) ? names[i]! : f.value);
  return (
    <label>
      <span class="unseen">{label}</span>
      <select value={value} title={value || undefined} onChange={(e) => change({ [name]: e.currentTarget.value })}>
        <option value="">{any}</option>
        {value && !of.some((f) => f.value === value) && <option value={value}>{short(value)}</option>}
        {of.map((f, i) => <option key={f.value} value={f.value} title={f.value}>{text(f, i)} ({count(f.count)})</option>)}
      </select>
    </label>
  );
}

/** The end of what is shown: more comes when it is scrolled to, or at a press. */
function More({ shown, total, more }: { shown: number; total: number | undefined; more: () => void }) {
  const at = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && more(), { rootMargin: "600px" });
    watch.observe(at.current!);
    return () => watch.disconnect();
  }, [shown]);
  return <p class="con-more"><button ref={at} onClick={more}>Show more ({count(shown)}{total !== undefined && ` of ${count(total)}`})</button></p>;
}
