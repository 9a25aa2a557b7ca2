import { call, Problem } from "../call";
import type { Opened } from "../conversation";
import { meta } from "../shell/shell";
import { fail, say } from "../shell/toast";
import type { Log } from "./outline";

/**
 * outlineLoader gives a function that asks for the outline from a seq on. Asked again
 * while it waits, it asks once more after it, from the earliest seq. A server that is
 * away is asked again until stop.
 */
export function outlineLoader({ id, same }: Opened, log: Log, loaded: () => void, failed: (e: unknown) => void): { from: (seq: number) => void; stop: () => void } {
  let busy = false;
  let next = 0;
  let timer = 0;
  const from = (seq: number) => {
    if (busy) {
      next = next ? Math.min(next, seq) : seq;
      return;
    }
    busy = true;
    let wait = 0;
    call("GET /api/conversations/{id}/outline", { id, from: seq })
      .then(
        (o) => {
          if (!same(o.created)) return;
          if (!log.merge(o)) next = log.length + 1;
          loaded();
        },
        (e) => {
          if (log.length === 0) failed(e);
          if (e instanceof Problem && e.away) {
            next = next ? Math.min(next, seq) : seq;
            wait = 1500;
          } else if (log.length) fail(e);
        },
      )
      .finally(() => {
        busy = false;
        const again = next;
        next = 0;
        if (again) timer = window.setTimeout(from, wait, again);
      });
  };
  return { from, stop: () => clearTimeout(timer) };
}

/** togglePin pins an entry, or unpins it. */
export async function togglePin(id: string, seq: number, pinned: boolean, done: () => void): Promise<void> {
  if (meta.value?.read_only) return say("The server is read only: nothing can be pinned.");
  try {
    await call(pinned ? "DELETE /api/conversations/{id}/pins/{seq}" : "PUT /api/conversations/{id}/pins/{seq}", { id, seq });
    say(pinned ? `Entry ${seq} is no longer pinned.` : `Entry ${seq} is pinned: no compaction takes it.`);
    done();
  } catch (e) {
    fail(e);
  }
}
