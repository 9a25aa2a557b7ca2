import type { Job } from "../api";
import { call } from "../call";
import { ask } from "../parts/dialog";
import { fail, say } from "../shell/toast";
import { stateOf } from "./model";

const nameOf = (j: Job): string => (j.title ? `“${j.title}”` : `conversation ${j.conversation}`);

/** retry runs a job again, once the reader has seen what that means. */
export function retry(j: Job): Promise<boolean> {
  const text = `The compaction of ${nameOf(j)} (${j.policy}) runs again as soon as a worker is free, on the log as it is then. It may call a model, which costs. If nothing is left to do, it ends without a change.`;
  return act(j, "Retry the job?", text, "Retry", "POST /api/jobs/{id}/retry");
}

/** cancel ends a job, once the reader has seen what that means. */
export function cancel(j: Job): Promise<boolean> {
  const runs = j.state === "running" ? "The attempt under way stops. What a model was asked until then is paid for. " : "";
  const text = `${runs}Unless it was appended already, ${nameOf(j)} is not compacted, and its log stays as it is. A later message can make a compaction due again.`;
  return act(j, "Cancel the job?", text, "Cancel the job", "POST /api/jobs/{id}/cancel");
}

async function act(j: Job, title: string, text: string, yes: string, op: "POST /api/jobs/{id}/retry" | "POST /api/jobs/{id}/cancel"): Promise<boolean> {
  if (!(await ask(title, text, yes))) return false;
  try {
    const now = await call(op, { id: j.id });
    say(`The job is ${stateOf(now.state).word}.`);
  } catch (e) {
    fail(e);
  }
  return true; // even where it failed: it is not what was shown
}
