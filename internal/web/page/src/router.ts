import { signal } from "@preact/signals";

/** Where the reader is: which view, of which conversation, and the rest of the address. */
export interface Place {
  view: "conversations" | "timeline" | "view" | "compactions" | "lab" | "money" | "alllab" | "jobs" | "search" | "nowhere";
  id: string; // the conversation, "" for none
  part: string; // the compaction of /c/ID/compactions/CMP
  query: URLSearchParams;
  hash: string; // without the #
}

/** placeOf reads an address: its path, query and hash. */
export function placeOf(path: string, search = "", hash = ""): Place {
  const place = (view: Place["view"], id = "", part = ""): Place => ({ view, id, part, query: new URLSearchParams(search), hash: hash.replace(/^#/, "") });
  const steps = path.split("/").filter(Boolean).map(decode);
  if (steps.length === 0) return place("conversations");
  const [first, id = "", sub = "", part = ""] = steps;
  if (first === "c" && id && steps.length <= 4) {
    if (!sub) return place("timeline", id);
    if (sub === "compactions") return place("compactions", id, part);
    if (!part && (sub === "view" || sub === "lab")) return place(sub, id);
  }
  if (steps.length === 1 && (first === "money" || first === "search" || first === "jobs")) return place(first);
  if (steps.length === 1 && first === "lab") return place("alllab");
  return place("nowhere");
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

const read = () => placeOf(location.pathname, location.search, location.hash);

/** place is where the reader is now. */
export const place = signal(read());

/** entryIn gives the entry that the address names after its #; 0 for none. */
export function entryIn(hash: string): number {
  return /^\d{1,9}$/.test(hash) ? Number(hash) : 0;
}

/** go moves to an address of the page; replace leaves no step to go back to. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  const before = place.value;
  place.value = read();
  if (before.view !== place.value.view || before.id !== place.value.id) scrollTo(0, 0);
}

/** setQuery changes the query of the address; an empty value goes. */
export function setQuery(values: Record<string, string>, replace = true): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : "") + location.hash, replace);
}

/** conversationPath is the address of a view of a conversation. */
export function conversationPath(id: string, view = "", seq = 0): string {
  return `/c/${encodeURIComponent(id)}${view ? `/${view}` : ""}${seq ? `#${seq}` : ""}`;
}

/** listen follows the links of the page and the browser's back and forward. */
export function listen(): void {
  addEventListener("popstate", () => (place.value = read()));
  addEventListener("hashchange", () => (place.value = read()));
  addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const link = (e.target as Element).closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/api/") || link.pathname.startsWith("/assets/")) return;
    if (link.getAttribute("href")?.startsWith("#")) return;
    e.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
