import { useEffect, useMemo, useState } from "preact/hooks";
import type { Compaction, Comparison, Conversation } from "../api";
import { call } from "../call";
import { useConversation } from "../conversation";
import { count, dollars, full, percent, plural, when } from "../format";
import { Empty, useLoad, Waits } from "../parts/load";
import { conversationPath, place } from "../router";
import { meta } from "../shell/shell";
import { Try } from "../try/try";
import { redo, turns, undo, undoable } from "./actions";
import { Legend, Shrinking } from "./figure";
import { Compared } from "./grid";
import { rowName, stretches, sums } from "./model";
import "./compactions.css";

/** CompactionsView: all compactions of a conversation, and before and after of the one that is chosen. */
export function CompactionsView({ id }: { id: string }) {
  const live = useConversation(id);
  const c = live.conversation.value;
  useEffect(live.reload, [live.version.value]);
  const chosen = place.value.part || "all";
  if (!c) return <Waits of={{ value: undefined, error: live.error.value, loading: true, again: live.reload }}>{() => null}</Waits>;
  return (
    <div class="compactions">
      <List c={c} chosen={chosen} changed={live.reload} />
      <div class="chosen">
        {chosen === "try" ? <Try c={c} changed={live.reload} /> : <Chosen key={chosen} c={c} chosen={chosen} version={live.version.value} changed={live.reload} />}
      </div>
    </div>
  );
}

/** name writes what a compaction was made by: fit:target=10%, profile heavy. */
export function name(c: Compaction): string {
  if (c.profile) return `profile ${c.profile}`;
  if (c.strategy) return c.strategy;
  return c.source === "import" ? "the tool's own" : c.source === "birth" ? "shortened when it came" : "compaction";
}

const askers: Record<string, string> = {
  user: "you asked",
  auto: "automatic",
  model: "the model asked",
  micro: "automatic: old results",
  import: "from the imported session",
  birth: "a result too large to show whole",
  file: "tenfold compact",
};

function by(c: Compaction): string {
  return [askers[c.source ?? ""] ?? c.source, c.reason].filter(Boolean).join(", ");
}

