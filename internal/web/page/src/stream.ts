import type { Event } from "./api";
import { pathOf } from "./call";

/** What a stream tells: the type is the event's name. */
export type Told = Event & { type: string };

/** How often is looked whether the machine slept, and what time without a look or an answer says so, in milliseconds. */
const [look, silent] = [5000, 20_000];

const names = ["entry", "status", "text", "reasoning", "output"] as const;

/**
 * follow listens to a conversation from after a seq on, until the function that it
 * gives is called. The browser reconnects with Last-Event-ID; where it gives up, because
 * the server refused, this calls refused with the newest entry it was told of, and begins
 * again after that. While the tab is hidden it listens to nothing: a browser opens only
 * six connections to a host. While the machine slept, or the network was away, a connection
 * may have ended without a word: it is made anew.
 */
export function follow(of: { id: string; created: string; entries: number }, told: (e: Told) => void, connected: (yes: boolean) => void, refused: (last: number) => void): () => void {
  let last = of.entries;
  let source: EventSource | undefined;
  let timer = 0;
  let wait = 500;
  let opened = 0;
  let looked = Date.now();
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    opened = Date.now();
    const from = new EventSource(pathOf("/api/conversations/{id}/events", { id: of.id, after: last, created: of.created }));
    source = from;
    from.onopen = () => {
      wait = 500;
      connected(true);
    };
    from.onerror = () => {
      connected(false);
      if (from.readyState !== EventSource.CLOSED) return; // the browser tries again itself
      refused(last); // why, the browser does not say
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
  const again = () => source && open();
  const watch = setInterval(() => {
    const now = Date.now();
    if (now - looked > silent || (source?.readyState === EventSource.CONNECTING && now - opened > silent)) again();
    looked = now;
  }, look);
  document.addEventListener("visibilitychange", seen);
  addEventListener("online", again);
  seen();
  return () => {
    clearInterval(watch);
    removeEventListener("online", again);
    document.removeEventListener("visibilitychange", seen);
    close();
  };
}
