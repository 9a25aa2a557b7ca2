// The list as it is asked for: what the address says, page after page.
import type { ConversationRow, Conversations } from "../api";
import { call } from "../call";
import { change, parameter } from "../query";

/** Which conversations are wanted, and in which order. */
export interface Wanted {
  q: string;
  project: string;
  tool: string;
  since: string;
  until: string;
  sort: Order;
}

/** The orders that a list can have, the first being the one without a word in the address. */
export const orders = { updated: "Last changed here", ended: "Last activity", tokens: "Most tokens", dollars: "Highest cost" } as const;

export type Order = keyof typeof orders;

/** The filters in the address, in a fixed order. */
export function wanted(): Wanted {
  const sort = parameter("sort");
  return {
    q: parameter("q"),
    project: parameter("project"),
    tool: parameter("tool"),
    since: parameter("since"),
    until: parameter("until"),
    sort: sort in orders ? (sort as Order) : "updated",
  };
}

/** Whether a filter is set; the order is none. */
export const filtered = (w: Wanted): boolean => !!(w.q || w.project || w.tool || w.since || w.until);

/** Takes all filters out of the address. */
export const clear = (): void => change({ q: "", project: "", tool: "", since: "", until: "" });

/** The most rows that the server gives at once. */
const most = 500;

/** Asks for the first so many rows, in as many requests as that takes. */
export async function list(w: Wanted, rows: number, signal?: AbortSignal): Promise<Conversations> {
  const ask = (cursor: string, limit: number) => call("GET /api/conversations", { ...w, cursor, limit }, undefined, signal);
  const all = await ask("", Math.min(rows, most));
  all.items ??= [];
  const seen = new Set(all.items.map((row) => row.id)); // the last pages have once more what changed
  while (all.next && all.items.length < rows) {
    const more = await ask(all.next, Math.min(rows - all.items.length, most));
    all.items.push(...(more.items ?? []).filter((row) => !seen.has(row.id) && seen.add(row.id)));
    all.next = more.next;
  }
  return all;
}

/** Asks for what all conversations that pass come to, for which the server needs its whole list. */
export const totals = (w: Wanted, signal?: AbortSignal): Promise<Conversations> =>
  call("GET /api/conversations", { ...w, limit: 1, totals: true }, undefined, signal);

/** Rows under one heading. */
export interface Group {
  title: string;
  rows: ConversationRow[];
}

/** Groups rows by the reader's day where the order is by time; else all are in one group without a title. */
export function byDay(rows: ConversationRow[], sort: string, now = new Date()): Group[] {
  if (sort !== "ended" && sort !== "updated") return rows.length ? [{ title: "", rows }] : [];
  const groups: Group[] = [];
  for (const row of rows) {
    const title = dayTitle(new Date(momentOf(row, sort)), now);
    if (groups.at(-1)?.title !== title) groups.push({ title, rows: [] });
    groups.at(-1)!.rows.push(row);
  }
  return groups;
}

/** When a row belongs in the list: what it was about, or when it changed in the store. */
export const momentOf = (row: ConversationRow, sort: string): string => (sort === "updated" ? row.updated : row.ended);

const thisYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const anyYear = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

function dayTitle(at: Date, now: Date): string {
  const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (Number.isNaN(days)) return "Unknown day";
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return (at.getFullYear() === now.getFullYear() ? thisYear : anyYear).format(at);
}

/** The last name of a path. */
export const baseName = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
