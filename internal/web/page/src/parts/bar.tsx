import { tokens } from "../format";

/** TokenBar draws a size: before as an outline, after filled, against the largest of its list. */
export function TokenBar(props: { before: number; after: number; max: number; fate?: string }) {
  const width = (n: number) => `${props.max > 0 ? Math.min(100, Math.sqrt(n / props.max) * 100) : 0}%`;
  return (
    <span class={`bar fate-${props.fate ?? "kept"}`} aria-hidden="true">
      <span class="bar-before" style={{ width: width(props.before) }} />
      <span class="bar-after" style={{ width: width(props.after) }} />
    </span>
  );
}

/** Shrink writes a size before and after: 12.3k → 4.1k. */
export function Shrink(props: { before: number; after: number }) {
  if (props.before === props.after) return <span class="number">{tokens(props.before)}</span>;
  return (
    <span class="number">
      {tokens(props.before)} → {tokens(props.after)}
    </span>
  );
}
