import type { Job } from "../api";
import { stateOf } from "./model";

/** StateSign is the sign and the word of a job's state in its colour. */
export function StateSign({ state }: { state: Job["state"] }) {
  const s = stateOf(state);
  return (
    <span class={`job-state job-${state}`} title={s.means}>
      <span aria-hidden="true">{s.sign}</span>
      {s.word}
    </span>
  );
}
