const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** dayName writes a day given as 2006-01-02 as the reader writes it. */
export function dayName(key: string): string {
  const at = new Date(`${key}T00:00:00`);
  return Number.isNaN(at.getTime()) ? key || "unknown day" : day.format(at);
}
