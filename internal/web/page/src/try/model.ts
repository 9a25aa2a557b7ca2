import type { Outline, Trial, Wish } from "../api";

/** How the reader says what to compact. */
export type How = "target" | "profile" | "strategies";

/** What stands in the form. */
export interface Form {
  how: How;
  target: string;
  profile: string;
  strategies: string[];
  from: string;
  to: string;
  keep: string;
  focus: string;
  summary: string;
}

export const empty: Form = { how: "target", target: "10%", profile: "", strategies: [""], from: "", to: "", keep: "", focus: "", summary: "" };

/** wishOf is what is asked of the server: only what the chosen way uses. */
export function wishOf(f: Form): Wish {
  const wish: Wish = {};
  if (f.how === "target" && f.target.trim()) wish.target = f.target.trim();
  if (f.how === "profile" && f.profile) wish.profile = f.profile;
  const chosen = f.strategies.map((s) => s.trim()).filter(Boolean);
  if (f.how === "strategies" && chosen.length) wish.strategies = chosen;
  for (const name of ["from", "to", "keep", "focus", "summary"] as const) if (f[name].trim()) wish[name] = f[name].trim();
  return wish;
}

/** A turn's size: raw, as a model sees it now, and as it would. */
export interface TurnSize {
  turn: number;
  raw: number;
  now: number;
  then: number;
}

/** byTurn adds up the entries of each turn. */
export function byTurn(o: Outline, t: Trial): TurnSize[] {
  const turns = new Map<number, TurnSize>();
  for (let i = 0; i < o.turn.length; i++) {
    const turn = o.turn[i]!;
    if (o.before[i] === 0 && o.after[i] === 0) continue;
    const last = turns.get(turn) ?? { turn, raw: 0, now: 0, then: 0 };
    turns.set(turn, last);
    last.raw += o.before[i]!;
    last.now += o.after[i]!;
    last.then += t.after[i] ?? o.after[i]!;
  }
  return [...turns.values()];
}
