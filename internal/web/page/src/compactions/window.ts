import { useEffect, useRef, useState } from "preact/hooks";
import type { ComparedRow } from "../api";
import { call } from "../call";
import { fail } from "../shell/toast";

const narrow = matchMedia("(max-width: 50rem)");

/** useNarrow says whether the screen is as narrow as a phone, as the style sheets do. */
export function useNarrow(): boolean {
  const [is, set] = useState(narrow.matches);
  useEffect(() => {
    const look = () => set(narrow.matches);
    narrow.addEventListener("change", look);
    return () => narrow.removeEventListener("change", look);
  }, []);
  return is;
}

/** useRem gives the size of a rem in pixels, which grows on very large screens. */
export function useRem(): number {
  const look = () => parseFloat(getComputedStyle(document.documentElement).fontSize) || 14;
  const [size, set] = useState(look);
  useEffect(() => {
    const changed = () => set(look());
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return size;
}

/**
 * useWindow says which lines of a list of equally high ones are on the screen; the list
 * scrolls with the page. One line, opened, may be higher by extra.
 */
export function useWindow(n: number, high: number, opened: number, extra: number) {
  const at = useRef<HTMLDivElement>(null);
  const [range, set] = useState<[number, number]>([0, 40]);
  useEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      if (!at.current) return;
      const above = -at.current.getBoundingClientRect().top;
      const line = (y: number) => Math.floor((opened >= 0 && y > (opened + 1) * high ? Math.max(y - extra, (opened + 1) * high) : y) / high);
      const from = Math.max(0, line(above) - 8);
      const to = Math.min(n, line(above + innerHeight) + 9);
      set((r) => (r[0] === from && r[1] === to ? r : [from, Math.max(from, to)]));
    };
    const soon = () => (asked ||= requestAnimationFrame(look));
    look();
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(asked);
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    };
  }, [n, high, opened, extra]);
  return [at, [Math.min(range[0], n), Math.min(range[1], n)]] as const;
}

const page = 100;

/** useTexts fetches what rows say, a page at a time, where it is needed. */
export function useTexts(id: string, compaction: string, version: number) {
  const known = useRef(new Map<number, ComparedRow>());
  const asked = useRef(new Set<number>());
  const [, again] = useState(0);
  const life = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    known.current = new Map();
    asked.current = new Set();
    life.current = new AbortController();
    again((n) => n + 1);
    return () => life.current?.abort();
  }, [id, compaction, version]);
  const want = (row: number) => {
    const first = Math.floor(row / page);
    if (asked.current.has(first) || !life.current) return;
    asked.current.add(first);
    const { signal } = life.current;
    call("GET /api/conversations/{id}/compactions/{compaction}/rows", { id, compaction, from: first * page, limit: page }, undefined, signal).then(
      (got) => {
        if (signal.aborted) return;
        for (const row of got.items) known.current.set(row.index, row);
        again((n) => n + 1);
      },
      (e) => {
        if (signal.aborted) return;
        asked.current.delete(first);
        fail(e);
      },
    );
  };
  return { row: (i: number) => known.current.get(i), want };
}
