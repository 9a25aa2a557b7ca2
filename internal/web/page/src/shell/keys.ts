import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";

/** A Key is what a key does on this view; the help (?) lists them all. */
export interface Key {
  key: string; // as KeyboardEvent.key: "j", "?", "Enter", "ArrowDown"
  does: string; // "next entry"; empty for a further key that does the same as another
  run: (e: KeyboardEvent) => void;
}

const tables = signal<{ title: string; keys: Key[] }[]>([]);

/** offered are the tables of keys that count now, the newest last. */
export const offered = tables;

/** typing says whether a key belongs to a field or an open dialog rather than to the view. */
function typing(e: KeyboardEvent): boolean {
  const at = e.target as HTMLElement;
  return at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || !!document.querySelector("dialog[open]");
}

/** pressed runs what the key does, the newest table first. */
export function pressed(e: KeyboardEvent): void {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e)) return;
  // A button or a link takes its own Enter and Space.
  if ((e.key === "Enter" || e.key === " ") && (e.target as Element).closest("button, a, summary, [role=menuitem]")) return;
  // A text that scrolls takes the keys that scroll it.
  if (/^(Arrow|Page|Home|End)/.test(e.key) && (e.target as Element).closest("pre")) return;
  for (const table of [...tables.value].reverse()) {
    const found = table.keys.find((k) => k.key === e.key);
    if (found) {
      e.preventDefault();
      found.run(e);
      return;
    }
  }
}

/** useKeys offers keys while the component is shown; what they run may change freely. */
export function useKeys(title: string, keys: Key[]): void {
  const now = useRef(keys);
  now.current = keys;
  // Before it is painted: whoever sees the view can use its keys.
  useLayoutEffect(() => {
    const table = { title, keys: keys.map((k, i) => ({ ...k, run: (e: KeyboardEvent) => now.current[i]?.run(e) })) };
    tables.value = [...tables.value, table];
    return () => {
      tables.value = tables.value.filter((t) => t !== table);
    };
  }, [title]);
}
