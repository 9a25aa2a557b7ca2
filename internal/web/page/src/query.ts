// What a list shows stands in the address, so that it can be kept, sent and gone back to.
import { go, place } from "./router";

/** Gives the value of a parameter of the address; empty where there is none. */
export const parameter = (name: string): string => place.value.query.get(name) ?? "";

/** Changes parameters of the address; an empty value takes one out. */
export function change(parameters: Record<string, string>, replace = false): void {
  go(location.pathname + withQuery(location.search, parameters), replace);
}

/** The query of an address with parameters changed. */
export function withQuery(query: string, parameters: Record<string, string>): string {
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === "") all.delete(name);
    else all.set(name, value);
  }
  const text = all.toString();
  return text ? `?${text}` : "";
}
