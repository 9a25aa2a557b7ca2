import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComparedRow, Comparison, Side } from "../api";
import { call } from "../call";
import { characters, count, plural } from "../format";
import { FateSign } from "../parts/fate";
import { useLoad, Waits } from "../parts/load";
import { conversationPath } from "../router";
import { useKeys } from "../shell/keys";
import { meta } from "../shell/shell";
import { pin } from "./actions";
import { lines, reason, rowName, type Line } from "./model";
import { useNarrow, useRem, useTexts, useWindow } from "./window";

interface Props {
  id: string;
  c: Comparison;
  fate: string; // only rows of this fate; "" for all
  changed: () => void; // something was pinned
}

/** Compared is the grid of rows, both sides of each, the unchanged ones folded. */
export function Compared({ id, c, fate, changed }: Props) {
  const [unfolded, unfold] = useState<ReadonlySet<number>>(new Set());
  const [at, move] = useState(0); // the line that the keys stand on
  const [opened, open] = useState(-1); // the row that is shown whole
  const [extra, stretch] = useState(0); // how much higher that makes it
  const high = Math.round((useNarrow() ? 7.4 : 3.3) * useRem());
  const list = useMemo(() => lines(c, fate, unfolded), [c, fate, unfolded]);
  const openLine = useMemo(() => (opened < 0 ? -1 : list.findIndex((l) => "row" in l && l.row === opened)), [list, opened]);
  const [ref, [from, to]] = useWindow(list.length, high, openLine, openLine < 0 ? 0 : extra);
  const texts = useTexts(id, c.compaction, c.version);
  useEffect(() => {
    for (const line of list.slice(from, to)) if ("row" in line) texts.want(line.row);
  });
  const top = (i: number) => i * high + (openLine >= 0 && i > openLine ? extra : 0);
  const go = (i: number) => {
    const to = Math.max(0, Math.min(list.length - 1, i));
    move(to);
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const y = box.top + top(to);
    if (y < 140) scrollBy(0, y - 140);
    else if (y + high > innerHeight - 20) scrollBy(0, y + high - innerHeight + 20);
  };
  const enter = (i: number) => {
    const line = list[i];
    if (!line) return;
    move(i);
    if ("row" in line) open(line.row === opened ? -1 : line.row);
    else unfold(new Set([...unfolded, line.from]));
  };
  useKeys("Before and after", [
    { key: "j", does: "next row", run: () => go(at + 1) },
    { key: "k", does: "row before", run: () => go(at - 1) },
    { key: "ArrowDown", does: "next row", run: () => go(at + 1) },
    { key: "ArrowUp", does: "row before", run: () => go(at - 1) },
    { key: "Enter", does: "show the row whole, or unfold unchanged rows", run: () => enter(at) },
    { key: "p", does: "pin or unpin the entry", run: () => {
        const line = list[at];
        const row = line && "row" in line ? line.row : -1;
        const seq = c.seq[row];
        if (seq && !meta.value?.read_only) void pin(id, seq, !texts.row(row)?.pinned).then((done) => done && changed());
      } },
  ]);
  if (list.length === 0) return <p class="waits">No row has this fate.</p>;
  return (
    <div class="compared" role="treegrid" aria-label="Before and after, row by row" aria-rowcount={list.length + 1} tabIndex={0} aria-activedescendant={`line${at}`}>
      <div class="line head" role="row" aria-rowindex={1}>
        <span role="columnheader">Entry</span>
        <span role="columnheader">Before</span>
        <span role="columnheader" class="mark">
          <span class="unseen">Fate</span>
        </span>
        <span role="columnheader">After: what a model sees</span>
      </div>
      <div class="lines" role="rowgroup" ref={ref} style={{ height: `${list.length * high + (openLine >= 0 ? extra : 0)}px` }}>
        {list.slice(from, to).map((line, k) => {
          const i = from + k;
          const place = { transform: `translateY(${top(i)}px)`, height: i === openLine ? "auto" : `${high}px` };
          return "row" in line ? (
            <Row
              key={line.row} id={id} c={c} i={line.row} row={texts.row(line.row)} index={i} place={place} high={high}
              at={i === at} open={i === openLine} press={() => enter(i)} stretch={stretch} changed={changed}
            />
          ) : (
            <Folded key={`f${line.from}`} line={line} index={i} place={place} at={i === at} press={() => enter(i)} />
          );
        })}
      </div>
    </div>
  );
}

type Place = { transform: string; height: string };

function Folded(props: { line: Exclude<Line, { row: number }>; index: number; place: Place; at: boolean; press: () => void }) {
  const { from, to, tokens } = props.line;
  return (
    <div class={`line folded${props.at ? " at" : ""}`} id={`line${props.index}`} role="row" aria-rowindex={props.index + 2} style={props.place} onClick={props.press}>
      <span role="gridcell" aria-colspan={4}>
        <span aria-hidden="true">⋯ </span>
        {plural(to - from, "row")} unchanged, {count(tokens)} tokens
        <span class="soft"> — show</span>
      </span>
    </div>
  );
}

