import type { Hit } from "../api";

/** A piece of a snippet; marked where it is a word that was looked for. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Cuts a snippet at its marks, which count in UTF-16 code units and may overlap. */
export function pieces(snippet: string, marks: readonly (readonly number[] | null)[]): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  for (const [from = 0, to = 0] of marks.filter((m) => m !== null).sort((a, b) => a[0]! - b[0]!)) {
    const begin = Math.max(from, at);
    if (to <= begin) continue;
    if (begin > at) out.push({ text: snippet.slice(at, begin), marked: false });
    out.push({ text: snippet.slice(begin, to), marked: true });
    at = Math.min(to, snippet.length);
  }
  if (at < snippet.length) out.push({ text: snippet.slice(at), marked: false });
  return out;
}

/** The hits of one conversation. */
export interface Found {
  id: string;
  title: string;
  hits: Hit[];
}

/** Groups hits by conversation, in the order in which the conversations come first. */
export function byConversation(hits: Hit[]): Found[] {
  const by = new Map<string, Found>();
  for (const h of hits) {
    let found = by.get(h.conversation);
    if (!found) by.set(h.conversation, (found = { id: h.conversation, title: h.title, hits: [] }));
    found.hits.push(h);
  }
  return [...by.values()];
}
