// Words on what a view shows, for whoever sees it for the first time.

const texts = {
  lab: {
    title: "What CUR and EDR mean",
    body: [
      "The lab cuts a conversation after a quarter, a half and three quarters of its requests, compacts what stands before the cut, and looks at what the agent did afterwards. No model is called, and nothing is stored.",
      "CUR, contextual carried-use recall, asks: is the name still there? It is the share of the paths, identifiers and numbers used later, and not shown again in between, that still stand in a readable line of the view.",
      "EDR, edit-ready recall, asks: could one act on it? It is the share of later edits whose replaced text still stands in the view, word for word.",
      "Both go from 0 to 1. Higher keeps more of what was needed; further left sends fewer tokens. The figures say what is available to a model, not that it finds it.",
    ],
  },
  money: {
    title: "How money is counted",
    body: [
      "Cost is what the recorded requests cost: their tokens as the provider counted them, at its dated list prices, in US$. Requests of a model without a known price are counted, not priced.",
      "Saved is what compactions spared later requests, less what they cost: summaries, and the part of the prompt cache that had to be written again. It is below zero where a compaction cost more than it has saved so far. It is a figure of a whole conversation, counted on the day of its last response and for its main model.",
    ],
  },
} as const;

/** An explanation that opens on request; closed at first, so that figures come first. */
export function About({ what }: { what: keyof typeof texts }) {
  const { title, body } = texts[what];
  return (
    <details class="about">
      <summary>{title}</summary>
      {body.map((p) => <p>{p}</p>)}
    </details>
  );
}
