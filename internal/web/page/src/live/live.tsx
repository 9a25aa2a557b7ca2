import { useEffect, useRef, useState } from "preact/hooks";
import type { Message, Offer, Question, Status } from "../api";
import { call } from "../call";
import { outputKey, useConversation, type Opened } from "../conversation";
import { count, percent, plural, span } from "../format";
import { go, conversationPath } from "../router";
import { useClock } from "../parts/clock";
import { meta } from "../shell/shell";
import { fail } from "../shell/toast";
import { bad, ended, fill, gate, methods } from "./model";
import "./live.css";

/**
 * Meter says how full the context of a conversation is, where the figure is from, and how
 * often it was compacted.
 */
export function Meter({ id }: { id: string }) {
  const s = useConversation(id).status.value;
  if (!s) return null;
  const share = fill(s);
  const level = share === undefined ? "" : share >= 0.95 ? "full" : share >= 0.8 ? "high" : "";
  return (
    <div class={`context ${level}`}>
      <span>
        Context{" "}
        <strong class="number">
          {count(s.tokens)}
          {s.window > 0 && ` of ${count(s.window)}`}
        </strong>{" "}
        tokens{share !== undefined && `, ${percent(share)}`}
      </span>
      {share !== undefined && (
        <span
          class="gauge"
          role="meter"
          aria-label="Context"
          aria-valuemin={0}
          aria-valuemax={s.window}
          aria-valuenow={Math.min(s.tokens, s.window)}
          aria-valuetext={`${percent(share)} full`}
        >
          <span style={{ width: `${Math.min(100, share * 100)}%` }} />
        </span>
      )}
      <span class="soft" title={methods[s.method]}>
        {s.method === "reported" ? "reported by the provider" : s.method === "calibrated" ? "estimated, corrected by the provider's figures" : "estimated"}
        {s.window === 0 && "; the model's window is not known"}
      </span>
      <a href={conversationPath(id, "compactions")}>{plural(s.compactions, "compaction")}</a>
    </div>
  );
}

/** Live is the end of the timeline: what is under way, and where one talks to the agent. sent is called when something was sent. */
export function Live({ id, sent }: { id: string; sent?: () => void }) {
  const open = useConversation(id);
  const s = open.status.value;
  if (!s) return null;
  const talks = !!meta.value?.agent && !meta.value.read_only;
  return (
    <section class="live" aria-label="Now">
      <Doing open={open} s={s} />
      {s.state === "compacting" && <Compacting s={s} />}
      {s.state === "wanted" && <p class="now">A compaction was asked for. It begins when the running calls have their results.</p>}
      {s.waiting.map((q) => (
        <Ask key={q.id} id={id} q={q} />
      ))}
      <Trouble id={id} s={s} talks={talks} sent={sent} />
      {talks ? <Chat id={id} s={s} sent={sent} /> : s.state !== "ready" && <p class="soft">{gate(s).why}</p>}
    </section>
  );
}

async function send(id: string, message: Message): Promise<boolean> {
  try {
    await call("POST /api/conversations/{id}/messages", { id }, message);
    return true;
  } catch (e) {
    fail(e);
    return false;
  }
}

async function begin(): Promise<void> {
  try {
    const made = await call("POST /api/conversations", {}, {});
    go(conversationPath(made.id));
  } catch (e) {
    fail(e);
  }
}

/** Doing shows what the agent is writing and which calls run. */
function Doing({ open, s }: { open: Opened; s: Status }) {
  const text = open.text.value?.text;
  const reasoning = open.reasoning.value?.text;
  const now = useClock(!!s.retry);
  return (
    <>
      {reasoning && (
        <div class="writing thinks">
          <h2>Thinking</h2>
          <pre>{tail(reasoning)}</pre>
        </div>
      )}
      {text && (
        <div class="writing">
          <h2>Writing</h2>
          <pre>{text}</pre>
        </div>
      )}
      {s.running.map((r) => {
        const out = open.outputs.value.get(outputKey(r)) ?? "";
        return (
          <div key={outputKey(r)} class="writing call">
            <h2>
              Running{r.branch && " in a sub-agent"}
              {r.contained && (
                <span class="badge" title="It writes nowhere but in the workspace, and reaches no network">
                  contained
                </span>
              )}
            </h2>
            <p class="mono">{r.line}</p>
            {out && <pre>{tail(out)}</pre>}
          </div>
        );
      })}
      {s.retry && (
        <p class="now">
          The model is asked again in {span(Math.max(0, new Date(s.retry.at).getTime() - now))} (attempt {s.retry.attempt}): {s.retry.why}
        </p>
      )}
      {s.busy && s.state !== "compacting" && !text && !reasoning && s.running.length === 0 && !s.retry && s.waiting.length === 0 && <p class="now soft">Waiting for the model…</p>}
    </>
  );
}

/** tail is the end of a long text: what came last counts. */
function tail(text: string): string {
  return text.length > 4000 ? `…${text.slice(-4000)}` : text;
}

function Compacting({ s }: { s: Status }) {
  const now = useClock(true);
  const since = s.since ? Math.max(0, now - new Date(s.since).getTime()) : 0;
  return (
    <div class="compacting" role="status">
      <p>
        <strong>Compacting the conversation…</strong> {since >= 1000 && span(since)}
      </p>
      <progress aria-label="Compacting" />
      <p class="soft">Nothing can be sent until it ends. The log stays whole, and you can undo it.</p>
    </div>
  );
}

