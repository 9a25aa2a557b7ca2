// Cost and savings by day as bars.
import type uPlot from "uplot";
import { useMemo, useState } from "preact/hooks";
import type { Spending } from "../api";
import { axis, Plot, plotHeight, scale, type Colours, type Library, type Options } from "../chart/mount";
import { dollars, plural } from "../format";
import { binned, lengths } from "./bins";
import { dayName } from "./words";

export function Days({ items }: { items: Spending[] }) {
  const { unit, bins } = useMemo(() => binned(items), [items]);
  const data = useMemo<uPlot.AlignedData>(() => [
    bins.map((b) => b.from.getTime() / 1000),
    bins.map((b) => b.dollars),
    bins.map((b) => Math.max(b.saved, 0)),
    bins.map((b) => Math.min(b.saved, 0)),
  ], [bins]);
  const [at, setAt] = useState<number | null>(null);
  if (bins.length === 0) return null;
  const options = (colour: Colours, library: Library): Options => {
    const bars = (align: -1 | 1) => library.paths.bars!({ align, size: [0.4, 28, 2] });
    const series = (name: string, align: -1 | 1) => ({ fill: colour(name), stroke: colour(name), width: 0, paths: bars(align), points: { show: false } });
    const half = (lengths[unit] * 86_400) / 2;
    return {
      legend: { show: false },
      padding: [10, 14, 0, 0],
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
      scales: {
        x: { range: (_, min, max) => [min - half, Math.max(max, min + 12 * half) + half] },
        y: { range: (_, min, max) => [min < 0 ? min * 1.1 : 0, Math.max(max, 0) * 1.1 || 1] },
      },
      axes: [
        axis(colour, { size: 30 * scale(), space: 70, values: (_, s) => s.map((t) => (unit === "day" ? short : long).format(new Date(t * 1000))), incrs: [1, 2, 7, 14, 28, 91, 182, 365, 730].map((n) => n * 86_400) }),
        axis(colour, { size: 64 * scale(), values: (_, s) => s.map(dollars) }),
      ],
      series: [{}, series("--accent", -1), series("--good", 1), series("--bad", 1)],
      hooks: { setCursor: [(u) => setAt(u.cursor.left! < 0 ? null : (u.cursor.idx ?? null))] },
    };
  };
  const shown = at === null ? undefined : bins[at];
  return (
    <figure class="days">
      <figcaption class="legend-line">
        <span><i class="swatch cost" /> cost</span>
        <span><i class="swatch gain" /> saved by compaction</span>
        {bins.some((b) => b.saved < 0) && <span><i class="swatch loss" /> below zero: compaction cost more than it saved</span>}
        {unit !== "day" && <span>by {unit}, as there are many days</span>}
      </figcaption>
      <Plot {...{ options, data }} height={plotHeight() * 0.75} deps={[unit]} label={`Cost and savings in ${plural(bins.length, unit)}. The table below has the figures by day.`} />
      <p class="readout" aria-hidden="true">{shown ? `${unit === "day" ? "" : `${unit} from `}${dayName(shown.from)}: ${dollars(shown.dollars)}, saved ${dollars(shown.saved)}` : " "}</p>
    </figure>
  );
}

const short = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const long = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" });
