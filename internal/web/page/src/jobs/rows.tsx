import { useRef, useState } from "preact/hooks";
import type { Job } from "../api";
import { dollars, full, plural, tokens, when } from "../format";
import { conversationPath } from "../router";
import { useKeys } from "../shell/keys";
import { meta } from "../shell/shell";
import { cancel, retry } from "./actions";
import { attempts, cancellable, retryable, timing, why } from "./model";
import { StateSign } from "./state";

/** Rows is the grid of jobs. Tab reaches one row, the arrows reach the rest, within a row too. */
export function Rows({ items, total, now, changed }: { items: Job[]; total: number; now: number; changed: () => void }) {
  const grid = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState("");
  const found = items.findIndex((j) => j.id === chosen); // new jobs come in front
  const at = Math.max(found, 0);
  const rows = () => [...grid.current!.querySelectorAll<HTMLElement>("[data-job]")];
  const inside = () => grid.current!.contains(document.activeElement);
  const focus = (to: number) => rows()[Math.min(Math.max(to, 0), items.length - 1)]?.querySelector<HTMLElement>("a, button")?.focus();
  const move = (by: number) => focus(inside() ? at + by : at);
  const across = (by: number) => {
    const all = inside() ? [...rows()[at]!.querySelectorAll<HTMLElement>("a, button")] : [];
    all[all.indexOf(document.activeElement as HTMLElement) + by]?.focus();
  };
  const act = (does: (j: Job) => Promise<boolean>, can: (j: Job) => boolean) => {
    const j = items[at];
    if (j && inside() && can(j) && !meta.value?.read_only) void does(j).then((done) => done && changed());
  };
  useKeys("Jobs", [
    { key: "j", does: "next job", run: () => move(1) },
    { key: "k", does: "job before", run: () => move(-1) },
    { key: "ArrowDown", does: "next job", run: () => move(1) },
    { key: "ArrowUp", does: "job before", run: () => move(-1) },
    { key: "ArrowRight", does: "what can be done with the job", run: () => across(1) },
    { key: "ArrowLeft", does: "back to the conversation's link", run: () => across(-1) },
    { key: "Home", does: "first job", run: () => focus(0) },
    { key: "End", does: "last job shown", run: () => focus(items.length - 1) },
    { key: "r", does: "retry the job", run: () => act(retry, retryable) },
    { key: "x", does: "cancel the job", run: () => act(cancel, cancellable) },
  ]);
  return (
    <div class="job-rows" role="grid" aria-label="Jobs" aria-rowcount={total + 1} aria-colcount={5} ref={grid}>
      <div class="job-row job-head" role="row" aria-rowindex={1}>
        <span role="columnheader">State</span>
        <span role="columnheader">Conversation</span>
        <span role="columnheader">Why it waits, failed or ended</span>
        <span role="columnheader">Enqueued</span>
        <span role="columnheader"><span class="unseen">Actions</span></span>
      </div>
      {items.map((j, i) => <Row key={j.id} j={j} index={i} now={now} tab={i === at} focused={() => choose(j.id)} changed={changed} />)}
    </div>
  );
}

function Row({ j, index, now, tab, focused, changed }: { j: Job; index: number; now: number; tab: boolean; focused: () => void; changed: () => void }) {
  const reach = { tabIndex: tab ? 0 : -1 };
  const act = (does: (of: Job) => Promise<boolean>) => void does(j).then((done) => done && changed());
  const reason = why(j);
  return (
    <div class="job-row" role="row" aria-rowindex={index + 2} data-job={j.id} onFocusIn={focused}>
      <span role="gridcell" class="job-is">
        <StateSign state={j.state} />
        <span class="soft number">{timing(j, now)}</span>
      </span>
      <span role="gridcell" class="job-what">
        <a {...reach} class="job-title" href={conversationPath(j.conversation)}>{j.title || j.conversation}</a>
        <span class="soft">{j.policy}{j.why && ` · ${j.why}`}</span>
      </span>
      <span role="gridcell" class="job-reason">
        {reason && <span class={j.state === "failed" || j.state === "retrying" ? "loss" : undefined}>{reason}</span>}
        {j.hint && <span class="hint">{j.hint}</span>}
        <span class="soft">
          {[attempts(j), j.before ? `${tokens(j.before)} → ${tokens(j.after ?? 0)} tokens` : "", j.dollars ? dollars(j.dollars) : ""].filter(Boolean).join(" · ")}
          {" "}
          {j.compactions.map((id) => <a {...reach} key={id} href={conversationPath(j.conversation, `compactions/${encodeURIComponent(id)}`)}>what it changed</a>)}
        </span>
      </span>
      <span role="gridcell" class="job-when soft">
        <time dateTime={j.created} title={`${full(j.created)}; by ${plural(j.version, "entry", "entries")}`}>{when(j.created)}</time>
      </span>
      <span role="gridcell" class="job-do">
        {!meta.value?.read_only && retryable(j) && <button {...reach} aria-label={`Retry the job on ${j.title || j.conversation}…`} onClick={() => act(retry)}>Retry…</button>}
        {!meta.value?.read_only && cancellable(j) && <button {...reach} aria-label={`Cancel the job on ${j.title || j.conversation}…`} onClick={() => act(cancel)}>Cancel…</button>}
      </span>
    </div>
  );
}
