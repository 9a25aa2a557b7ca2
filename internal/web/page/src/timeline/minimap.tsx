import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { fates } from "../parts/fate";
import { color, dark } from "../shell/theme";
import { flag, type Log } from "./outline";

interface Props {
  log: Log;
  version: unknown; // the map is drawn again when this changes
  seen: Signal<{ first: number; last: number }>; // the entries in sight
  at: number; // the entry that has the cursor
  go: (seq: number) => void;
}

/**
 * Minimap shows the tokens over the whole length: what was said as a pale bar, what a
 * model sees of it as a full one, with marks for people (left), errors (right) and
 * compactions (across).
 */
export function Minimap(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [size, resize] = useState({ width: 0, height: 0 });
  const isDark = dark();

  useEffect(() => {
    const watch = new ResizeObserver(() => resize({ width: box.current?.clientWidth ?? 0, height: box.current?.clientHeight ?? 0 }));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    if (canvas.current && size.height > 0) draw(canvas.current, props.log, size.width, size.height);
  }, [props.version, size, isDark]);

  const length = Math.max(1, props.log.length);
  const jump = (e: PointerEvent) => {
    const frame = box.current!.getBoundingClientRect();
    const share = (e.clientY - frame.top) / frame.height;
    props.go(Math.min(length, Math.max(1, Math.ceil(share * length))));
  };
  const page = Math.max(1, Math.round(length / 20));
  const steps: Record<string, number> = {
    ArrowDown: props.at + Math.max(1, Math.round(length / 100)),
    ArrowUp: props.at - Math.max(1, Math.round(length / 100)),
    PageDown: props.at + page,
    PageUp: props.at - page,
    Home: 1,
    End: length,
  };
  return (
    <div
      ref={box}
      class="minimap"
      role="slider"
      tabIndex={0}
      title="Tokens over the whole conversation. Left: people. Right: errors. Across: compactions. Click or drag to go there."
      aria-orientation="vertical"
      aria-label="Map of tokens over the whole conversation"
      aria-valuemin={1}
      aria-valuemax={length}
      aria-valuenow={Math.max(1, props.at)}
      aria-valuetext={`entry ${props.at} of ${length}, turn ${props.log.turn[props.at - 1] ?? 0}`}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        jump(e);
      }}
      onPointerMove={(e) => e.currentTarget.hasPointerCapture(e.pointerId) && jump(e)}
      onKeyDown={(e) => {
        const to = steps[e.key];
        if (to === undefined) return;
        e.preventDefault();
        props.go(Math.min(length, Math.max(1, to)));
      }}
    >
      <canvas ref={canvas} />
      <InSight seen={props.seen} length={length} />
    </div>
  );
}

/** InSight frames what of the map is in sight. */
function InSight(props: { seen: Signal<{ first: number; last: number }>; length: number }) {
  const { first, last } = props.seen.value;
  const top = ((first - 1) / props.length) * 100;
  const height = ((last - first + 1) / props.length) * 100;
  return <div class="insight" style={{ top: `${top}%`, height: `max(6px, ${height}%)` }} />;
}

function draw(canvas: HTMLCanvasElement, log: Log, width: number, height: number): void {
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const c = canvas.getContext("2d");
  if (!c || log.length === 0) return;
  c.scale(scale, scale);
  const rows = Math.min(height, log.length);
  const before = new Float64Array(rows);
  const after = new Float64Array(rows);
  const lost = new Float64Array(rows * fates.length);
  const marks = new Uint8Array(rows);
  const fateIndex = log.fates.map((f) => Math.max(0, fates.indexOf(f as (typeof fates)[number])));
  const compaction = log.kinds.indexOf("compaction");
  for (let i = 0; i < log.length; i++) {
    const y = Math.floor((i * rows) / log.length);
    before[y]! += log.before[i]!;
    after[y]! += log.after[i]!;
    lost[y * fates.length + fateIndex[log.fate[i]!]!]! += log.before[i]! - log.after[i]!;
    marks[y]! |= (log.flags[i]! & (flag.error | flag.person)) | (log.kind[i] === compaction ? 4 : 0);
  }
  const most = Math.sqrt(before.reduce((a, b) => Math.max(a, b), 1));
  const room = width - 12;
  const tall = height / rows;
  const paints = fates.map((f) => color(`--${f}`));
  const person = color("--accent");
  const error = color("--bad");
  const line = color("--text");
  for (let y = 0; y < rows; y++) {
    let worst = 0;
    for (let f = 1; f < fates.length; f++) if (lost[y * fates.length + f]! > lost[y * fates.length + worst]!) worst = f;
    const at = y * tall;
    const thick = Math.max(1, tall - (tall > 3 ? 1 : 0));
    c.fillStyle = paints[worst]!;
    c.globalAlpha = 0.4;
    c.fillRect(6, at, (Math.sqrt(before[y]!) / most) * room, thick);
    c.globalAlpha = 1;
    c.fillStyle = paints[0]!;
    c.fillRect(6, at, (Math.sqrt(after[y]!) / most) * room, thick);
    if (marks[y]! & flag.person) {
      c.fillStyle = person;
      c.fillRect(0, at, 4, Math.max(2, Math.min(thick, 4)));
    }
    if (marks[y]! & flag.error) {
      c.fillStyle = error;
      c.beginPath();
      c.moveTo(width, at - 1);
      c.lineTo(width, at + 5);
      c.lineTo(width - 5, at + 2);
      c.fill();
    }
    if (marks[y]! & 4) {
      c.fillStyle = line;
      for (let x = 0; x < width; x += 6) c.fillRect(x, at, 4, 1);
    }
  }
}
