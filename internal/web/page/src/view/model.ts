import type { View } from "../api";

/** boundary is how many tokens stand before what the provider has not seen yet: configuration and cached items; 0 where nothing is cached. */
export function boundary(v: View): number {
  let n = v.config;
  for (const size of v.sizes.slice(0, v.cached)) n += size;
  return v.cached > 0 ? n : 0;
}

/** A Piece of the strip: neighbours of one group, joined, none smaller than can be seen. */
export interface Piece {
  group: string;
  from: number;
  to: number;
}

const groups: Record<string, string> = {
  user_message: "person",
  assistant_message: "model",
  reasoning: "reasoning",
  tool_call: "call",
  tool_result: "result",
  added: "added",
};

export const groupNames: Record<string, string> = {
  config: "system prompt and tools",
  person: "messages to the model",
  model: "the model's words",
  reasoning: "reasoning",
  call: "tool calls",
  result: "tool results",
  added: "put in by the projection",
  other: "other",
};

/** groupOf is what items of a kind are drawn as. */
export function groupOf(kind: string): string {
  return groups[kind] ?? "other";
}

export function pieces(v: View, most = 500): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  const add = (group: string, n: number) => {
    if (n <= 0) return;
    const last = out[out.length - 1];
    const small = last && last.to - last.from < v.tokens / most;
    if (last && (last.group === group || small)) last.to = at + n;
    else out.push({ group, from: at, to: at + n });
    at += n;
  };
  add("config", v.config);
  v.sizes.forEach((n, i) => add(groupOf(v.kinds[v.kind[i]!]!), n));
  return out;
}

/** totals adds up the items by group, the largest first. */
export function totals(v: View): { group: string; items: number; tokens: number }[] {
  const by = new Map<string, { group: string; items: number; tokens: number }>();
  const add = (group: string, tokens: number) => {
    const sum = by.get(group) ?? { group, items: 0, tokens: 0 };
    sum.items++;
    sum.tokens += tokens;
    by.set(group, sum);
  };
  if (v.config > 0) add("config", v.config);
  v.sizes.forEach((n, i) => add(groupOf(v.kinds[v.kind[i]!]!), n));
  return [...by.values()].sort((a, b) => b.tokens - a.tokens);
}
