import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { View, ViewItem } from "../api";
import { call } from "../call";
import { useWidth } from "../compactions/figure";
import { rowName } from "../compactions/model";
import { useNarrow, useRem, useWindow } from "../compactions/window";
import { useConversation } from "../conversation";
import { characters, count, full, percent, plural, when } from "../format";
import { FateSign } from "../parts/fate";
import { useClock } from "../parts/clock";
import { Empty, ProblemBox, useLoad, Waits } from "../parts/load";
import { conversationPath, go, place } from "../router";
import { useKeys } from "../shell/keys";
import { meta } from "../shell/shell";
import { fail, say } from "../shell/toast";
import { boundary, groupNames, groupOf, pieces, totals } from "./model";
import "./view.css";

const wires: Record<string, string> = {
  anthropic: "Anthropic",
  "openai-chat": "OpenAI chat",
  "openai-responses": "OpenAI responses",
  gemini: "Gemini",
};

/** usual is the provider that a model is asked at as a rule. */
function usual(model: string, providers: string[]): string {
  const wire = /^(claude|anthropic)/.test(model) ? "anthropic" : /^(gemini|google)/.test(model) ? "gemini" : /^(gpt-5|o\d|codex)/.test(model) ? "openai-responses" : "";
  return providers.find((p) => p === wire) ?? providers[0] ?? "";
}

/** ModelView shows what a model sees of a conversation, exactly, for the provider that is chosen. */
export function ModelView({ id }: { id: string }) {
  const open = useConversation(id);
  const version = open.version.value;
  const providers = meta.value?.providers ?? [];
  const chosen = place.value.query.get("provider") ?? usual(open.conversation.value?.model ?? "", providers);
  const body = place.value.query.get("show") === "body";
  const loaded = useLoad(
    async (signal) => (chosen ? await call("GET /api/conversations/{id}/view", { id, provider: chosen, limit: 0 }, undefined, signal) : undefined),
    [id, chosen, version],
  );
  const to = (provider: string, show: boolean) => `${conversationPath(id, "view")}?provider=${encodeURIComponent(provider)}${show ? "&show=body" : ""}`;
  return (
    <div class="sees">
      <header>
        <h1>What a model sees</h1>
        <div class="choose">
          <label>
            As sent to{" "}
            <select value={chosen} onChange={(e) => go(to(e.currentTarget.value, body), true)}>
              {providers.map((p) => (
                <option key={p} value={p}>
                  {wires[p] ?? p}
                </option>
              ))}
            </select>
          </label>
          <span class="tabs2">
            <a href={to(chosen, false)} aria-current={body ? undefined : "page"}>
              Items
            </a>
            <a href={to(chosen, true)} aria-current={body ? "page" : undefined}>
              Exact body
            </a>
          </span>
        </div>
      </header>
      <Waits of={loaded}>
        {(v) =>
          v && (
            <>
              <Overview id={id} v={v} />
              {body ? <Body id={id} v={v} provider={chosen} /> : <Items key={`${chosen}${v.version}`} id={id} v={v} provider={chosen} />}
            </>
          )
        }
      </Waits>
    </div>
  );
}

function Overview({ id, v }: { id: string; v: View }) {
  const cached = boundary(v);
  const until = v.warm ? new Date(v.warm) : undefined;
  const warm = until && until.getFullYear() > 1 ? until.getTime() : 0;
  const expired = useClock(warm > Date.now()) >= warm && warm > 0; // while one looks at it, too
  return (
    <>
      <p>
        <strong>{count(v.tokens)} tokens</strong> in {plural(v.total, "item")}
        {v.config > 0 && `, ${count(v.config)} of them system prompt and tools`}.{" "}
        {cached === 0
          ? "Its beginning is new to the provider: nothing of it can come from the prompt cache."
          : expired
            ? `The first ${count(cached)} tokens were in the last answered request, but the provider has forgotten them since ${when(v.warm!)}.`
            : `The first ${count(cached)} tokens (${percent(cached / v.tokens)}) were in the last answered request${warm ? `; the provider keeps them until ${when(v.warm!)}` : " and may be in the provider's cache"}.`}
      </p>
      {v.problems.length > 0 && (
        <div class="note warn" role="alert">
          <strong>The provider would reject this request:</strong>
          <ul>
            {v.problems.map((p) => (
              <li key={p}>{p}</li>
            ))}
          </ul>
        </div>
      )}
      <Strip v={v} cached={cached} />
      <Epochs id={id} v={v} />
    </>
  );
}

