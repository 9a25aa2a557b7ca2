import type { Outline } from "../api";

/** The bits of an entry's flags. */
export const flag = { error: 1, person: 2, pinned: 4, agent: 8, unseen: 16 } as const;

/** What a line of the timeline is. */
export const lineOf = { entry: 0, turn: 1, group: 2 } as const;

/** The lines that are shown, in order: each of a kind, with the seq that it begins at. */
export interface Lines {
  type: Uint8Array;
  seq: Int32Array;
  count: number;
}

/**
 * A Log is the structure of a whole log in typed arrays, 27 bytes an entry, which is
 * what lets 100,000 entries be folded, searched and drawn without their texts. Entry
 * seq has the index seq - 1.
 */
export class Log {
  length = 0;
  kinds: string[] = [];
  fates: string[] = [];
  kind = new Uint8Array(0);
  turn = new Int32Array(0);
  step = new Int32Array(0);
  before = new Int32Array(0);
  after = new Int32Array(0);
  fate = new Uint8Array(0);
  by = new Int32Array(0);
  pair = new Int32Array(0);
  flags = new Uint8Array(0);
  /** The last seq of the run of hidden entries that begins at a seq. */
  runs = new Map<number, number>();
  /** The first seq of each turn, in order, and its number. */
  turnSeqs: number[] = [];
  /** Tokens that most entries stay below: what a bar of full width means. */
  scale = 1;

  /** merge takes the columns in; false if they begin after what is known. */
  merge(o: Outline): boolean {
    const at = o.from - 1;
    if (at > this.length) return false;
    this.grow(at + o.kind.length);
    const kind = o.kinds.map((k) => indexIn(this.kinds, k));
    const fate = o.fates.map((f) => indexIn(this.fates, f));
    for (let i = 0; i < o.kind.length; i++) {
      this.kind[at + i] = kind[o.kind[i]!]!;
      this.fate[at + i] = fate[o.fate[i]!]!;
    }
    this.turn.set(o.turn, at);
    this.step.set(o.step, at);
    this.before.set(o.before, at);
    this.after.set(o.after, at);
    this.by.set(o.by, at);
    this.pair.set(o.pair, at);
    this.flags.set(o.flags, at);
    this.length = at + o.kind.length;
    this.structure();
    return true;
  }

  private grow(size: number): void {
    if (size <= this.kind.length) return;
    const room = Math.max(size + 256, Math.ceil(this.kind.length * 1.5));
    const grown = <T extends Uint8Array | Int32Array>(old: T): T => {
      const made = new (old.constructor as new (n: number) => T)(room);
      made.set(old);
      return made;
    };
    this.kind = grown(this.kind);
    this.turn = grown(this.turn);
    this.step = grown(this.step);
    this.before = grown(this.before);
    this.after = grown(this.after);
    this.fate = grown(this.fate);
    this.by = grown(this.by);
    this.pair = grown(this.pair);
    this.flags = grown(this.flags);
  }

  /** structure finds turns, and the runs that one compaction hides. */
  private structure(): void {
    this.turnSeqs = [];
    this.runs.clear();
    let turn = -2;
    let from = 0; // of the run, 0 for none
    let last = 0;
    let hidden = 0;
    const compaction = this.kinds.indexOf("compaction");
    const end = () => {
      if (hidden >= 3) this.runs.set(from, last);
      from = 0;
    };
    for (let i = 0; i < this.length; i++) {
      const t = this.turn[i]!;
      if (t !== turn && !(this.flags[i]! & flag.agent && this.turnSeqs.length)) {
        this.turnSeqs.push(i + 1);
        turn = t;
      }
      if (this.kind[i] === compaction && from) end(); // what it did to the log stays in sight
      if (this.flags[i]! & flag.unseen) continue; // stands in a run, but begins and ends none
      const by = this.by[i]!;
      const gone = by >= 0 && this.after[i] === 0;
      if (from && (!gone || by !== this.by[from - 1])) end();
      if (!gone) continue;
      if (!from) {
        from = i + 1;
        hidden = 0;
      }
      hidden++;
      last = i + 1;
    }
    if (from) end();
    this.scale = percentile(this.before.subarray(0, this.length), 0.99);
  }

  /** turnOf gives the place in turnSeqs of the turn that holds the entry. */
  turnOf(seq: number): number {
    let low = 0;
    let high = this.turnSeqs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.turnSeqs[middle]! <= seq) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** endOf gives the last seq of what a line stands for. */
  endOf(type: number, seq: number): number {
    if (type === lineOf.group) return this.runs.get(seq) ?? seq;
    if (type === lineOf.turn) return (this.turnSeqs[this.turnOf(seq) + 1] ?? this.length + 1) - 1;
    return seq;
  }

  /** sum adds the tokens of entries from first to last. */
  sum(first: number, last: number): { before: number; after: number; entries: number } {
    let before = 0;
    let after = 0;
    for (let i = first - 1; i < last; i++) {
      before += this.before[i]!;
      after += this.after[i]!;
    }
    return { before, after, entries: last - first + 1 };
  }

  kindAt(seq: number): string {
    return this.kinds[this.kind[seq - 1]!] ?? "";
  }

  fateAt(seq: number): string {
    return this.fates[this.fate[seq - 1]!] ?? "kept";
  }

  has(seq: number, bit: number): boolean {
    return (this.flags[seq - 1]! & bit) !== 0;
  }

