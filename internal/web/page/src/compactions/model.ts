import type { Comparison } from "../api";

/** What the comparison shows, line by line: a row, or a run of rows in which nothing changed. */
export type Line = { row: number } | { from: number; to: number; tokens: number };

/** changed tells whether both sides of a row differ. */
export function changed(c: Comparison, i: number): boolean {
  return c.before[i] !== c.after[i] || c.was[i] !== c.fate[i];
}

/** A run of so many unchanged rows is folded. */
const longRun = 4;

/**
 * lines lists what is shown. With a fate, only the rows of that fate, none folded;
 * otherwise runs without a change are folded but for those that were opened, which are
 * named by their first row.
 */
export function lines(c: Comparison, fate: string, opened: ReadonlySet<number>): Line[] {
  const out: Line[] = [];
  const n = c.seq.length;
  if (fate) {
    const wanted = c.fates.indexOf(fate);
    for (let i = 0; i < n; i++) if (c.fate[i] === wanted) out.push({ row: i });
    return out;
  }
  for (let i = 0; i < n; ) {
    let to = i;
    let tokens = 0;
    while (to < n && !changed(c, to)) tokens += c.after[to++]!;
    if (to - i >= longRun && !opened.has(i)) {
      out.push({ from: i, to, tokens });
      i = to;
      continue;
    }
    for (; i < to; i++) out.push({ row: i });
    if (i < n) out.push({ row: i++ });
  }
  return out;
}

/** What became of the rows of one fate. */
export interface Sum {
  fate: string;
  rows: number;
  before: number;
  after: number;
}

/** sums adds up the rows by their fate afterwards, in the order of the fates. */
export function sums(c: Comparison): Sum[] {
  const by = c.fates.map((fate) => ({ fate, rows: 0, before: 0, after: 0 }));
  for (let i = 0; i < c.seq.length; i++) {
    const sum = by[c.fate[i]!]!;
    sum.rows++;
    sum.before += c.before[i]!;
    sum.after += c.after[i]!;
  }
  return by.filter((s) => s.rows > 0 && s.before + s.after > 0);
}

/** A stretch of rows of one fate, as the figure draws it: tokens from the start of each side. */
export interface Stretch {
  fate: string;
  before: [number, number];
  after: [number, number];
}

/**
 * stretches joins neighbours of one fate. Where there are more than most, the smallest
 * differences of fate are lost: pieces of a share of the whole take the fate of which
 * they hold the most tokens.
 */
export function stretches(fates: string[], fate: number[], before: number[], after: number[], most = 400): Stretch[] {
  let total = 0;
  for (const n of before) total += n;
  const all: Stretch[] = [];
  const least = total / most;
  let b = 0;
  let a = 0;
  let piece = new Map<number, number>();
  let from: [number, number] = [0, 0];
  const close = () => {
    if (b === from[0] && a === from[1]) return;
    let best = -1;
    let weight = -1;
    for (const [f, w] of piece) if (w > weight) [best, weight] = [f, w];
    const last = all[all.length - 1];
    const name = fates[best]!;
    if (last && last.fate === name) {
      last.before[1] = b;
      last.after[1] = a;
    } else all.push({ fate: name, before: [from[0], b], after: [from[1], a] });
    piece = new Map();
    from = [b, a];
  };
  let run = -1;
  for (let i = 0; i < fate.length; i++) {
    if (fate[i] !== run && b + a - from[0] - from[1] >= least) close();
    run = fate[i]!;
    b += before[i]!;
    a += after[i]!;
    piece.set(run, (piece.get(run) ?? 0) + before[i]! + after[i]!);
  }
  close();
  return all;
}

const kinds: Record<string, string> = {
  summary: "summary",
  placeholder: "answer put in for a call without a result",
  opening: "opening message",
  note: "note to the model",
  config: "system prompt and tools",
};

/** rowName writes what a row is: an entry's kind, or what was put in. */
export function rowName(kind: string): string {
  return kinds[kind] ?? kind.replaceAll("_", " ");
}

/** reasons says in a sentence what the few words of a reason mean. */
const reasons: Record<string, string> = {
  "no compaction covers it": "No compaction covers this entry, so a model sees it whole.",
  "no model sees it": "No model ever sees entries of this kind.",
  "answers no call": "A result that answers no call is left out, because providers reject it.",
  "nothing in it": "It is empty, and providers reject empty messages.",
  pinned: "It is pinned: no compaction may change it.",
  "request of the turn": "You asked for this in the turn that is still under way, so it stays.",
  "in the summary": "A summary stands in for it.",
  "turn left out": "Its whole turn is left out.",
  "reasoning removed": "The compaction removes the model's reasoning.",
  "the open tool loop needs it": "The provider requires this reasoning while its tool calls are under way.",
  "bound to a prefix that changed": "The provider accepts this reasoning only after exactly what it was made under, and that has changed.",
  "as words alone, since its prefix changed": "The model said this between its calls, signed by the provider as thinking. What it was made under has changed, so it goes on as words.",
  "attachments removed": "The compaction removes attachments.",
  "policy for calls": "The compaction shortens tool calls and their results.",
  "chosen call by call": "The compaction looked at each call by itself, and decided so about this one.",
  "chosen text by text": "The compaction looked at each message by itself, and kept the passages of this one that later work is likely to need.",
  "not selected": "The compaction chose other entries of its range and left this one alone.",
  "a person wrote it": "A person wrote it, and what a person wrote stays.",
  "standing instruction": "It is the newest version of an instruction that is in force.",
  "under way": "It was under way when the compaction was made, so it was left alone.",
  "hint of the tool": "The tool's own setting says what to keep.",
  "too small to touch": "It is too small for a stub to save anything.",
  "nothing to remove": "It holds nothing that could be removed.",
  "left alone by policy": "The compaction covers it and leaves entries of this kind alone.",
};

export function reason(why: string): string {
  return reasons[why] ?? (why ? `${why[0]!.toUpperCase()}${why.slice(1)}.` : "");
}
