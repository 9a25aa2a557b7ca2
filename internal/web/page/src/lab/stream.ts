// Measuring takes a while: the server tells each strategy as it is measured.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { LabPoint } from "../api";

export interface Progress {
  done: number;
  total: number;
  doing: string;
}

export interface Measured {
  points: LabPoint[];
  progress: Progress | null;
  /** Set when all is measured: over how many sessions, and why others were left out. */
  ended: { sessions: number; skipped: string[] } | null;
  failure: string;
}

const nothing: Measured = { points: [], progress: null, ended: null, failure: "" };

/** Follows a measurement at an address of the API until the component goes. */
export function useMeasured(address: string) {
  const measured = useMemo(() => signal<Measured>(nothing), [address]);
  useEffect(() => {
    const source = new EventSource(address);
    const on = <T>(name: string, take: (told: T) => Partial<Measured>) =>
      source.addEventListener(name, (e) => {
        if (e instanceof MessageEvent) measured.value = { ...measured.value, ...take(JSON.parse(e.data as string) as T) };
      });
    on<LabPoint>("point", (p) => ({ points: [...measured.value.points.filter((q) => q.strategy !== p.strategy), p] }));
    on<Progress>("progress", (progress) => ({ progress }));
    on<{ title?: string; detail?: string; hint?: string }>("problem", (p) => {
      source.close();
      return { progress: null, failure: [p.title, p.detail, p.hint].filter(Boolean).join(" – ") };
    });
    on<{ sessions?: number; skipped?: string[] | null }>("done", (d) => {
      source.close();
      return { progress: null, ended: { sessions: d.sessions ?? 0, skipped: d.skipped ?? [] } };
    });
    source.onerror = () => {
      // Measuring begins anew with a connection, so it is not opened again by itself.
      source.close();
      if (!measured.value.ended) measured.value = { ...measured.value, progress: null, failure: "The measurement was interrupted. Reload to begin again." };
    };
    return () => source.close();
  }, [address]);
  return measured;
}
