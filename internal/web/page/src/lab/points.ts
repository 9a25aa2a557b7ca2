// The measured strategies as the plot and the table show them.
import type { LabPoint } from "../api";

/** Strategies that differ in their target alone: one line of the plot. */
export interface Family {
  name: string;
  baseline: boolean;
  /** From the shortest view to the longest. */
  points: LabPoint[];
  /** Which sign it has among its kind, ours or baselines, and which colour among all. */
  look: number;
  colour: number;
}

/** The target of a strategy as it is written; empty where it has none. */
export const targetOf = (strategy: string): string => /[:,]target=([^,]+)/.exec(strategy)?.[1] ?? "";

/** Our strategies first, `fit` before all; then the baselines; each by name. */
export function families(points: LabPoint[]): Family[] {
  const by = new Map<string, Family>();
  for (const p of points) {
    let family = by.get(p.family);
    if (!family) by.set(p.family, (family = { name: p.family, baseline: p.baseline, points: [], look: 0, colour: 0 }));
    family.points.push(p);
  }
  const rank = (f: Family) => (f.name === "fit" ? 0 : f.baseline ? 2 : 1);
  const list = [...by.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  const signs = { ours: 0, baselines: 0 };
  list.forEach((f, i) => {
    f.points.sort((a, b) => a.share - b.share);
    f.look = signs[f.baseline ? "baselines" : "ours"]++;
    f.colour = i;
  });
  return list;
}

/** What the baselines are, as "tenfold lab" says it, in a few words. */
export const baselines: Record<string, string> = {
  none: "everything",
  "keep-newest-10": "the newest 10 results",
  "head-tail": "of older results head and tail",
  narration: "what was said, without the calls",
  window: "the newest whole turns",
  suffix: "the newest lines",
  code: "the newest texts of code",
  atoms: "names without their lines",
  clairvoyant: "knows what will be used: the bound",
};

/**
 * The points that no other beats: none has a view as short and the measure as high.
 * Bounds do not count, nor does a measure of nothing.
 */
export function frontier(all: LabPoint[], of: "cur" | "edr"): Set<string> {
  const best = new Set<string>();
  const points = all.filter((p) => !p.family.startsWith("clairvoyant"));
  for (const p of points) {
    const value = p[of];
    if (!value) continue;
    const beaten = points.some((q) => {
      const other = q[of];
      return other !== null && q.share <= p.share && other >= value && (q.share < p.share || other > value);
    });
    if (!beaten) best.add(p.strategy);
  }
  return best;
}

/** Marks of the axis, from the last one below a share on. */
export function ticksFrom(least: number): number[] {
  const all = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
  let first = 0;
  while (first < all.length - 2 && all[first + 1]! <= least) first++;
  return all.slice(first);
}
