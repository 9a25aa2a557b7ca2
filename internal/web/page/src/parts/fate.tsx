/** The fates, as the log says them, in the order in which more is lost. */
export const fates = ["kept", "stripped", "trimmed", "omitted", "summarised"] as const;

export type Fate = (typeof fates)[number];

// Each has a sign besides its colour, which not everyone can tell apart.
const signs: Record<string, string> = { kept: "=", stripped: "−", trimmed: "⋯", omitted: "×", summarised: "Σ", added: "+", config: "#" };

export const fateMeaning: Record<string, string> = {
  kept: "a model sees it as it was said",
  stripped: "a part of it was removed, as reasoning or an image",
  trimmed: "shortened; the middle was cut out",
  omitted: "no model sees it",
  summarised: "a summary stands in for it",
  added: "put in by a compaction, as a summary",
  config: "the system prompt and the tools",
};

export function signOf(fate: string): string {
  return signs[fate] ?? "?";
}

/** FateSign is the sign of a fate in its colour. The word is for those who do not see it. */
export function FateSign(props: { fate: string; word?: boolean }) {
  return (
    <span class={`fate fate-${props.fate}`} title={fateMeaning[props.fate] ?? props.fate}>
      <span aria-hidden="true">{signOf(props.fate)}</span>
      <span class={props.word ? "" : "unseen"}>{props.fate}</span>
    </span>
  );
}
