import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation, Entry } from "../api";
import { call } from "../call";
import { count, full, kindName, plural, tokens, when } from "../format";
import { FateSign } from "../parts/fate";
import { useLoad, Waits } from "../parts/load";
import { conversationPath } from "../router";
import { meta } from "../shell/shell";
import { fail, say } from "../shell/toast";
import { togglePin } from "./actions";

/** Characters of an entry that are shown at once: a text may have 50 million of them. */
const windowSize = 20_000;

interface Props {
  id: string;
  seq: number;
  conversation: Conversation | undefined;
  version: number; // asked again when this changes
  close: () => void;
  show: (seq: number) => void;
  changed: () => void;
}

/** Pane shows one entry whole: what was said beside what a model sees, and why. */
export function Pane(props: Props) {
  const { id, seq } = props;
  const [offset, move] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => move(0), [seq]);
  const entry = useLoad((signal) => call("GET /api/conversations/{id}/entries/{seq}", { id, seq, offset, limit: windowSize }, undefined, signal), [id, seq, offset, props.version]);
  return (
    <aside class="pane" aria-labelledby="pane-title">
      <header>
        <h2 id="pane-title" ref={title} tabIndex={-1}>
          Entry {count(seq)}
        </h2>
        <span class="space" />
        <button class="plain" aria-label="Close the entry" title="Esc" onClick={props.close}>
          ×
        </button>
      </header>
      <Waits of={entry}>{(e) => (e.seq === seq ? <Body {...props} entry={e} offset={offset} move={move} /> : null)}</Waits>
    </aside>
  );
}

function Body(props: Props & { entry: Entry; offset: number; move: (to: number) => void }) {
  const { entry: e, id } = props;
  const by = props.conversation?.compactions?.find((c) => c.id === e.by);
  const made = props.conversation?.compactions?.find((c) => c.seq === e.seq);
  const other = e.shown !== e.raw || e.shown_length !== e.length;
  const length = Math.max(e.length, e.shown_length);
  return (
    <>
      <dl class="facts">
        <dt>Kind</dt>
        <dd>
          {kindName(e.kind)}
          {e.label && !kindName(e.kind).includes(e.label) && <> · {e.label}</>}
          {e.outcome && !["success", "exit 0", "unknown"].includes(e.outcome) && <strong class="failed">{e.outcome}</strong>}
        </dd>
        <dt>Said</dt>
        <dd title={full(e.at)}>
          {when(e.at)} · turn {count(e.turn)}, step {count(e.step)}
          {e.branch && ` · sub-agent ${e.branch}`}
        </dd>
        <dt>Fate</dt>
        <dd>
          <FateSign fate={e.fate} word />
          {e.why && <span class="soft"> {e.why}</span>}
          {e.by && (
            <>
              {" "}
              <a href={conversationPath(id, `compactions/${encodeURIComponent(e.by)}`)}>{by?.strategy || "the compaction"}</a>
            </>
          )}
        </dd>
        <dt>Tokens</dt>
        <dd class="number">{e.before === e.after ? tokens(e.before) : `${count(e.before)} → ${count(e.after)}`}</dd>
        {made && (
          <>
            <dt>Did</dt>
            <dd>
              <a href={conversationPath(id, `compactions/${encodeURIComponent(made.id)}`)}>what it changed, before and after</a>
              {!made.live && " (undone)"}
            </dd>
          </>
        )}
        {e.pair ? (
          <>
            <dt>{e.pair > e.seq ? "Result" : "Call"}</dt>
            <dd>
              <button class="link" onClick={() => props.show(e.pair!)}>
                entry {count(e.pair)}
              </button>
            </dd>
          </>
        ) : null}
      </dl>
      <div class="actions">
        {!meta.value?.read_only && <Pin {...props} />}
        <button onClick={() => copy(location.origin + conversationPath(id, "", e.seq))}>Copy link</button>
      </div>
      {e.summary && (
        <section>
          <h3>What stands in for it</h3>
          <pre>{e.summary}</pre>
        </section>
      )}
      {length > windowSize && <Windows length={length} offset={props.offset} move={props.move} />}
      <div class={other ? "texts two" : "texts"}>
        <section>
          <h3>{other ? "As it was said" : "As it was said, and as a model sees it"}</h3>
          {e.raw ? <pre>{e.raw}</pre> : <p class="soft">No text here.</p>}
        </section>
        {other && (
          <section>
            <h3>As a model sees it</h3>
            {e.shown ? <pre>{e.shown}</pre> : <p class="soft">{e.shown_length ? "No text here." : "Nothing of it."}</p>}
          </section>
        )}
      </div>
      {e.payload !== undefined && (
        <details>
          <summary>As it is stored</summary>
          <pre>{JSON.stringify(e.payload, null, 2)}</pre>
        </details>
      )}
    </>
  );
}

/** Windows moves through a text that is too long to be shown at once. */
function Windows(props: { length: number; offset: number; move: (to: number) => void }) {
  const { length, offset, move } = props;
  const last = Math.floor((length - 1) / windowSize) * windowSize;
  return (
    <div class="windows">
      <button disabled={offset === 0} onClick={() => move(Math.max(0, offset - windowSize))}>
        Before
      </button>
      <input
        type="range"
        min={0}
        max={last}
        step={windowSize}
        value={offset}
        aria-label="Where in the text"
        aria-valuetext={`from character ${count(offset)} of ${count(length)}`}
        onChange={(e) => move(Number(e.currentTarget.value))}
      />
      <button disabled={offset >= last} onClick={() => move(Math.min(last, offset + windowSize))}>
        After
      </button>
      <span class="soft number">
        {count(offset + 1)}–{count(Math.min(length, offset + windowSize))} of {plural(length, "character")}
      </span>
    </div>
  );
}

function Pin(props: Props & { entry: Entry }) {
  const { id, entry: e } = props;
  return (
    <button aria-pressed={!!e.pinned} title="A pinned entry is kept by every compaction (p)" onClick={() => togglePin(id, e.seq, !!e.pinned, props.changed)}>
      {e.pinned ? "Unpin" : "Pin"}
    </button>
  );
}

function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => say("Copied."),
    () => fail(new Error("The browser does not allow copying.")),
  );
}