/** Strip draws the view as one bar, in order and to scale, with the boundary of the prompt cache. */
function Strip({ v, cached }: { v: View; cached: number }) {
  const [at, width] = useWidth<HTMLDivElement>();
  const x = (n: number) => (n / Math.max(v.tokens, 1)) * width;
  const [sums, drawn] = useMemo(() => [totals(v), pieces(v)] as const, [v]);
  const words = `${count(v.tokens)} tokens: ${sums.map((s) => `${groupNames[s.group]} ${count(s.tokens)}`).join(", ")}. ${cached ? `The first ${count(cached)} may be in the provider's cache.` : ""}`;
  const edge = x(cached);
  return (
    <figure class="strip" ref={at}>
      {width > 0 && (
        <svg width={width} height={cached ? 66 : 30} role="img" aria-label={words}>
          {drawn.map((p, i) => (
            <rect key={i} class={`g-${p.group}`} x={x(p.from)} y={0} width={Math.max(x(p.to) - x(p.from), 0.5)} height={28} />
          ))}
          {cached > 0 && (
            <g class="edge">
              <path d={`M0.5 32v6H${Math.max(edge - 0.5, 1)}v-6`} />
              <line x1={edge} x2={edge} y1={0} y2={44} />
              <text x={Math.min(Math.max(edge / 2, 60), width - 60)} y={58}>
                cached: {count(cached)}
              </text>
              {width - edge > 120 && (
                <text x={(edge + width) / 2} y={58}>
                  new: {count(v.tokens - cached)}
                </text>
              )}
            </g>
          )}
        </svg>
      )}
      <figcaption>
        {sums.map((s) => (
          <span key={s.group}>
            <span class={`swatch g-${s.group}`} aria-hidden="true" /> {groupNames[s.group]} <span class="number">{count(s.tokens)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Epochs are the stretches in which the beginning of the view stayed as it was. */
function Epochs({ id, v }: { id: string; v: View }) {
  if (v.epochs.length < 2) return null;
  const most = Math.max(1, ...v.epochs.map((e) => e.tokens));
  return (
    <details class="epochs">
      <summary>
        {plural(v.epochs.length, "epoch")} <span class="soft">the provider's cache began anew {v.epochs.length === 2 ? "once" : `${v.epochs.length - 1} times`}, because the beginning of the view changed</span>
      </summary>
      <ol>
        {v.epochs.map((e, i) => (
          <li key={i}>
            <span>
              {i}. <time dateTime={e.at} title={full(e.at)}>{when(e.at) || "start"}</time>
            </span>
            <span class="track" aria-hidden="true">
              <span class="is" style={{ width: `${(100 * e.tokens) / most}%` }} />
            </span>
            <span class="number">{e.tokens > 0 ? `begins with ${count(e.tokens)} tokens` : "size not recorded"}</span>
            <span>{e.compaction ? <a href={conversationPath(id, `compactions/${encodeURIComponent(e.compaction)}`)}>by a compaction</a> : i === 0 ? "the beginning" : "by an undo or a pin"}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

const page = 100;

/** useItems fetches items a page at a time, where they are needed. */
function useItems(id: string, provider: string, version: number) {
  const known = useRef(new Map<number, ViewItem>());
  const asked = useRef(new Set<number>());
  const [, again] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const want = (i: number) => {
    const first = Math.floor(i / page) * page;
    if (asked.current.has(first)) return;
    asked.current.add(first);
    call("GET /api/conversations/{id}/view", { id, provider, from: first, limit: page }, undefined, stop.current.signal).then(
      (got) => {
        if (got.version !== version) return; // the page is about to be drawn anew
        got.items.forEach((item, k) => known.current.set(first + k, item));
        again((n) => n + 1);
      },
      (e) => {
        asked.current.delete(first);
        fail(e);
      },
    );
  };
  return { item: (i: number) => known.current.get(i), want };
}

function Items({ id, v, provider }: { id: string; v: View; provider: string }) {
  const [at, move] = useState(0);
  const [opened, open] = useState(-1);
  const [extra, stretch] = useState(0);
  const high = Math.round((useNarrow() ? 4.6 : 3.3) * useRem());
  const [ref, [from, to]] = useWindow(v.total, high, opened, opened < 0 ? 0 : extra);
  const { item, want } = useItems(id, provider, v.version);
  useEffect(() => {
    for (let i = from; i < to; i += page) want(i);
    if (to > from) want(to - 1);
  });
  const top = (i: number) => i * high + (opened >= 0 && i > opened ? extra : 0);
  const step = (by: number) => {
    const i = Math.max(0, Math.min(v.total - 1, at + by));
    move(i);
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const y = box.top + top(i);
    if (y < 60) scrollBy(0, y - 60);
    else if (y + high > innerHeight - 20) scrollBy(0, y + high - innerHeight + 20);
  };
  const enter = (i: number) => (move(i), open(opened === i ? -1 : i));
  useKeys("What a model sees", [
    { key: "j", does: "next item", run: () => step(1) },
    { key: "k", does: "item before", run: () => step(-1) },
    { key: "ArrowDown", does: "next item", run: () => step(1) },
    { key: "ArrowUp", does: "item before", run: () => step(-1) },
    { key: "Enter", does: "show the item whole", run: () => enter(at) },
  ]);
  const most = useMemo(() => v.sizes.reduce((a, b) => Math.max(a, b), 1), [v]);
  if (v.total === 0) return <Empty title="A model sees nothing yet" />;
  return (
    <div class="items" role="treegrid" aria-label="Items in the order in which a model sees them" aria-rowcount={v.total} tabIndex={0} aria-activedescendant={`item${at}`}>
      <div class="lines" role="rowgroup" ref={ref} style={{ height: `${v.total * high + (opened >= 0 ? extra : 0)}px` }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k).map((i) => (
          <Item
            key={i} id={id} i={i} item={item(i)} kind={v.kinds[v.kind[i]!]!} tokens={v.sizes[i]!} most={most} top={top(i)} high={high} at={i === at} open={i === opened}
            edge={v.cached > 0 && i === v.cached} press={() => enter(i)} stretch={stretch}
          />
        ))}
      </div>
    </div>
  );
}

interface ItemProps {
  id: string;
  i: number;
  item: ViewItem | undefined;
  kind: string;
  tokens: number;
  most: number;
  top: number;
  high: number;
  at: boolean;
  open: boolean;
  edge: boolean; // the first that the provider has not seen
  press: () => void;
  stretch: (extra: number) => void;
}

function Item({ id, i, item, kind, tokens, most, top, high, at, open, edge, press, stretch }: ItemProps) {
  const self = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open || !self.current) return;
    const watch = new ResizeObserver(() => stretch(Math.max(0, (self.current?.offsetHeight ?? high) - high)));
    watch.observe(self.current);
    return () => watch.disconnect();
  }, [open]);
  const put = !!item?.added;
  return (
    <div
      ref={self} id={`item${i}`} role="row" aria-rowindex={i + 1} aria-expanded={open} style={{ transform: `translateY(${top}px)`, height: open ? "auto" : `${high}px` }}
      class={`line${put ? " put" : ""}${at ? " at" : ""}${open ? " open" : ""}${edge ? " edge" : ""}`}
    >
      {edge && (
        <span class="edgeword">
          <span aria-hidden="true">↑ in the last request · </span>new from here <span aria-hidden="true">↓</span>
        </span>
      )}
      <span role="gridcell" class="entry" onClick={press}>
        <span>
          <span class={`swatch g-${groupOf(kind)}`} aria-hidden="true" /> {item?.added ? rowName(item.added) : rowName(kind)}
        </span>
        <span class="soft">{item ? (item.added ? "put in by the projection" : `#${item.seq}, turn ${item.turn}`) : ""}</span>
      </span>
      <span role="gridcell" class="amount" onClick={press}>
        <span class="number">{count(tokens)}</span>
        <span class="track" aria-hidden="true">
          <span class="is" style={{ width: `${Math.sqrt(tokens / most) * 100}%` }} />
        </span>
      </span>
      <span role="gridcell" class="mark" onClick={press}>
        {item && !item.added && item.fate !== "kept" && <FateSign fate={item.fate} />}
      </span>
      <span role="gridcell" class="said" onClick={press}>
        {item ? <Said item={item} text={item.text} /> : "…"}
      </span>
      {open && item && <Whole id={id} item={item} />}
    </div>
  );
}

function Whole({ id, item }: { id: string; item: ViewItem }) {
  const cut = item.length > characters(item.text) && item.seq > 0;
  const whole = useLoad(async (signal) => (cut ? await call("GET /api/conversations/{id}/entries/{seq}", { id, seq: item.seq, limit: 100_000 }, undefined, signal) : undefined), [id, item.seq]);
  const text = whole.value?.shown || item.text;
  const shown = characters(text);
  return (
    <div class="whole" role="gridcell" aria-colspan={4}>
      <pre tabIndex={0}>
        <Said item={item} text={text} />
      </pre>
      {whole.error !== undefined && <ProblemBox error={whole.error} again={whole.again} />}
      {item.length > shown && <p class="soft">The first {count(shown)} of {count(item.length)} characters.</p>}
      <p class="do">
        {item.seq > 0 && <a href={conversationPath(id, "", item.seq)}>Show it in the timeline</a>}
        {item.by && <a href={conversationPath(id, `compactions/${encodeURIComponent(item.by)}`)}>The compaction that decided it</a>}
      </p>
    </div>
  );
}

/** Said is what an item says; the note of the view, which the projection puts at its beginning, is marked. */
function Said({ item, text }: { item: ViewItem; text: string }) {
  if (!item.note || !item.text.startsWith(text.slice(0, item.note))) return <>{text}</>;
  return (
    <>
      <ins title="Put in by the projection">{text.slice(0, item.note)}</ins>
      {text.slice(item.note)}
    </>
  );
}

/** The most characters of a body that are drawn at once: browsers are slow beyond. */
const drawn = 200_000;

/** Body shows the exact body of the request, as text to copy. */
function Body({ id, v, provider }: { id: string; v: View; provider: string }) {
  const loaded = useLoad((signal) => call("GET /api/conversations/{id}/view", { id, provider, limit: 0, body: true }, undefined, signal), [id, provider, v.version]);
  const [all, show] = useState(false);
  return (
    <Waits of={loaded}>
      {(got) => {
        const exact = got.body ?? "";
        const pretty = indented(exact);
        const cut = !all && pretty.length > drawn;
        return (
          <section class="body">
            <p class="do">
              <button class="primary" onClick={() => void navigator.clipboard.writeText(exact).then(() => say("Copied."), fail)}>
                Copy
              </button>
              <span class="soft">
                {count(exact.length)} characters of JSON: the conversation part of the request. Below it is indented; what is copied is exact.
              </span>
            </p>
            <pre tabIndex={0} aria-label="Body of the request">
              {cut ? pretty.slice(0, drawn) : pretty}
            </pre>
            {cut && <button onClick={() => show(true)}>Show all {count(pretty.length)} characters</button>}
          </section>
        );
      }}
    </Waits>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