function List({ c, chosen, changed }: { c: Conversation; chosen: string; changed: () => void }) {
  const all = c.compactions;
  const next = undoable(all);
  const writes = !meta.value?.read_only;
  const most = Math.max(c.tokens.before, 1);
  const gone = all.filter((x) => !x.live).length;
  const link = (part: string) => conversationPath(c.id, part === "all" ? "compactions" : `compactions/${encodeURIComponent(part)}`);
  const done = (ok: boolean) => ok && changed();
  return (
    <nav class="overlays" aria-label="Compactions of this conversation">
      <header>
        <h1>{all.length === 0 ? "Not compacted" : plural(all.length, "compaction")}</h1>
        {writes && (
          <div class="do">
            <a class="button primary" href={link("try")} aria-current={chosen === "try" ? "page" : undefined}>
              Try a compaction
            </a>
            <button disabled={next.length === 0} onClick={() => void undo(c.id).then(done)}>
              Undo…
            </button>
            <button disabled={gone === 0} onClick={() => void redo(c.id).then(done)}>
              Redo…
            </button>
          </div>
        )}
      </header>
      <ol>
        <li>
          <a class="overlay" href={link("all")} aria-current={chosen === "all" ? "page" : undefined}>
            <strong>{all.length === 0 ? "The whole conversation" : "All together"}</strong>
            <Size before={c.tokens.before} after={c.tokens.after} most={most} />
          </a>
        </li>
        {all.map((x, i) => (
          <li key={x.id}>
            <a class={x.live ? "overlay" : "overlay undone"} href={link(x.id)} aria-current={chosen === x.id ? "page" : undefined}>
              <span class="what">
                <strong>
                  {i + 1}. {name(x)}
                </strong>
                {!x.live && <span class="badge">↶ undone</span>}
                {next.includes(x) && <span class="badge">undone next</span>}
              </span>
              <span class="soft">
                {turns(x)} · {by(x)} · <time dateTime={x.at} title={full(x.at)}>{when(x.at)}</time>
              </span>
              {x.before > 0 && <Size before={x.before} after={x.after} most={most} />}
              {(x.dollars ?? 0) > 0 && <span class="soft">its summary cost {dollars(x.dollars!)}</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Size draws a size before and after, and says it. */
function Size(props: { before: number; after: number; most: number }) {
  const width = (n: number) => ({ width: `${(100 * n) / props.most}%` });
  const { before, after } = props;
  return (
    <span class="size">
      <span class="track" aria-hidden="true">
        <span class="was" style={width(before)} />
        <span class="is" style={width(after)} />
      </span>
      <span class="number">
        {count(before)} → {count(after)} tokens
        {before > 0 && after !== before && ` (${after < before ? `−${percent(1 - after / before)}` : `+${percent(after / before - 1)}`})`}
      </span>
    </span>
  );
}

function Chosen({ c, chosen, version, changed }: { c: Conversation; chosen: string; version: number; changed: () => void }) {
  // One compaction's comparison never changes; that of the whole does with the log.
  const compared = useLoad(
    (signal) => call("GET /api/conversations/{id}/compactions/{compaction}", { id: c.id, compaction: chosen }, undefined, signal),
    [c.id, chosen, chosen === "all" ? version : 0],
  );
  const at = c.compactions.findIndex((x) => x.id === chosen);
  if (chosen === "all" && c.compactions.length === 0) {
    return (
      <Empty title="Nothing is compacted yet">
        <p>A model sees all {count(c.tokens.after)} tokens of this conversation.</p>
        {!meta.value?.read_only && (
          <p>
            <a href={conversationPath(c.id, "compactions/try")}>Try a compaction</a>: nothing is written until you apply it.
          </p>
        )}
      </Empty>
    );
  }
  return (
    <>
      <h2>{chosen === "all" ? "All compactions together" : at < 0 ? "Compaction" : `Compaction ${at + 1}: ${name(c.compactions[at]!)}`}</h2>
      <p class="soft">{chosen === "all" ? "All that was said, beside what a model sees of it now." : at < 0 ? "" : said(c.compactions[at]!)}</p>
      <Waits of={compared}>{(got) => <Shown c={c} got={got} changed={() => (changed(), compared.again())} one={c.compactions[at]} />}</Waits>
    </>
  );
}

/** said tells what a compaction covers and where it stands, in a sentence or two. */
function said(c: Compaction): string {
  const what = c.does?.length ? ` It changes ${c.does.map((d) => rowName(d)).join(", ")}.` : "";
  const state = c.live ? "" : " It is undone: what you see is what it did while it was in effect.";
  return `It covers ${turns(c)}. The view right before it was made stands beside the view right after.${what}${state}`;
}

function Shown({ c, got, changed, one }: { c: Conversation; got: Comparison; changed: () => void; one: Compaction | undefined }) {
  const [fate, choose] = useState("");
  const [all, drawn] = useMemo(() => [sums(got), stretches(got.fates, got.fate, got.before, got.after)] as const, [got]);
  const { before, after } = got.tokens;
  const words = `${count(before)} tokens before, ${count(after)} after: ${all.map((s) => `${plural(s.rows, "row")} ${s.fate}, ${count(s.before)} to ${count(s.after)} tokens`).join("; ")}`;
  const saved = before - after;
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{saved < 0 ? "Added to each request" : "Saved in each request"}</dt>
          <dd>{count(Math.abs(saved))} tokens</dd>
        </div>
        <div>
          <dt>{saved < 0 ? "Larger by" : "Smaller by"}</dt>
          <dd>{before > 0 ? percent(Math.abs(saved) / before) : "–"}</dd>
        </div>
        <div>
          <dt>Cost of summaries</dt>
          <dd>{cost(one ? [one] : c.compactions.filter((x) => x.live))}</dd>
        </div>
        <div>
          <dt>Where the figures are from</dt>
          <dd>{got.tokens.method === "calibrated" ? "the provider's own count" : `an estimate (${got.tokens.method})`}</dd>
        </div>
      </dl>
      <Shrinking stretches={drawn} before={before} after={after} words={words} />
      <Legend sums={all} chosen={fate} choose={choose} />
      {one?.summary && (
        <details class="summary">
          <summary>The summary that stands in ({count(one.summary.length)} characters)</summary>
          <pre tabIndex={0}>{one.summary}</pre>
        </details>
      )}
      <Compared key={fate} id={c.id} c={got} fate={fate} changed={changed} />
    </>
  );
}

/** cost writes what summaries cost: a compaction of ours without one calls no model, and an imported one says nothing of it. */
function cost(all: Compaction[]): string {
  const sum = all.reduce((n, c) => n + (c.dollars ?? 0), 0);
  if (sum > 0) return dollars(sum);
  const asked = all.some((c) => c.source === "import" || (c.summary && c.model && c.model !== "digest"));
  return asked ? "not recorded" : "none: no model was called";
}
