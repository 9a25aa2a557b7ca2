import type { Conversation } from "../api";
import { count, full, plural, tokens, when } from "../format";
import { Background } from "../jobs/background";
import { Meter } from "../live/live";
import { FateSign } from "../parts/fate";

/** Head says which conversation it is, how large, and what became of it. */
export function Head(props: { conversation: Conversation | undefined; connected: boolean }) {
  const c = props.conversation;
  if (!c) return <header class="head" aria-busy="true" />;
  const sums = (c.sums ?? []).filter((s) => s.entries > 0 && s.fate !== "kept" && s.fate !== "config" && s.fate !== "added");
  return (
    <header class="head">
      <h1>{c.title || "Untitled conversation"}</h1>
      <p class="soft">
        {c.tool && <span>{c.tool}</span>}
        {c.model && <span>{c.model}</span>}
        <span title={full(c.updated)}>{when(c.updated)}</span>
        <span>{plural(c.turns, "turn")}</span>
        <span>{plural(c.entries, "entry", "entries")}</span>
        <span class="number" title={`${count(c.tokens.before)} tokens said, a model sees ${count(c.tokens.after)}`}>
          {tokens(c.tokens.before)}
          {c.tokens.after !== c.tokens.before && <> → {tokens(c.tokens.after)}</>} tokens
        </span>
        {sums.map((s) => (
          <span key={s.fate} class="number" title={`${plural(s.entries, "entry", "entries")}: ${count(s.before)} → ${count(s.after)} tokens`}>
            <FateSign fate={s.fate} word /> {count(s.entries)}
          </span>
        ))}
        <a href={`/api/conversations/${encodeURIComponent(c.id)}/export?to=html`} download title="One file that works without a server, with secrets blanked">
          Save to share
        </a>
        {!props.connected && <span class="badge">not live</span>}
      </p>
      <Meter id={c.id} />
      <Background id={c.id} />
    </header>
  );
}

/** Jump is a pair of buttons to the entry before and after that is of a sort. */
export function Jump(props: { label: string; key_: string; jump: (step: 1 | -1) => void }) {
  return (
    <span class="jump">
      <button aria-label={`${props.label}: before`} title={`before (${props.key_.toUpperCase()})`} onClick={() => props.jump(-1)}>
        ↑
      </button>
      <span>{props.label}</span>
      <button aria-label={`${props.label}: next`} title={`next (${props.key_})`} onClick={() => props.jump(1)}>
        ↓
      </button>
    </span>
  );
}
