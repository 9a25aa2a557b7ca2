// The rows of the list: a grid, of which one row at a time can be reached by Tab.
import { useRef, useState } from "preact/hooks";
import type { ConversationRow } from "../api";
import { count, dollars, full, percent, plural, tokens, when } from "../format";
import { conversationPath } from "../router";
import { useKeys } from "../shell/keys";
import { baseName, byDay, momentOf } from "./list";

export function Rows({ items, total, sort }: { items: ConversationRow[]; total: number | undefined; sort: string }) {
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const most = Math.max(...items.map((r) => r.tokens.before), 1);
  const focus = (to: number) => {
    const rows = grid.current!.querySelectorAll<HTMLElement>("a.con-title");
    rows[Math.min(Math.max(to, 0), rows.length - 1)]?.focus();
  };
  const inside = () => grid.current!.contains(document.activeElement);
  const move = (by: number) => focus(inside() ? at + by : at);
  useKeys("Conversations", [
    { key: "j", does: "next conversation", run: () => move(1) },
    { key: "k", does: "conversation before", run: () => move(-1) },
    { key: "ArrowDown", does: "next conversation", run: () => move(1) },
    { key: "ArrowUp", does: "conversation before", run: () => move(-1) },
    { key: "Home", does: "first conversation", run: () => focus(0) },
    { key: "End", does: "last conversation shown", run: () => focus(items.length - 1) },
  ]);
  let index = -1;
  return (
    <div class="con-rows" role="grid" aria-label="Conversations" aria-rowcount={total === undefined ? -1 : total + 1} aria-colcount={5} ref={grid}>
      <div class="con-row con-head" role="row" aria-rowindex={1}>
        <span role="columnheader">Conversation</span>
        <span role="columnheader">Tokens said → a model sees</span>
        <span role="columnheader" class="number">Turns</span>
        <span role="columnheader" class="number">Cost</span>
        <span role="columnheader" class="number">{sort === "updated" ? "Changed" : "Activity"}</span>
      </div>
      {byDay(items, sort).map((g) => (
        <div role="rowgroup" key={g.title} aria-label={g.title || undefined}>
          {g.title && <h2 class="con-day" role="presentation"><span aria-hidden="true">{g.title}</span></h2>}
          {g.rows.map((r) => {
            const i = ++index;
            return <Row key={r.id} row={r} index={i} most={most} sort={sort} tab={i === Math.min(at, items.length - 1)} focused={() => setAt(i)} />;
          })}
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  row: ConversationRow;
  index: number;
  most: number;
  sort: string;
  tab: boolean;
  focused: () => void;
}

function Row({ row, index, most, sort, tab, focused }: RowProps) {
  const { before, after } = row.tokens;
  const share = before > 0 ? after / before : 1;
  const moment = momentOf(row, sort);
  return (
    <div class="con-row" role="row" aria-rowindex={index + 2}>
      <span class="con-what" role="gridcell">
        <a class="con-title" href={conversationPath(row.id)} tabIndex={tab ? 0 : -1} onFocus={focused}>{row.title || row.id}</a>
        {row.fault && <span class="badge" title={`The title and the project cannot be read: ${row.fault}`}>damaged</span>}
        <span class="con-about">
          {row.active && <span class="badge" title="The conversation that the command line means without an ID">active</span>}
          <span class="con-tool">{row.tool || "tenfold"}</span>
          {row.project && <span class="con-project" title={row.project}>{baseName(row.project)}</span>}
        </span>
      </span>
      <span class="con-tokens" role="gridcell" title={`${count(before)} tokens said, ${count(after)} a model sees (${row.tokens.method})`}>
        <Bar before={before} after={after} most={most} />
        <span class="number">
          {tokens(before)}
          {share < 0.9995 && <> → <strong>{tokens(after)}</strong> <span class="gain">−{percent(1 - share)}</span></>}
        </span>
      </span>
      <span class="number con-turns" role="gridcell">{count(row.turns)}<span class="con-narrow"> {row.turns === 1 ? "turn" : "turns"}</span></span>
      <span class="number con-cost" role="gridcell" title={row.dollars ? undefined : "No usage with a known price was recorded"}>{row.dollars ? dollars(row.dollars) : <><span aria-hidden="true">–</span><span class="unseen">cost unknown</span></>}</span>
      <span class="number con-moment" role="gridcell"><time dateTime={moment} title={`${full(moment)}; ${plural(row.entries, "entry", "entries")}`}>{when(moment)}</time></span>
    </div>
  );
}

/**
 * A bar as long as what was said, filled as far as a model sees it. The length goes by
 * the square root, so that small ones are seen beside the largest; the share that is
 * filled is exact.
 */
function Bar({ before, after, most }: { before: number; after: number; most: number }) {
  const filled = before > 0 ? Math.min(after / before, 1) : 0;
  return (
    <span class="con-sizes" aria-hidden="true">
      <span class="con-said" style={{ width: `${Math.sqrt(before / most) * 100}%` }}><span class="con-seen" style={{ width: `${filled * 100}%` }} /></span>
    </span>
  );
}
