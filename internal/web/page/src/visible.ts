import { options } from "preact";

// What controls a terminal, and what changes the direction of text or breaks a line
// unseen: with one of them a command reads as another than the one that runs.
const steering = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** visible writes such characters out, as the command line does. */
export function visible(text: string): string {
  return text.replace(steering, (c) => {
    const code = c.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
  });
}

/** showAll has every text of the page pass through visible, whoever it is from, and what is read out or shown over it. */
export function showAll(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    const text: unknown = node.props; // of a text, which has no type
    if (node.type === null && typeof text === "string") (node as { props: unknown }).props = visible(text);
    if (typeof node.type === "string") {
      const said = node.props as Record<string, unknown>;
      for (const name of ["title", "aria-label", "aria-valuetext"]) if (typeof said[name] === "string") said[name] = visible(said[name]);
    }
    before?.(node);
  };
}
