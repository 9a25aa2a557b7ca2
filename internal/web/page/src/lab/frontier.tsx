// The frontier plot: tokens kept against what later work needed of them.
import type uPlot from "uplot";
import { useMemo, useRef } from "preact/hooks";
import type { LabPoint } from "../api";
import { axis, Plot, plotHeight, scale, type Colours, type Options } from "../chart/mount";
import { percent } from "../format";
import { colourOf, outline } from "./marks";
import { type Family, ticksFrom } from "./points";

type Measure = "cur" | "edr";

interface Props {
  families: Family[];
  /** The strategy that is pointed at, here or in the table; empty for none. */
  chosen: string;
  choose: (strategy: string) => void;
}

/** How near the pointer has to be to a point, in CSS pixels. */
const reach = 24;

export function Frontier({ families, chosen, choose }: Props) {
  const all = useMemo(() => families.flatMap((f) => f.points).sort((a, b) => a.share - b.share), [families]);
  const point = all.find((p) => p.strategy === chosen);
  const onKeyDown = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key];
    let to: LabPoint | undefined;
    if (step) to = all[Math.min(Math.max((point ? all.indexOf(point) : step > 0 ? -1 : all.length) + step, 0), all.length - 1)];
    else if (e.key === "Home") to = all[0];
    else if (e.key === "End") to = all.at(-1);
    else if (e.key === "Escape" && chosen) return e.preventDefault(), choose("");
    if (!to) return;
    e.preventDefault();
    choose(to.strategy);
  };
  return (
    <div
      class="frontier"
      role="group"
      aria-label="Frontier plot: tokens kept against CUR and EDR. Arrow keys go from strategy to strategy."
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseLeave={() => choose("")}
    >
      <div class="panels">
        <Panel of="cur" title="CUR: are the names still there?" {...{ families, chosen, choose }} />
        <Panel of="edr" title="EDR: could one still make the edits?" {...{ families, chosen, choose }} />
      </div>
      <p class="readout" aria-live="polite">
        {point ? `${point.strategy}: keeps ${percent(point.share)} of the tokens, CUR ${recall(point.cur)}, EDR ${recall(point.edr)}` : "Point at a sign, or use the arrow keys."}
      </p>
    </div>
  );
}

/** A recall as it is written; a dash where nothing could be measured. */
export const recall = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

function Panel({ of, title, families, chosen, choose }: Props & { of: Measure; title: string }) {
  const shown = useMemo(() => families.map((f) => f.points.filter((p) => p[of] !== null)), [families, of]);
  const data = useMemo(() => columns(shown, of), [shown, of]);
  const least = Math.min(0.1, ...shown.flat().map((p) => p.share));
  const ticks = ticksFrom(least);
  // The plot reads what is chosen and measured now, not when it was made.
  const now = useRef({ chosen, shown, families });
  now.current = { chosen, shown, families };
  const options = (colour: Colours): Options => ({
    legend: { show: false },
    padding: [10, 14, 0, 0],
    scales: {
      x: { time: false, distr: 3, range: () => [Math.min(ticks[0]!, least * 0.9), 1.15] },
      y: { range: () => [-0.03, 1.03] },
    },
    axes: [
      axis(colour, { label: "tokens kept, share of the conversation", size: 30 * scale(), labelSize: 20 * scale(), splits: () => ticks, filter: (_, s) => s, values: (_, s) => s.map((v) => percent(v)) }),
      axis(colour, { size: 40 * scale(), splits: () => [0, 0.2, 0.4, 0.6, 0.8, 1], values: (_, s) => s.map((v) => v.toFixed(1)) }),
    ],
    cursor: {
      x: false,
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { show: false },
      move: (u, left, top) => {
        choose(nearest(u, now.current.shown, of, left, top));
        return [left, top];
      },
    },
    series: [
      {},
      ...families.map((f) => ({
        stroke: colour(colourOf(f.colour)),
        width: f.name === "fit" ? 2.5 : 1.5,
        dash: f.baseline ? [5, 4] : undefined,
        spanGaps: true,
        points: { show: false },
      })),
    ],
    hooks: { draw: [(u) => drawMarks(u, now.current.families, of, colour, now.current.chosen)] },
  });
  const count = shown.flat().length;
  return (
    <figure class="panel">
      <figcaption>{title}</figcaption>
      {count === 0 ? <p class="soft">{of === "edr" ? "No later edit replaces text that stood before a cut: EDR cannot be measured here." : "No name that stood before a cut is used later: CUR cannot be measured here."}</p> : <Plot
        {...{ options, data }}
        height={plotHeight()}
        mark={chosen}
        deps={[families.map((f) => f.name).join(), least]}
        label={`${of.toUpperCase()} of ${count} strategies against the tokens they keep. The table has the same figures.`}
      />}
    </figure>
  );
}

/** One column of x for all lines, as uPlot wants it, and their values where they have one. */
function columns(shown: LabPoint[][], of: Measure): uPlot.AlignedData {
  const xs = [...new Set(shown.flat().map((p) => p.share))].filter((x) => x > 0).sort((a, b) => a - b);
  const at = new Map(xs.map((x, i) => [x, i]));
  return [xs, ...shown.map((points) => {
    const ys: (number | null)[] = xs.map(() => null);
    for (const p of points) if (at.has(p.share)) ys[at.get(p.share)!] = p[of];
    return ys;
  })];
}

/** The strategy whose sign is nearest to a place of the plot; empty where none is near. */
function nearest(u: uPlot, shown: LabPoint[][], of: Measure, left: number, top: number): string {
  let best = "", least = reach * reach;
  for (const p of shown.flat()) {
    const d = (u.valToPos(p.share, "x") - left) ** 2 + (u.valToPos(p[of]!, "y") - top) ** 2;
    if (d < least) [best, least] = [p.strategy, d];
  }
  return best;
}

/** Draws the signs: those of ours filled, those of baselines hollow, the chosen one in a ring. */
function drawMarks(u: uPlot, families: Family[], of: Measure, colour: Colours, chosen: string) {
  const { ctx } = u;
  const dot = devicePixelRatio * scale();
  ctx.save();
  ctx.setLineDash([]);
  for (const f of [...families].reverse()) {
    const own = colour(colourOf(f.colour));
    for (const p of f.points) {
      const value = p[of];
      if (value === null || p.share <= 0) continue;
      const [x, y] = [u.valToPos(p.share, "x", true), u.valToPos(value, "y", true)];
      const sign = new Path2D(outline(f.look, x, y, (f.name === "fit" ? 6 : 5) * dot));
      ctx.lineWidth = 1.5 * dot;
      ctx.fillStyle = f.baseline ? colour("--bg") : own;
      ctx.strokeStyle = f.baseline ? own : colour("--bg");
      ctx.fill(sign);
      ctx.stroke(sign);
      if (p.strategy === chosen) {
        ctx.strokeStyle = colour("--text");
        ctx.lineWidth = 2 * dot;
        ctx.stroke(new Path2D(outline(0, x, y, 11 * dot)));
      }
    }
  }
  ctx.restore();
}
