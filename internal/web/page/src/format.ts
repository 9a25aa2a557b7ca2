// Numbers, sizes and times for people. All pure but for the reader's zone and language.

const whole = new Intl.NumberFormat("en");

/** count writes 12345 as 12,345. */
export function count(n: number): string {
  return whole.format(n);
}

/** tokens writes a number of tokens in at most four characters and a unit: 950, 12.3k, 1.2M. */
export function tokens(n: number): string {
  const size = Math.abs(n);
  if (size < 1000) return String(n);
  const [value, unit] = size < 999_950 ? [n / 1000, "k"] : [n / 1e6, "M"];
  return (Math.abs(value) < 99.95 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0)) + unit;
}

/** dollars writes US$: $0.0042, $1.37, −$0.02, $1,204. */
export function dollars(n: number): string {
  const size = Math.abs(n);
  const digits = size === 0 || size >= 1000 ? 0 : size >= 0.1 ? 2 : size >= 0.001 ? 4 : 6;
  const text = size.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (n < 0 ? "−$" : "$") + text;
}

/** percent writes a share of 0 to 1: 43%, 0.4%, 99.8%. What is not nothing is not written as 0%, nor as 100% what is not all. */
export function percent(share: number): string {
  const p = share * 100;
  if ((p > 0 && p < 0.05) || (p >= 99.95 && p < 100)) return p < 1 ? "<0.1%" : ">99.9%";
  return (p > 0 && p < 0.95) || (p >= 99.5 && p < 100) ? p.toFixed(1) + "%" : Math.round(p) + "%";
}

/** characters counts them as the server does: one beyond the first 65,536 is one, not two. */
export function characters(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

/** plural writes a number with its noun: 1 turn, 2 turns. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** valid tells a time from the zero time of Go, which means unknown. */
function valid(at: string | undefined): Date | undefined {
  const t = at ? new Date(at) : undefined;
  return t && !Number.isNaN(t.getTime()) && t.getFullYear() > 1 ? t : undefined;
}

/** time writes hours, minutes and seconds in the reader's zone. */
export function time(at: string): string {
  const t = valid(at);
  return t ? seconds.format(t) : "";
}

/** when writes a moment as one says it: the time today, else the date; full is for a title. */
export function when(at: string, now = new Date()): string {
  const t = valid(at);
  if (!t) return "";
  return t.toDateString() === now.toDateString() ? clock.format(t) : `${date.format(t)} ${clock.format(t)}`;
}

export function full(at: string): string {
  const t = valid(at);
  return t ? exact.format(t) : "";
}

/** span writes how long something took: 850 ms, 12 s, 3 min 20 s, 2 h 5 min. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s % 60 ? ` ${s % 60} s` : ""}`;
  const min = Math.floor((s % 3600) / 60);
  return `${Math.floor(s / 3600)} h${min ? ` ${min} min` : ""}`;
}

/** kindName writes a kind for people: tool_call as tool call. */
export function kindName(kind: string): string {
  return kind.replaceAll("_", " ");
}
