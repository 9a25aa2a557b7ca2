import type { Status } from "../api";

/** Where the figure of the context meter is from, in words. */
export const methods: Record<string, string> = {
  reported: "reported by the provider with the last answer, plus what came since",
  calibrated: "estimated, and corrected by what the provider reported before",
  estimate: "estimated: the provider reported nothing yet",
  counted: "counted by Tenfold",
};

/** fill is how full the context window is, 0 to 1; undefined where the window is not known. */
export function fill(s: Status): number | undefined {
  return s.window > 0 ? s.tokens / s.window : undefined;
}

/** A Gate says whether something can be sent now, and if not, why. */
export interface Gate {
  open: boolean;
  why: string;
}

/** gate says whether a message can be sent. Another model may have a larger window: it is asked even where the context is full. */
export function gate(s: Status | undefined, other = false): Gate {
  if (!s) return { open: false, why: "Connecting…" };
  switch (s.state) {
    case "compacting":
      return { open: false, why: "The conversation is being compacted. Nothing can be sent until that ends." };
    case "closed":
      if (!other) return { open: false, why: "The context is full and compacting it failed. Start a new conversation, or choose a model with a larger window." };
  }
  if (s.waiting.length > 0) return { open: false, why: "A call waits for your answer." };
  if (s.busy) return { open: false, why: "The agent is at work." };
  return { open: true, why: "" };
}

const endings: Record<string, string> = {
  limit: "The run reached a limit.",
  interrupted: "You stopped it.",
  refused: "The model refused to go on.",
  "cut off": "The answer was cut off.",
  "context exceeded": "The context is full.",
  failed: "The run failed.",
  compacted: "The conversation was compacted.",
  "not compacted": "The conversation could not be compacted.",
  nothing: "There was nothing to compact.",
};

/** ended says how the last run ended; empty where it simply answered. */
export function ended(s: Status): string {
  const e = s.ended;
  if (!e || e.reason === "answered") return "";
  return [endings[e.reason] ?? e.reason, e.detail].filter(Boolean).join(" ");
}

/** bad says whether an ending is something that went wrong. */
export function bad(s: Status): boolean {
  return !!s.ended && !["answered", "interrupted", "compacted", "nothing"].includes(s.ended.reason);
}
