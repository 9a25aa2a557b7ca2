import { effect, signal } from "@preact/signals";

export type Theme = "system" | "dark" | "light";

function stored(): Theme {
  try {
    const t = localStorage.getItem("theme");
    return t === "dark" || t === "light" ? t : "system";
  } catch {
    return "system";
  }
}

/** theme is what the reader chose. */
export const theme = signal<Theme>(stored());

const system = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);
system.addEventListener("change", () => (systemDark.value = system.matches));

/** dark says which theme is shown: for what is drawn on a canvas. */
export function dark(): boolean {
  return theme.value === "dark" || (theme.value === "system" && systemDark.value);
}

effect(() => {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  try {
    if (theme.value === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme.value);
  } catch {
    // A browser may deny storage: it holds for this tab.
  }
});

/** color reads a custom property of the theme that is shown. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