interface RowProps {
  id: string;
  c: Comparison;
  i: number;
  row: ComparedRow | undefined;
  index: number;
  place: Place;
  high: number;
  at: boolean;
  open: boolean;
  press: () => void;
  stretch: (extra: number) => void;
  changed: () => void;
}

function Row({ id, c, i, row, index, place, high, at, open, press, stretch, changed }: RowProps) {
  const self = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open || !self.current) return;
    const watch = new ResizeObserver(() => stretch(Math.max(0, (self.current?.offsetHeight ?? high) - high)));
    watch.observe(self.current);
    return () => watch.disconnect();
  }, [open, high]);
  const [before, after] = [c.before[i]!, c.after[i]!];
  const kind = c.kinds[c.kind[i]!]!;
  const fate = c.fates[c.fate[i]!]!;
  const same = before === after && c.was[i] === c.fate[i];
  const seq = c.seq[i]!;
  return (
    <div ref={self} class={`line fate-${fate}${same ? " same" : ""}${at ? " at" : ""}${open ? " open" : ""}`} id={`line${index}`} role="row" aria-rowindex={index + 2} aria-expanded={open} style={place}>
      <span role="gridcell" class="entry" onClick={press}>
        <span>
          <span class="seq">{seq ? `#${seq}` : "–"}</span> {seq ? `turn ${c.turn[i]}` : ""}
          {row?.pinned && (
            <>
              {" "}
              <strong class="pinned">pinned</strong>
            </>
          )}
        </span>
        <span class="soft">{row?.label || rowName(kind)}</span>
      </span>
      <Cell side={row?.before} tokens={before} gone={before === 0} what="not in the view before" press={press} />
      <span role="gridcell" class="mark" onClick={press}>
        {same ? <span title="unchanged">=</span> : <FateSign fate={fate} />}
      </span>
      <Cell side={row?.after} tokens={after} gone={after === 0} what={!row ? fate : seq === 0 ? "no longer in the view" : row.why ? `${fate}: ${row.why}` : fate} press={press} why={!same && after > 0 && row?.why ? `${fate}: ${row.why}` : ""} />
      {open && row && <Whole id={id} c={c} row={row} changed={changed} />}
    </div>
  );
}

function Cell(props: { side: Side | undefined; tokens: number; gone: boolean; what: string; press: () => void; why?: string }) {
  return (
    <span role="gridcell" class={props.gone ? "side gone" : "side"} onClick={props.press}>
      <span class="number">{props.tokens > 0 || !props.gone ? count(props.tokens) : ""}</span>
      <span class="said">
        {props.gone ? props.what : (props.side?.text ?? "…")}
        {props.why && <span class="why"> {props.why}</span>}
      </span>
    </span>
  );
}

/** Whole shows a row's texts whole, why its fate is as it is, and what can be done. */
function Whole({ id, c, row, changed }: { id: string; c: Comparison; row: ComparedRow; changed: () => void }) {
  const whole = useLoad(
    (signal) => call("GET /api/conversations/{id}/compactions/{compaction}/rows", { id, compaction: c.compaction, from: row.index, limit: 1, chars: 100_000 }, undefined, signal),
    [id, c.compaction, c.version, row.index],
  );
  return (
    <div class="whole" role="gridcell" aria-colspan={4}>
      <p class="because">
        <FateSign fate={row.after.fate} word /> {row.seq ? reason(row.why) : madeUp(row)}{" "}
        {row.by && c.compaction !== row.by && <a href={conversationPath(id, `compactions/${encodeURIComponent(row.by)}`)}>The compaction that decided it</a>}
      </p>
      <Waits of={whole}>
        {(got) => {
          const r = got.items[0];
          if (!r) return null;
          return (
            <div class="both">
              <Text title="Before" side={r.before} />
              <Text title="After: what a model sees" side={r.after} />
            </div>
          );
        }}
      </Waits>
      {row.seq > 0 && (
        <p class="do">
          <a href={conversationPath(id, "", row.seq)}>Show it in the timeline</a>
          {!meta.value?.read_only && (
            <button onClick={() => void pin(id, row.seq, !row.pinned).then((done) => done && changed())}>{row.pinned ? "Unpin…" : "Pin: keep it whole…"}</button>
          )}
        </p>
      )}
    </div>
  );
}

function madeUp(row: ComparedRow): string {
  if (row.kind === "config") return "The system prompt and the definitions of tools, which stand before everything else in each request.";
  return row.after.tokens > 0 ? "It is not an entry of the log: the projection puts it in." : "The view before had it; it is not an entry of the log.";
}

function Text(props: { title: string; side: Side }) {
  const { text, length, tokens } = props.side;
  const shown = characters(text);
  return (
    <section>
      <h3>
        {props.title} <span class="number">{count(tokens)} tokens</span>
      </h3>
      {text ? <pre tabIndex={0}>{text}</pre> : <p class="soft">Nothing.</p>}
      {length > shown && <p class="soft">The first {count(shown)} of {count(length)} characters.</p>}
    </section>
  );
}
