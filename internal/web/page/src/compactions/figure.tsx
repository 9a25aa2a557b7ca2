import { useEffect, useRef, useState } from "preact/hooks";
import { count, percent, plural } from "../format";
import { FateSign, fateMeaning, signOf } from "../parts/fate";
import type { Stretch, Sum } from "./model";
import { rowName } from "./model";

/** useWidth measures an element, so that a figure is drawn in the screen's own pixels. */
export function useWidth<E extends Element>() {
  const at = useRef<E>(null);
  const [width, set] = useState(0);
  useEffect(() => {
    if (!at.current) return;
    const watch = new ResizeObserver(([entry]) => set(Math.floor(entry!.contentRect.width)));
    watch.observe(at.current);
    return () => watch.disconnect();
  }, []);
  return [at, width] as const;
}

const top = 30;
const gap = 56;
const height = top * 2 + gap;

/**
 * Shrinking draws a view before above the view after, both to one scale of tokens and in
 * order: each stretch of one fate leads down to what is left of it.
 */
export function Shrinking(props: { stretches: Stretch[]; before: number; after: number; words: string; sides?: [string, string] }) {
  const [at, width] = useWidth<HTMLDivElement>();
  const [was, is] = props.sides ?? ["Before", "After"];
  const x = (tokens: number) => (tokens / Math.max(props.before, props.after, 1)) * width;
  return (
    <div class="shrinking" ref={at}>
      <p class="scale">
        <strong>{was}</strong> {count(props.before)} tokens
      </p>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={props.words}>
          {props.stretches.map((s, i) => {
            const [b0, b1, a0, a1] = [x(s.before[0]), x(s.before[1]), x(s.after[0]), x(s.after[1])];
            return (
              <g key={i} class={`fate-${s.fate}`}>
                <rect class="solid" x={b0} y={0} width={Math.max(b1 - b0, 0.5)} height={top} />
                <path class="band" d={`M${b0} ${top}L${b1} ${top}L${a1} ${top + gap}L${a0} ${top + gap}Z`} />
                {a1 > a0 && <rect class="solid" x={a0} y={top + gap} width={Math.max(a1 - a0, 0.5)} height={top} />}
                {b1 - b0 > 18 && (
                  <text x={(b0 + b1) / 2} y={top / 2 + 5}>
                    {signOf(s.fate)}
                  </text>
                )}
                {a1 - a0 > 18 && (
                  <text x={(a0 + a1) / 2} y={top + gap + top / 2 + 5}>
                    {signOf(s.fate)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      )}
      <p class="scale">
        <strong>{is}</strong> {count(props.after)} tokens{props.before > 0 && `, ${percent(props.after / props.before)} of them`}
      </p>
    </div>
  );
}

/** Legend says what became of how much, and chooses which rows are shown. */
export function Legend(props: { sums: Sum[]; rows?: [string, string]; chosen?: string; choose?: (fate: string) => void }) {
  const shown = (s: Sum) => (
    <>
      <FateSign fate={s.fate} word />
      <span class="soft">
        {plural(s.rows, ...(props.rows ?? ["row", "rows"]))}
      </span>
      <span class="number">
        {s.before === s.after ? count(s.after) : `${count(s.before)} → ${count(s.after)}`}
      </span>
    </>
  );
  return (
    <ul class="legend">
      {props.sums.map((s) => (
        <li key={s.fate}>
          {props.choose ? (
            <button aria-pressed={props.chosen === s.fate} title={fateMeaning[s.fate] ?? rowName(s.fate)} onClick={() => props.choose!(props.chosen === s.fate ? "" : s.fate)}>
              {shown(s)}
            </button>
          ) : (
            <span class="chip" title={fateMeaning[s.fate]}>
              {shown(s)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
