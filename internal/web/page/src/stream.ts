import type { Event } from "./api";
import { call } from "./call";

/** What a stream tells: the type is the event's name. */
export type Told = Event & { type: string };

const names = ["entry", "status", "text", "reasoning", "output"] as const;

/**
 * follow listens to a conversation from after a seq on, until the function that it
 * gives is called. The browser reconnects with Last-Event-ID; where it gives up (the
 * server was away), this begins again after the newest entry it was told of. A log that
 * has no such entry is another one, as after the restore of a backup: then all that is
 * shown is of the past, and the page is loaded again. While the tab is hidden it listens
 * to nothing: a browser opens only six connections to a host.
 */
export function follow(id: string, after: number, told: (e: Told) => void, connected: (yes: boolean) => void): () => void {
  let last = after;
  let source: EventSource | undefined;
  let timer = 0;
  let wait = 500;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    const from = new EventSource(`/api/conversations/${encodeURIComponent(id)}/events?after=${last}`);
    source = from;
    from.onopen = () => {
      wait = 500;
      connected(true);
    };
    from.onerror = () => {
      connected(false);
      if (from.readyState !== EventSource.CLOSED) return; // the browser tries again itself
      // Why, the browser does not say.
      void call("GET /api/conversations/{id}", { id }).then((c) => c.entries < last && source === from && location.reload(), () => {});
      timer = window.setTimeout(open, wait);
      wait = Math.min(wait * 2, 10_000);
    };
    for (const name of names) {
      from.addEventListener(name, (message) => {
        const e = { ...(JSON.parse((message as MessageEvent<string>).data) as Event), type: name };
        if (e.entry) {
          if (e.entry.seq <= last) return; // told twice over a reconnection
          last = e.entry.seq;
        }
        told(e);
      });
    }
  };
  const seen = () => {
    if (document.hidden) close();
    else if (!source) open();
  };
  document.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    close();
  };
}