/** Trouble says what went wrong and offers what can be done about it. */
function Trouble({ id, s, talks, sent }: { id: string; s: Status; talks: boolean; sent?: () => void }) {
  const says = ended(s);
  const failed = s.state === "tried" || s.state === "closed" ? s.failure : "";
  if (s.busy || s.state === "compacting" || (!says && !failed && s.state !== "closed" && s.offers.length === 0)) return null;
  const wrong = bad(s) || !!failed || s.state === "closed";
  return (
    <div class={wrong ? "trouble bad" : "trouble"} role={wrong ? "alert" : "status"}>
      {s.state === "closed" && (
        <p>
          <strong>The context is full and compacting it failed.</strong> This conversation takes no more messages; its log stays readable. Start a new one.
        </p>
      )}
      {failed && (
        <p>
          {s.state !== "closed" && <strong>Compacting failed; nothing was changed. </strong>}
          {failed}
        </p>
      )}
      {says && s.ended?.detail !== failed && <p>{says}</p>}
      {!says && !failed && s.state !== "closed" && <p>The last answer did not come to its end.</p>}
      {s.ended?.hint && <p class="hint">{s.ended.hint}</p>}
      {talks && s.offers.length > 0 && (
        <p class="do">
          {s.offers.map((o, i) => (
            <button key={o.do} class={i === 0 ? "primary" : ""} onClick={() => take(id, o, sent)}>
              {o.words[0]?.toUpperCase() + o.words.slice(1)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function take(id: string, o: Offer, sent?: () => void): void {
  if (o.do === "new") void begin();
  else if (o.do === "write") document.getElementById("message")?.focus();
  else void send(id, { do: o.do }).then((yes) => yes && sent?.());
}

/** Ask asks for leave for a call: once, always or not at all. */
function Ask({ id, q }: { id: string; q: Question }) {
  const [busy, work] = useState(true);
  const [reason, set] = useState("");
  // A click that comes this soon was meant for what stood here before.
  useEffect(() => {
    const timer = setTimeout(() => work(false), 400);
    return () => clearTimeout(timer);
  }, []);
  const answer = async (said: "once" | "always" | "no") => {
    work(true);
    try {
      await call("POST /api/conversations/{id}/questions/{qid}", { id, qid: q.id }, said === "no" && reason.trim() ? { answer: said, reason: reason.trim() } : { answer: said });
    } catch (e) {
      fail(e);
      work(false);
    }
  };
  const words: Record<string, string> = { once: "Allow once", always: "Always allow such calls", no: "No" };
  return (
    <div class="question" role="group" aria-label="A call waits for your answer">
      <h2>May the agent do this?</h2>
      <p class="mono">{q.call}</p>
      {q.why && <p class="soft">{q.why}</p>}
      {q.detail && q.detail !== q.call && (
        <details open={q.detail.length < 2000}>
          <summary>All that it would do</summary>
          <pre tabIndex={0}>{q.detail}</pre>
        </details>
      )}
      <p class="do">
        {q.choices.map((choice) => (
          <button key={choice} class={choice === "once" ? "primary" : ""} disabled={busy} onClick={() => void answer(choice as "once" | "always" | "no")}>
            {words[choice] ?? choice}
          </button>
        ))}
        {q.choices.includes("no") && <input type="text" aria-label="Reason of a no, for the model" placeholder="with No: a reason for the model" value={reason} disabled={busy} onInput={(e) => set(e.currentTarget.value)} />}
      </p>
    </div>
  );
}

/** Chat is where one talks to the agent. While nothing can be sent it says why. */
function Chat({ id, s, sent }: { id: string; s: Status; sent?: () => void }) {
  const [text, set] = useState("");
  const [model, choose] = useState("");
  const [busy, work] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const can = gate(s, model !== "" && model !== meta.value?.model);
  const models = meta.value?.models ?? [];
  const submit = async (message: Message) => {
    if (!can.open || busy) return;
    work(true);
    if (await send(id, model ? { ...message, model } : message)) {
      set((now) => (now.startsWith(text) ? now.slice(text.length).trimStart() : now)); // the person may have typed on
      sent?.();
    }
    work(false);
    box.current?.focus();
  };
  const stop = () => void call("POST /api/conversations/{id}/stop", { id }).catch(fail);
  return (
    <form
      class="chat"
      onSubmit={(e) => {
        e.preventDefault();
        if (text.trim()) void submit({ text });
      }}
    >
      <label class="unseen" for="message">
        Message to the agent
      </label>
      <textarea
        id="message"
        ref={box}
        rows={3}
        value={text}
        disabled={!can.open && (s.state === "compacting" || s.state === "closed")}
        aria-describedby="gate"
        placeholder={can.open ? "Write to the agent. Enter sends, Shift+Enter begins a new line." : can.why}
        onInput={(e) => set(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || e.shiftKey || e.altKey || e.isComposing) return;
          e.preventDefault();
          if (text.trim()) void submit({ text });
        }}
      />
      <div class="do">
        {s.busy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button class="primary" disabled={!can.open || busy || !text.trim()}>
            Send
          </button>
        )}
        <button type="button" disabled={!can.open || busy} title="Compact the conversation now; what stands in the box says what a summary must keep" onClick={() => void submit({ do: "compact", text })}>
          Compact now
        </button>
        {models.length > 1 && (
          <label>
            <span class="unseen">Model</span>
            <select value={model} onChange={(e) => choose(e.currentTarget.value)}>
              <option value="">{meta.value?.model || "model as configured"}</option>
              {models.filter((m) => m !== meta.value?.model).map((m) => (
                <option key={m}>{m}</option>
              ))}
            </select>
          </label>
        )}
        <span id="gate" class="soft" role="status">
          {can.why}
        </span>
      </div>
    </form>
  );
}
