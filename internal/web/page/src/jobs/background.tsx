// What the header of a conversation says of work in the background.
import { useEffect, useState } from "preact/hooks";
import type { Job } from "../api";
import { call } from "../call";
import { useConversation } from "../conversation";
import { useLoad } from "../parts/load";
import { useClock, usePoll } from "../parts/clock";
import { meta } from "../shell/shell";
import { cancel, retry } from "./actions";
import { timing, underWay, why } from "./model";
import { StateSign } from "./state";
import "./jobs.css";

/** How often the newest job is asked for while it is under way, and how long after the log grew, in milliseconds. */
const often = 2000;

/** Background says when a compaction of a conversation is under way in the background, or failed. */
export function Background({ id }: { id: string }) {
  return meta.value?.jobs ? <Newest id={id} /> : null;
}

function Newest({ id }: { id: string }) {
  const version = useConversation(id).version.value;
  const [grown, grow] = useState(version);
  useEffect(() => {
    if (version === grown) return;
    // Entries come in bursts: one question answers for all of them.
    const timer = setTimeout(grow, often / 2, version);
    return () => clearTimeout(timer);
  }, [version > grown, grown]);
  const got = useLoad((signal) => call("GET /api/jobs", { conversation: id, limit: 1 }, undefined, signal), [id, grown]);
  const j = got.value?.items[0];
  const runs = !!j && underWay(j);
  usePoll(got, runs ? often : 0);
  const now = useClock(runs);
  if (!j || (!runs && j.state !== "failed")) return null;
  const act = (does: (of: Job) => Promise<boolean>) => void does(j).then((done) => done && got.again());
  return (
    <p class="background" role="status">
      <span>Compaction in the background:</span> <StateSign state={j.state} />
      {/* Nobody wants to hear the seconds. */}
      <span class="number" aria-hidden="true">{timing(j, now)}</span>
      {why(j) && <span class="job-why">{why(j)}</span>}
      {j.state === "failed" && j.hint && <span class="hint">{j.hint}</span>}
      <a href={`/jobs?conversation=${encodeURIComponent(id)}`}>Jobs</a>
      {!meta.value?.read_only && (runs ? <button onClick={() => act(cancel)}>Cancel…</button> : <button onClick={() => act(retry)}>Retry…</button>)}
    </p>
  );
}
