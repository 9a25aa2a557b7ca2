// Work in the background: what runs, waits or failed, why, and what can be done.
import { useState } from "preact/hooks";
import type { Facet, Job, JobPage } from "../api";
import { call } from "../call";
import { count } from "../format";
import { useClock, usePoll } from "../parts/clock";
import { Empty, useLoad, Waits } from "../parts/load";
import { change, parameter } from "../query";
import { conversationPath } from "../router";
import { meta } from "../shell/shell";
import { states, underWay, type State } from "./model";
import { Rows } from "./rows";
import "../parts/page.css";
import "./jobs.css";

/** How many rows there are at first, and how many more come at a press. */
const step = 100;
/** The most rows that the server gives at once. */
const most = 500;
/** How often the list is asked for again while it can be seen, in milliseconds: while something is under way, and else. */
const [soon, seldom] = [2000, 10_000];

async function list(state: State | "", conversation: string, rows: number, signal: AbortSignal): Promise<JobPage> {
  const ask = (cursor: string, limit: number) => call("GET /api/jobs", { ...(state && { state: [state] }), conversation, cursor, limit }, undefined, signal);
  const all = await ask("", Math.min(rows, most));
  while (all.next && all.items.length < rows) {
    const more = await ask(all.next, Math.min(rows - all.items.length, most));
    all.items.push(...more.items);
    all.next = more.next;
  }
  return all;
}

export function JobsView(_: { id: string }) {
  const [said, conversation] = [parameter("state"), parameter("conversation")];
  const state = states.find((s) => s.state === said)?.state ?? "";
  const [rows, setRows] = useState(step);
  const got = useLoad(async (signal) => ({ of: state as State | "", ...(await list(state, conversation, rows, signal)) }), [state, conversation, rows]);
  const counts = got.value?.counts ?? [];
  const runs = !!got.value?.items.some(underWay) || counts.some((c) => c.count > 0 && ["running", "queued", "retrying"].includes(c.value));
  usePoll(got, runs ? soon : seldom);
  const now = useClock(runs);
  return (
    <div class="page jobs">
      <h1>Jobs</h1>
      <p class="soft">
        Compactions that run in the background. Each begins when a conversation reaches its trigger; no message waits for it. The{" "}
        {conversation ? "list has those of one conversation." : "newest come first."}
        {conversation && <> <a href={conversationPath(conversation)}>Open the conversation</a> <button onClick={() => change({ conversation: "" })}>Show all jobs</button></>}
      </p>
      <Waits of={{ ...got, loading: false }}>
        {(all) => (
          <>
            <States counts={all.counts} at={state} />
            {all.items.length > 0 ? <Rows items={all.items} total={totalOf(all.counts, all.of, all.items)} now={now} changed={got.again} /> : <None state={all.of} />}
            {all.next && <p class="jobs-more"><button onClick={() => setRows(all.items.length + step)}>Show more ({count(all.items.length)} of {count(totalOf(all.counts, all.of, all.items))})</button></p>}
          </>
        )}
      </Waits>
    </div>
  );
}

const totalOf = (counts: Facet[], state: State | "", items: Job[]): number =>
  Math.max(counts.reduce((sum, c) => sum + (!state || c.value === state ? c.count : 0), 0), items.length);

/** States says how many jobs there are in each state, and chooses one. */
function States({ counts, at }: { counts: Facet[]; at: State | "" }) {
  const of = (state: string) => counts.find((c) => c.value === state)?.count ?? 0;
  return (
    <div class="job-states" role="group" aria-label="States">
      <button aria-pressed={!at} onClick={() => change({ state: "" })}>All <span class="number">{count(counts.reduce((n, c) => n + c.count, 0))}</span></button>
      {states.map((s) => (of(s.state) > 0 || at === s.state) && (
        <button key={s.state} class={`job-${s.state}`} title={s.means} aria-pressed={at === s.state} onClick={() => change({ state: at === s.state ? "" : s.state })}>
          <span class="job-state"><span aria-hidden="true">{s.sign}</span>{s.word}</span> <span class="number">{count(of(s.state))}</span>
        </button>
      ))}
    </div>
  );
}

function None({ state }: { state: State | "" }) {
  if (state) return <Empty title={`No job is ${states.find((s) => s.state === state)!.word}`}><button onClick={() => change({ state: "" })}>Show all jobs</button></Empty>;
  return (
    <Empty title="No jobs yet">
      <p>When a conversation reaches its trigger, it is compacted in the background, and the job appears here.{meta.value?.read_only && " This server only reads; jobs run on others."}</p>
    </Empty>
  );
}
