import type { Row } from "../api";
import { call } from "../call";
import type { Opened } from "../conversation";

/** Entries come in windows of this many, as many as the server gives at once. */
export const windowSize = 200;
const mostWindows = 40;
const atOnce = 2;

/**
 * Rows holds the texts of the entries around what is shown: windows, fetched when they
 * come in sight, the longest unused dropped.
 */
export class Rows {
  private windows = new Map<number, Map<number, Row>>(); // the least used first
  private stale = new Set<number>();
  private wanted: number[] = [];
  private busy = new Set<number>();
  private resting = new Set<number>(); // failed, or did not have what was wanted

  constructor(
    private of: Opened,
    private changed: () => void,
    private failed: (e: unknown) => void,
  ) {}

  get(seq: number): Row | undefined {
    return this.windows.get(windowOf(seq))?.get(seq);
  }

  /** put takes a row that the stream told of. */
  put(row: Row): void {
    const w = windowOf(row.seq);
    const have = this.windows.get(w) ?? new Map<number, Row>();
    this.windows.set(w, have.set(row.seq, row));
    this.changed();
  }

  /** want says what is in sight now; what was wanted before and is not asked for yet is forgotten. */
  want(seqs: Iterable<number>, newest: number): void {
    const wanted = new Set<number>();
    for (const seq of seqs) {
      const w = windowOf(seq);
      const have = this.windows.get(w);
      if (have && !this.stale.has(w) && have.has(seq)) {
        this.windows.delete(w); // and again at the end, as used last
        this.windows.set(w, have);
      } else if (seq <= newest && !this.busy.has(w) && !this.resting.has(w)) wanted.add(w);
    }
    this.wanted = [...wanted];
    this.fetch();
  }

  /** renew asks again for what is held of the entries from seq on, when it is in sight. */
  renew(seq: number): void {
    for (const w of this.windows.keys()) if (w >= windowOf(seq)) this.stale.add(w);
  }

  private fetch(): void {
    while (this.busy.size < atOnce && this.wanted.length) {
      const w = this.wanted.shift()!;
      this.busy.add(w);
      this.stale.delete(w);
      call("GET /api/conversations/{id}/rows", { id: this.of.id, from: w * windowSize + 1, limit: windowSize })
        .then(
          (rows) => {
            if (!this.of.same(rows.created)) return;
            const have = new Map(this.windows.get(w)); // the stream may know of newer ones
            for (const row of rows.items) if (windowOf(row.seq) === w) have.set(row.seq, row);
            this.windows.delete(w);
            this.windows.set(w, have);
            for (const old of this.windows.keys()) {
              if (this.windows.size <= mostWindows) break;
              this.windows.delete(old);
            }
          },
          (e) => this.failed(e),
        )
        .finally(() => {
          this.busy.delete(w);
          this.resting.add(w);
          setTimeout(() => this.resting.delete(w) && this.changed(), 1000);
          this.changed();
          this.fetch();
        });
    }
  }
}

function windowOf(seq: number): number {
  return Math.floor((seq - 1) / windowSize);
}
