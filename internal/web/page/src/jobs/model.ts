// What a job's state means, in signs and words.
import type { Job } from "../api";
import { plural, span } from "../format";

export type State = Job["state"];

/** The states, in the order in which the page offers them. Each has a sign besides its colour. */
export const states: { state: State; sign: string; word: string; means: string }[] = [
  { state: "running", sign: "▶", word: "running", means: "a worker compacts the conversation now" },
  { state: "queued", sign: "…", word: "queued", means: "begins as soon as a worker is free" },
  { state: "scheduled", sign: "◷", word: "scheduled", means: "begins at a set time" },
  { state: "retrying", sign: "↻", word: "retrying", means: "an attempt failed; another follows" },
  { state: "failed", sign: "!", word: "failed", means: "every attempt failed; the conversation is as it was" },
  { state: "cancelled", sign: "×", word: "cancelled", means: "ended before its work was done; the conversation is as it was" },
  { state: "completed", sign: "✓", word: "completed", means: "its work is done" },
];

export const stateOf = (state: State) => states.find((s) => s.state === state) ?? states[0]!;

/** underWay says whether a job may still change the conversation by itself. */
export const underWay = (j: Job): boolean => ["running", "queued", "scheduled", "retrying"].includes(j.state);

export const retryable = (j: Job): boolean => ["scheduled", "retrying", "failed", "cancelled"].includes(j.state);

export const cancellable = underWay;

const ms = (at: string | undefined): number => (at ? new Date(at).getTime() : NaN);

/** timing says in a phrase what time means for a job: how long it waits, runs or took. */
export function timing(j: Job, now: number): string {
  const until = ms(j.due) - now;
  switch (j.state) {
    case "running":
      return j.began ? `for ${span(Math.max(0, now - ms(j.began)))}` : "";
    case "queued":
      return `for ${span(Math.max(0, now - Math.max(ms(j.created), ms(j.due) || 0)))}`;
    case "scheduled":
    case "retrying":
      return until > 0 ? `begins in ${span(until)}` : "begins now";
  }
  const took = ms(j.ended) - ms(j.began);
  return took >= 0 ? `after ${span(took)}` : "";
}

/** attempts says which attempt it is, where that tells something. */
export function attempts(j: Job): string {
  if (j.state === "completed" ? j.attempt <= 1 : j.attempt < 1) return "";
  if (j.state === "running" || j.state === "retrying") return `attempt ${j.attempt} of ${j.attempts}`;
  return plural(j.attempt, "attempt");
}

/** why says why a job waits, why it failed, or what came of it. */
export function why(j: Job): string {
  if (j.state === "retrying" || j.state === "failed") return j.error || j.waits || "";
  if (j.state === "completed" || j.state === "cancelled") return j.outcome || j.error || "";
  return j.waits || (j.attempt > 1 ? j.error : "") || "";
}
