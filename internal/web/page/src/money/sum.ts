import type { Spending } from "../api";

type Sums = Pick<Spending, "responses" | "priced" | "dollars" | "saved" | "input" | "output">;

/** The sums of all groups. */
export function sumOf(items: Spending[]): Sums {
  const sum: Sums = { responses: 0, priced: 0, dollars: 0, saved: 0, input: 0, output: 0 };
  for (const s of items) for (const k of Object.keys(sum) as (keyof Sums)[]) sum[k] += s[k];
  return sum;
}
