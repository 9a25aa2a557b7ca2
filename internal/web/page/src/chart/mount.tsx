// A plot of uPlot in a box: it fills the width, follows the theme, and is drawn on a
// canvas, so whatever it shows stands in a table beside it as well.
import type uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import { color, dark } from "../shell/theme";
import { fail } from "../shell/toast";
import "./chart.css";

/** The constructor of plots with what it carries; it comes only where one is drawn. */
export type Library = typeof uPlot;

/** Gives a colour of the page by the name of its variable. */
export type Colours = (name: string) => string;

/** Everything of a plot but its size, which is that of its box. */
export type Options = Omit<uPlot.Options, "width" | "height">;

interface Props {
  /** Gives the options; asked anew when the theme or deps change. */
  options: (colour: Colours, library: Library) => Options;
  data: uPlot.AlignedData;
  height: number;
  /** What the options depend on; new data alone is drawn into the same plot. */
  deps: unknown[];
  /** Names the plot for whoever cannot see it; a table has the figures. */
  label: string;
  /** Changes when the plot is to be drawn again although its data are the same. */
  mark?: unknown;
}

export function Plot({ options, data, height, deps, label, mark }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const theme = dark();
  useEffect(() => {
    const at = box.current!;
    let gone = false;
    let watch: ResizeObserver | undefined;
    import("uplot").then(({ default: library }) => {
      if (gone) return;
      const made = new library(
        { ...options(color, library), width: Math.max(at.clientWidth, 120), height },
        newest.current,
        at,
      );
      plot.current = made;
      watch = new ResizeObserver(() => {
        if (at.clientWidth > 0 && at.clientWidth !== made.width) made.setSize({ width: at.clientWidth, height });
      });
      watch.observe(at);
    }, fail);
    return () => {
      gone = true;
      watch?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [theme, height, ...deps]);
  useEffect(() => plot.current?.setData(data), [data]);
  useEffect(() => plot.current?.redraw(false), [mark]);
  return <div class="plot" ref={box} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

/** scale is how large the page's text is, against that on a common screen. */
export const scale = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize) / 14;

/** axis is an axis in the colours of the page. */
export function axis(colour: Colours, more: uPlot.Axis): uPlot.Axis {
  const font = `${12 * scale()}px system-ui, sans-serif`;
  return { stroke: colour("--soft"), font, labelFont: font, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, ...more };
}

/** plotHeight suits the window: low on a phone, high on a wall. */
export const plotHeight = (): number => (innerWidth < 700 ? 240 : innerWidth > 2400 ? 440 : 320);
