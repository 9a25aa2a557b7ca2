// Measuring takes a while: the server tells each strategy as it is measured.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { LabDone, LabPoint, LabProgress } from "../api";
import { request } from "../call";

/** What is known of a measurement so far. */
export interface Measured {
  points: LabPoint[];
  progress: LabProgress | null;
  done: LabDone | null;
  error: unknown;
}

/** Follows the measurement at an address of the API until the component goes, which ends it. */
export function useMeasured(address: string) {
  const measured = useMemo(() => signal<Measured>({ points: [], progress: null, done: null, error: undefined }), [address]);
  useEffect(() => {
    const stop = new AbortController();
    const know = (more: Partial<Measured>) => (measured.value = { ...measured.value, ...more });
    const told = (event: string, data: string) => {
      if (event === "progress") know({ progress: JSON.parse(data) as LabProgress });
      if (event === "done") know({ done: JSON.parse(data) as LabDone, progress: null });
      if (event === "point") {
        const point = JSON.parse(data) as LabPoint;
        know({ points: [...measured.value.points.filter((p) => p.strategy !== point.strategy), point] });
      }
    };
    read(address, told, stop.signal)
      .then(() => {
        if (!measured.value.done) throw new Error("The measurement was interrupted.");
      })
      .catch((error: unknown) => !stop.signal.aborted && know({ error, progress: null }));
    return () => stop.abort();
  }, [address]);
  return measured;
}

/**
 * Reads events of a server until it ends them. EventSource would begin the measurement
 * anew when it reconnects, and cannot say why a server refused.
 */
async function read(address: string, told: (event: string, data: string) => void, signal: AbortSignal): Promise<void> {
  const answer = await request(address, { signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => block.split("\n").find((l) => l.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      told(field("event"), field("data"));
    }
  }
}
