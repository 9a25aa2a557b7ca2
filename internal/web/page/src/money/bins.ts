import type { Spending } from "../api";

/** How many days a bar stands for, about. */
export const lengths = { day: 1, week: 7, month: 30.4 };
export type Unit = keyof typeof lengths;

/** What a bar shows: from a day on, in the reader's zone. */
export interface Bin {
  from: Date;
  dollars: number;
  saved: number;
}

/** The most bars that can be told apart on a phone, and on a screen. */
const most = 100;

/** Joins days to weeks or months where they would be too many bars. */
export function binned(items: Spending[]): { unit: Unit; bins: Bin[] } {
  const days = items.map((s) => ({ ...s, at: new Date(`${s.key}T00:00:00`) })).filter((s) => !Number.isNaN(s.at.getTime()));
  days.sort((a, b) => a.at.getTime() - b.at.getTime());
  const length = days.length ? (days.at(-1)!.at.getTime() - days[0]!.at.getTime()) / 86_400_000 : 0;
  const unit: Unit = length <= most ? "day" : length <= 7 * most ? "week" : "month";
  const bins: Bin[] = [];
  for (const day of days) {
    const from = beginning(day.at, unit);
    if (bins.at(-1)?.from.getTime() !== from.getTime()) bins.push({ from, dollars: 0, saved: 0 });
    const bin = bins.at(-1)!;
    bin.dollars += day.dollars;
    bin.saved += day.saved;
  }
  return { unit, bins };
}

/** The first day of the week, which is a Monday, or of the month. */
function beginning(day: Date, unit: Unit): Date {
  const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()];
  if (unit === "month") return new Date(year, month, 1);
  return unit === "week" ? new Date(year, month, date - ((day.getDay() + 6) % 7)) : day;
}
