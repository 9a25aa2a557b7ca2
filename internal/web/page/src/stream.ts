import type { Event } from "./api";

/** The names of what a stream tells, as the server gives them to its events. */
const names = ["entry", "status", "text", "reasoning", "running", "output", "stop", "error", "question"] as const;

export type Told = Event & { type: string };

/**
 * follow listens to a conversation from after a seq on, until the function that it
 * gives is called. The browser reconnects with Last-Event-ID; where it gives up (the
 * server was away), this begins again after the newest entry it was told of.
 * state is told true while connected.
 */
export function follow(id: string, after: number, told: (e: Told) => void, state: (connected: boolean) => void = () => {}): () => void {
  let last = after;
  let source: EventSource | undefined;
  let timer = 0;
  let wait = 500;
  const open = () => {
    source = new EventSource(`/api/conversations/${encodeURIComponent(id)}/events?after=${last}`);
    source.onopen = () => {
      wait = 500;
      state(true);
    };
    source.onerror = () => {
      state(false);
      if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again itself
      timer = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, 10_000);
    };
    for (const name of names) {
      source.addEventListener(name, (message) => {
        if (!(message instanceof MessageEvent)) return; // the browser's own "error"
        const e = { ...(JSON.parse(message.data as string) as Event), type: name };
        if (e.entry) {
          if (e.entry.seq <= last) return; // told twice over a reconnection
          last = e.entry.seq;
        }
        told(e);
      });
    }
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
    state(false);
  };
}
