import type { Ops } from "./api";

/** What went wrong, as problem+json says it: what, and what to do about it. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    title: string,
    readonly detail = "",
    readonly hint = "",
  ) {
    super(title);
  }

  /** away is set where the server does not answer, or is about to end. */
  get away(): boolean {
    return this.status === 0 || this.status >= 502;
  }
}

/** How long an answer to a question may take, in milliseconds: a connection that broke off says nothing. What changes something takes its time. */
const longest = 120_000;

type Args<K extends keyof Ops> = Ops[K]["path"] & Ops[K]["query"];

/** pathOf fills the holes of an operation's path from the arguments; the rest is the query. */
export function pathOf(template: string, args: Record<string, unknown> = {}): string {
  const left = { ...args };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left[name];
    delete left[name];
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(left)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "" && one !== false) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** call asks the API: call("GET /api/conversations/{id}/rows", {id, from: 1}). It throws a Problem. */
export async function call<K extends keyof Ops>(
  op: K,
  args?: Args<K>,
  body?: Ops[K]["body"],
  signal?: AbortSignal,
): Promise<Ops[K]["out"]> {
  const [method, template] = (op as string).split(" ") as [string, string];
  const init: RequestInit = { method, headers: { Accept: "application/json" } };
  const signals = [signal, method === "GET" ? AbortSignal.timeout(longest) : undefined].filter((s) => s !== undefined);
  if (signals.length > 0) init.signal = AbortSignal.any(signals);
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    // A browser sends a request again whose connection broke, where it may be done already.
    init.headers = { Accept: "application/json", "Content-Type": "application/json", "Idempotency-Key": newKey() };
  }
  const answer = await request(pathOf(template, args as Record<string, unknown>), init);
  if (answer.status === 202 || answer.status === 204) return undefined as Ops[K]["out"];
  return (await answer.json()) as Ops[K]["out"];
}

function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** request asks for an address of the API. It throws a Problem unless the server grants it. */
export async function request(address: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, { ...init, credentials: "same-origin" });
  } catch (e) {
    if (init.signal?.aborted && !(e instanceof DOMException && e.name === "TimeoutError")) throw e;
    throw new Problem(0, "The server does not answer.", "", "Check that tenfold serve still runs.");
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function problemOf(answer: Response): Promise<Problem> {
  try {
    const said = (await answer.json()) as Record<string, unknown>;
    const detail = String(said.detail ?? "");
    const more = Array.isArray(said.errors) ? said.errors.map((e) => (e as { message?: string }).message ?? "") : [];
    const errors = more.filter((m) => !detail.includes(m)).join("; ");
    return new Problem(answer.status, String(said.title ?? answer.statusText), [detail, errors].filter(Boolean).join(": "), String(said.hint ?? ""));
  } catch {
    const hint = answer.status === 401 || answer.status === 403 ? "Open the address that tenfold serve printed." : "";
    return new Problem(answer.status, answer.statusText || `Error ${answer.status}`, "", hint);
  }
}
