const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** dayName writes a day, or one given as 2006-01-02, as the reader writes it. */
export function dayName(key: string | Date): string {
  const at = typeof key === "string" ? new Date(`${key}T00:00:00`) : key;
  return Number.isNaN(at.getTime()) ? String(key) || "unknown day" : day.format(at);
}