  /** find gives the next seq after another (or before, if step is -1) that is as wanted; 0 for none. */
  find(seq: number, step: 1 | -1, wanted: (seq: number) => boolean): number {
    for (let s = seq + step; s >= 1 && s <= this.length; s += step) if (wanted(s)) return s;
    return 0;
  }
}

function indexIn(list: string[], value: string): number {
  const at = list.indexOf(value);
  return at >= 0 ? at : list.push(value) - 1;
}

function percentile(values: Int32Array, share: number): number {
  const sorted = values.filter((v) => v > 0).sort();
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 1;
}

/**
 * A Foldable is what can be folded: a turn, what a compaction hides, the result of a
 * call, and the bookkeeping between them, which no model sees and few readers want.
 */
export type Foldable = "turn" | "group" | "result" | "book";

/** Folds are what is folded: all of a sort or none, but for some, by their first seq. */
export class Folds {
  private all = { turn: false, group: false, result: false, book: true };
  private but = { turn: new Set<number>(), group: new Set<number>(), result: new Set<number>(), book: new Set<number>() };

  constructor(private log: Log) {}

  /** key is the seq by which a fold is known: a turn may be headed more than once. */
  private key(sort: Foldable, seq: number): number {
    return sort === "turn" ? (this.log.turnSeqs[this.log.turnOf(seq)] ?? seq) : seq;
  }

  folded(sort: Foldable, seq: number): boolean {
    return this.all[sort] !== this.but[sort].has(this.key(sort, seq));
  }

  set(sort: Foldable, seq: number, fold: boolean): void {
    seq = this.key(sort, seq);
    if (fold === this.all[sort]) this.but[sort].delete(seq);
    else this.but[sort].add(seq);
  }

  setAll(sort: Foldable, fold: boolean): void {
    this.all[sort] = fold;
    this.but[sort].clear();
  }

  allFolded(sort: Foldable): boolean {
    return this.all[sort];
  }

  /** reveal unfolds whatever hides the entry. */
  reveal(seq: number): void {
    this.set("turn", seq, false);
    for (const [first, last] of this.log.runs) if (first <= seq && seq <= last) this.set("group", first, false);
    this.set("book", seq, false);
    if (isResult(this.log, seq)) this.set("result", this.log.pair[seq - 1]!, false);
  }
}

/** isResult says whether the entry is the result of a call before it. */
export function isResult(log: Log, seq: number): boolean {
  const call = log.pair[seq - 1]!;
  return call > 0 && call < seq;
}

/** isBookkeeping says whether the entry only counts or marks: usage, the begin of a turn, what a client notes for itself. */
export function isBookkeeping(log: Log, seq: number): boolean {
  if (!log.has(seq, flag.unseen)) return false;
  const kind = log.kindAt(seq);
  return kind === "usage" || kind === "turn_start" || kind.includes(".");
}

/** linesOf gives what is to be shown of the log. */
export function linesOf(log: Log, folds: Folds): Lines {
  const room = log.length + log.turnSeqs.length + 2 * log.runs.size;
  const lines: Lines = { type: new Uint8Array(room), seq: new Int32Array(room), count: 0 };
  const add = (type: number, seq: number) => {
    lines.type[lines.count] = type;
    lines.seq[lines.count++] = seq;
  };
  let turn = 0; // the next in turnSeqs
  let rest = false; // of a turn that began among what is folded
  for (let seq = 1; seq <= log.length; seq++) {
    if (log.turnSeqs[turn] === seq || rest) {
      add(lineOf.turn, seq);
      if (!rest) turn++;
      rest = false;
      if (folds.folded("turn", seq)) {
        seq = (log.turnSeqs[turn] ?? log.length + 1) - 1;
        continue;
      }
    }
    const last = log.runs.get(seq);
    if (last !== undefined) {
      add(lineOf.group, seq);
      if (folds.folded("group", seq)) {
        while (turn < log.turnSeqs.length && log.turnSeqs[turn]! <= last) {
          turn++;
          rest = true;
        }
        rest &&= log.turnSeqs[turn] !== last + 1;
        seq = last;
        continue;
      }
    }
    if (isResult(log, seq) && folds.folded("result", log.pair[seq - 1]!)) continue;
    if (isBookkeeping(log, seq) && folds.folded("book", seq)) continue;
    add(lineOf.entry, seq);
  }
  return lines;
}

/** indexOf gives the line of an entry, or of what hides it; -1 for an empty log. */
export function indexOf(lines: Lines, seq: number): number {
  let low = 0;
  let high = lines.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines.seq[middle]! <= seq) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? -1 : low;
}

/** cursorOf gives the line of the cursor: itself, or what hides it. */
export function cursorOf(lines: Lines, at: { seq: number; type: number }): number {
  let i = indexOf(lines, at.seq);
  // The head of a turn, that of what is hidden and an entry may begin at one seq.
  while (i > 0 && lines.seq[i] === at.seq && lines.type[i] !== at.type && lines.seq[i - 1] === at.seq) i--;
  return i;
}

/** headOf gives what tells a turn best: the first message of a person in it. */
export function headOf(log: Log, seq: number): number {
  const last = log.endOf(lineOf.turn, seq);
  for (let s = seq; s <= last && s < seq + 50; s++) if (log.has(s, flag.person)) return s;
  return seq;
}
