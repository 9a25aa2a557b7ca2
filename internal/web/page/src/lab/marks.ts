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

const plus: [number, number][] = [[-1, -3], [1, -3], [1, -1], [3, -1], [3, 1], [1, 1], [1, 3], [-1, 3], [-1, 1], [-3, 1], [-3, -1], [-1, -1]].map(([x, y]) => [x! / 3, y! / 3]);
const turned = (corners: [number, number][]): [number, number][] => corners.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);

const shapes: Shape[] = [
  "circle",
  ring(4, Math.PI / 4),
  ring(3, 0),
  ring(4, 0),
  ring(3, Math.PI),
  ring(10, 0, 0.45),
  ring(6, 0),
  ring(8, 0, 0.4),
  plus,
  ring(3, Math.PI / 2),
  turned(plus),
  ring(3, -Math.PI / 2),
];

/** colourOf is the variable of a colour; chart.css has eight. */
export const colourOf = (colour: number): string => `--series-${colour % 8}`;

/** The outline of a sign as SVG and Path2D write it. */
export function outline(look: number, x: number, y: number, radius: number): string {
  const shape = shapes[look % shapes.length]!;
  if (shape === "circle") {
    return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
  }
  const r = radius * 1.2;
  return shape.map(([dx, dy], i) => `${i ? "L" : "M"}${(x + dx * r).toFixed(2)} ${(y + dy * r).toFixed(2)}`).join("") + "Z";
}
