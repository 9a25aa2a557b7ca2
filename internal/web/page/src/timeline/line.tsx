import type { Compaction, Row } from "../api";
import { count, kindName, percent, plural, tokens } from "../format";
import { TokenBar } from "../parts/bar";
import { FateSign } from "../parts/fate";
import { flag, isResult, lineOf, type Log } from "./outline";

const kindWords: Record<string, string> = {
  user_message: "person",
  assistant_message: "assistant",
  tool_call: "call",
  tool_result: "result",
  turn_start: "turn",
  config_delta: "settings",
  compaction_revoked: "undo",
};

/** kindWord is the kind of an entry in a word or two. A message that no person wrote is the program's. */
export function kindWord(kind: string, person: boolean): string {
  if (kind === "user_message" && !person) return "program";
  return kindWords[kind] ?? kindName(kind);
}

/** Twist shows whether a line is unfolded, and folds it. */
function Twist(props: { folded: boolean; what: string; toggle: () => void }) {
  return (
    <button
      class="twist"
      tabIndex={-1}
      aria-label={`${props.folded ? "Unfold" : "Fold"} ${props.what}`}
      onClick={(e) => {
        e.stopPropagation();
        props.toggle();
      }}
    >
      {props.folded ? "▸" : "▾"}
    </button>
  );
}

interface Shown {
  log: Log;
  seq: number;
  row: Row | undefined;
  folded: boolean;
  toggle: () => void;
}

/** TokensCell writes the size before and after; where there is little room, only after. */
function TokensCell(props: { before: number; after: number }) {
  return (
    <span role="gridcell" class="c-tokens number">
      {props.before !== props.after && <span class="was">{tokens(props.before)} → </span>}
      {tokens(props.after)}
    </span>
  );
}

function Sizes(props: { before: number; after: number; scale: number; fate: string }) {
  return (
    <>
      <span role="gridcell" class="c-size">
        <TokenBar before={props.before} after={props.after} max={props.scale} fate={props.fate} />
      </span>
      <TokensCell {...props} />
    </>
  );
}

/** labelOf gives what its kind does not say already; a result has that of its call. */
function labelOf(row: Row): string {
  if (row.kind === "tool_result") return row.tool ?? "";
  return ["user", "assistant", "turn", kindName(row.kind), row.kind].includes(row.label) ? "" : row.label;
}

/** saysOf gives the words of an entry: its label, and what was said. Where the label of a call
 * tells what it is about, its arguments would only say it again. */
function saysOf(row: Row): { label: string; text: string } {
  const label = labelOf(row);
  const subject = row.kind === "tool_call" && row.tool && label.startsWith(row.tool + " ") ? label.slice(row.tool.length + 1) : "";
  return subject ? { label: row.tool!, text: subject } : { label, text: row.text };
}

/** EntryLine is one entry. */
export function EntryLine({ log, seq, row, folded, toggle }: Shown) {
  const i = seq - 1;
  const kind = log.kindAt(seq);
  const fate = log.fateAt(seq);
  const unseen = log.has(seq, flag.unseen);
  const call = kind === "tool_call" && log.pair[i]! > seq;
  const says = row && saysOf(row);
  return (
    <>
      <span role="gridcell" class="c-entry number">
        {seq}
      </span>
      <span role="gridcell" class="c-fate">
        {unseen ? <span class="fate" title="No model ever sees an entry of this kind" /> : <FateSign fate={fate} />}
      </span>
      <span role="gridcell" class="c-kind">
        {kindWord(kind, log.has(seq, flag.person))}
      </span>
      <span role="gridcell" class="c-text">
        {call && <Twist folded={folded} what="the result" toggle={toggle} />}
        {log.has(seq, flag.error) && <strong class="failed">failed</strong>}
        {log.has(seq, flag.pinned) && <strong class="pinned" title="Pinned: no compaction may take it">pinned</strong>}
        {log.has(seq, flag.agent) && <span class="badge">sub-agent</span>}
        {says?.label && <b>{says.label}</b>}
        {says ? <span>{says.text}</span> : <span class="coming" aria-hidden="true" />}
      </span>
      {unseen ? (
        <>
          <span role="gridcell" class="c-size" />
          <span role="gridcell" class="c-tokens" />
        </>
      ) : (
        <Sizes before={log.before[i]!} after={log.after[i]!} scale={log.scale} fate={fate} />
      )}
    </>
  );
}

/** TurnLine is the head of a turn: how much it holds, and what was asked. */
export function TurnLine({ log, seq, row, folded, toggle }: Shown) {
  const all = log.sum(seq, log.endOf(lineOf.turn, seq));
  return (
    <>
      <span role="gridcell" class="c-entry" />
      <span role="gridcell" class="c-fate">
        <Twist folded={folded} what="the turn" toggle={toggle} />
      </span>
      <span role="gridcell" class="c-kind">
        Turn {count(log.turn[seq - 1]!)}
      </span>
      <span role="gridcell" class="c-text">
        <span class="soft">{plural(all.entries, "entry", "entries")}</span>
        {folded && row && <b>{row.text}</b>}
      </span>
      <span role="gridcell" class="c-size">
        {all.after < all.before && <span class="saved">{percent(1 - all.after / all.before)} less</span>}
      </span>
      <TokensCell {...all} />
    </>
  );
}

/** GroupLine is the head of a run of entries that one compaction hides. */
export function GroupLine({ log, seq, folded, toggle, by }: Shown & { by: Compaction | undefined }) {
  const all = log.sum(seq, log.endOf(lineOf.group, seq));
  const fate = log.fateAt(seq);
  const of = by?.strategy || by?.profile || by?.source || "";
  return (
    <>
      <span role="gridcell" class="c-entry" />
      <span role="gridcell" class="c-fate">
        <FateSign fate={fate} />
      </span>
      <span role="gridcell" class="c-kind">
        <Twist folded={folded} what="what is hidden" toggle={toggle} />
        hidden
      </span>
      <span role="gridcell" class="c-text">
        <b>{plural(all.entries, "entry", "entries")}</b>
        <span>
          {fate} by a compaction{of && `: ${of}`}
        </span>
      </span>
      <span role="gridcell" class="c-size" />
      <TokensCell {...all} />
    </>
  );
}

/** levelOf is how deep an entry stands: results below their calls. */
export function levelOf(log: Log, seq: number): number {
  return isResult(log, seq) ? 3 : 2;
}
