// Signs that tell strategies apart without their colour: the plot draws them on its
// canvas, the legend and the table as SVG, from the same corners.

/** Corners on a circle of radius 1, or "circle". */
type Shape = "circle" | [number, number][];

const ring = (n: number, turn: number, inner = 1): [number, number][] =>
  Array.from({ length: n }, (_, i) => {
    const r = inner !== 1 && i % 2 ? inner : 1;
    const a = turn + (2 * Math.PI * i) / n;
    return [r * Math.sin(a), -r * Math.cos(a)];
  });

const shapes: Shape[] = [
  "circle",
  ring(4, Math.PI / 4),
  ring(3, 0),
  ring(4, 0),
  ring(3, Math.PI),
  ring(10, 0, 0.45),
  ring(6, 0),
  ring(8, 0, 0.4),
];

/** How many colours chart.css has: --series-0 and so on. */
const colours = 8;

export const colourOf = (look: number): string => `--series-${look % colours}`;

/** The outline of a sign as SVG and Path2D write it. */
export function outline(look: number, x: number, y: number, radius: number): string {
  // After all colours were used once, signs go on with other ones.
  const shape = shapes[(look + 3 * Math.floor(look / colours)) % shapes.length]!;
  if (shape === "circle") {
    return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
  }
  const r = radius * 1.2;
  return shape.map(([dx, dy], i) => `${i ? "L" : "M"}${(x + dx * r).toFixed(2)} ${(y + dy * r).toFixed(2)}`).join("") + "Z";
}
