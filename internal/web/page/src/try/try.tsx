import { useEffect, useMemo, useState } from "preact/hooks";
import type { Conversation, Outline, Trial } from "../api";
import { call, Problem } from "../call";
import { Legend, Shrinking } from "../compactions/figure";
import { stretches, type Sum } from "../compactions/model";
import { count, dollars, percent, plural } from "../format";
import { ask } from "../parts/dialog";
import { ProblemBox, useLoad } from "../parts/load";
import { conversationPath, go } from "../router";
import { meta } from "../shell/shell";
import { fail, say } from "../shell/toast";
import { byTurn, empty, wishOf, type Form, type How } from "./model";
import "./try.css";

const ways: { how: How; label: string; says: string }[] = [
  { how: "target", label: "To a size", says: "Tenfold chooses the passages that later work is likely to need." },
  { how: "profile", label: "By a profile", says: "A named set of strategies, as configured." },
  { how: "strategies", label: "By strategies", says: "Each works on what the one before leaves." },
];

/** How long the form must stay as it is before it is tried. */
const pause = 350;

/** Try shows what a compaction would do, before anything is written; then applies it. */
export function Try({ c, changed }: { c: Conversation; changed: () => void }) {
  const [form, set] = useState<Form>({ ...empty, profile: meta.value?.profiles[0] ?? "" });
  const [trial, tried] = useState<Trial | undefined>(undefined);
  const [error, failed] = useState<unknown>(undefined);
  const [busy, work] = useState<"" | "trying" | "applying">("trying");
  const [turn, again] = useState(0);
  const outline = useLoad((signal) => call("GET /api/conversations/{id}/outline", { id: c.id, from: 1 }, undefined, signal), [c.id, c.entries]);
  const wish = wishOf(form);
  const key = JSON.stringify(wish);
  useEffect(() => {
    work("trying");
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call("POST /api/conversations/{id}/plan", { id: c.id }, wish, stop.signal).then(
        (t) => {
          if (stop.signal.aborted) return;
          tried(t);
          failed(undefined);
          work("");
        },
        (e) => {
          if (stop.signal.aborted) return;
          failed(e);
          work("");
        },
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [c.id, key, c.entries, turn]);

  const apply = async () => {
    if (!trial) return;
    const { after } = trial.report.tokens;
    const asks = trial.report.quotes?.length ? ` A model writes ${plural(trial.report.quotes.length, "summary", "summaries")} for it, so the result can differ from what is shown.` : "";
    const text = `What a model sees changes from ${count(c.tokens.after)} to ${count(after)} tokens.${asks} Nothing is deleted: undo puts everything back.`;
    if (!(await ask("Compact this conversation?", text, "Compact"))) return;
    work("applying");
    try {
      const done = await call("POST /api/conversations/{id}/compactions", { id: c.id }, { ...wish, version: trial.version });
      changed();
      if (done.nothing) {
        say(`Nothing was compacted: ${done.nothing}`);
        work("");
        return;
      }
      say(`Compacted: a model now sees ${count(done.tokens.after)} tokens.`);
      const made = done.compactions[done.compactions.length - 1];
      go(conversationPath(c.id, made ? `compactions/${encodeURIComponent(made.id)}` : "compactions"));
    } catch (e) {
      if (e instanceof Problem && e.status === 409) {
        fail(new Problem(409, "The conversation went on while you looked", "Nothing was written.", "The view below is made anew: look at it again, then compact."));
        changed();
        again((n) => n + 1);
      } else {
        fail(e);
        work("");
      }
    }
  };

  return (
    <div class="try">
      <FormBox form={form} set={set} turns={c.turns} />
      <section class="result" aria-live="polite" aria-busy={busy !== ""}>
        <h2>What it would do</h2>
        {error !== undefined && <ProblemBox error={error} />}
        {!error && trial && (
          <div class={busy === "trying" ? "stale" : undefined}>
            <Result c={c} trial={trial} outline={outline.value} />
            <p class="do">
              <button class="primary" disabled={busy !== "" || !!trial.report.nothing || meta.value?.read_only} onClick={() => void apply()}>
                {busy === "applying" ? "Compacting…" : "Compact…"}
              </button>
              <span class="soft">{meta.value?.read_only ? "This server is read only." : busy === "trying" ? "Working it out…" : "Nothing has been written."}</span>
            </p>
          </div>
        )}
        {!error && !trial && <p class="waits">Working out what it would do…</p>}
      </section>
    </div>
  );
}

function FormBox({ form, set, turns }: { form: Form; set: (f: Form) => void; turns: number }) {
  const put = (part: Partial<Form>) => set({ ...form, ...part });
  const last = Math.max(turns - 1, 0);
  return (
    <form class="card" aria-label="What to compact" onSubmit={(e) => e.preventDefault()}>
      <h2>Try a compaction</h2>
      <fieldset class="ways">
        <legend>How</legend>
        {ways.map((w) => (
          <label key={w.how}>
            <input type="radio" name="how" checked={form.how === w.how} onChange={() => put({ how: w.how })} />
            <span>
              {w.label}
              <span class="soft">{w.says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {form.how === "target" && (
        <label class="field">
          How small <span class="soft">a share of what a model sees now (10%) or tokens (20k)</span>
          <span class="sizes">
            <input type="text" value={form.target} onInput={(e) => put({ target: e.currentTarget.value })} size={6} />
            {["5%", "10%", "20%", "30%"].map((size) => (
              <button key={size} type="button" aria-pressed={form.target === size} onClick={() => put({ target: size })}>
                {size}
              </button>
            ))}
          </span>
        </label>
      )}
      {form.how === "profile" && (
        <label class="field">
          Profile
          <select value={form.profile} onChange={(e) => put({ profile: e.currentTarget.value })}>
            {(meta.value?.profiles ?? []).map((p) => (
              <option key={p}>{p}</option>
            ))}
          </select>
        </label>
      )}
      {form.how === "strategies" && <Strategies list={form.strategies} set={(strategies) => put({ strategies })} />}
      <details>
        <summary>Range, focus and summary</summary>
        <div class="bounds">
          <label class="field">
            From turn
            <input type="text" placeholder="0" value={form.from} onInput={(e) => put({ from: e.currentTarget.value })} size={6} />
          </label>
          <label class="field">
            To turn
            <input type="text" placeholder={String(last)} value={form.to} onInput={(e) => put({ to: e.currentTarget.value })} size={6} />
          </label>
          <label class="field">
            Keep at the end
            <input type="text" placeholder="3 or 20k" value={form.keep} onInput={(e) => put({ keep: e.currentTarget.value })} size={8} />
          </label>
        </div>
        <p class="soft">Turns count from 0; -3 is the third from the end, 2d is two days ago. Keep is turns (3) or tokens (20k).</p>
        <label class="field">
          Focus <span class="soft">what a summary must keep</span>
          <input type="text" value={form.focus} onInput={(e) => put({ focus: e.currentTarget.value })} />
        </label>
        <label class="field">
          Your own summary <span class="soft">stands in for the range as you write it</span>
          <textarea rows={3} value={form.summary} onInput={(e) => put({ summary: e.currentTarget.value })} />
        </label>
      </details>
    </form>
  );
}

function Strategies({ list, set }: { list: string[]; set: (list: string[]) => void }) {
  const put = (i: number, text: string) => set(list.map((s, k) => (k === i ? text : s)));
  return (
    <fieldset class="field">
      <legend>
        Strategies <span class="soft">NAME or NAME:KEY=VALUE,…</span>
      </legend>
      <datalist id="strategies">
        {(meta.value?.strategies ?? []).map((s) => (
          <option key={s} value={s} />
        ))}
      </datalist>
      {list.map((text, i) => (
        <span key={i} class="strategy">
          <input type="text" aria-label={`Strategy ${i + 1}`} list="strategies" placeholder="fit:target=10%" value={text} onInput={(e) => put(i, e.currentTarget.value)} />
          <button type="button" class="plain" aria-label={`Remove strategy ${i + 1}`} disabled={list.length === 1} onClick={() => set(list.filter((_, k) => k !== i))}>
            ×
          </button>
        </span>
      ))}
      <button type="button" onClick={() => set([...list, ""])}>
        Add a strategy
      </button>
    </fieldset>
  );
}

function Result({ c, trial, outline }: { c: Conversation; trial: Trial; outline: Outline | undefined }) {
  const r = trial.report;
  const [now, then] = [c.tokens.after, r.tokens.after];
  const fates = trial.fates;
  const fresh = outline && outline.after.length === trial.after.length;
  const besides = rest(then, trial.after);
  const all: Sum[] = fates.map((fate) => ({ fate, rows: 0, before: 0, after: 0 }));
  if (fresh) {
    trial.fate.forEach((f, i) => {
      if (outline.before[i] === 0) return;
      const sum = all[f];
      if (!sum) return;
      sum.rows++;
      sum.before += outline.after[i]!;
      sum.after += trial.after[i]!;
    });
  }
  return (
    <>
      <dl class="figures">
        <div>
          <dt>All that was said</dt>
          <dd>{count(r.tokens.before)} tokens</dd>
        </div>
        <div>
          <dt>A model sees now</dt>
          <dd>{count(now)}</dd>
        </div>
        <div class="big">
          <dt>It would see</dt>
          <dd>
            {count(then)} {now > 0 && then !== now && <span class="soft">({then < now ? `−${percent(1 - then / now)}` : `+${percent(then / now - 1)}`})</span>}
          </dd>
        </div>
        <div>
          <dt>Entries that change</dt>
          <dd>{count(trial.changed)}</dd>
        </div>
      </dl>
      {r.nothing && <p class="note">Nothing would be compacted: {r.nothing}</p>}
      {r.target && !r.target.met && <p class="note">The target of {count(r.target.tokens)} tokens is not reached: {count(r.target.always ?? 0)} tokens stay in any case.</p>}
      <Measures m={trial.measured} />
      {fresh && (
        <>
          <Shrinking
            sides={["Now", "Then"]}
            stretches={stretches([...fates, "added"], [fates.length, ...trial.fate], [rest(now, outline.after), ...outline.after], [rest(then, trial.after), ...trial.after])}
            before={now}
            after={then}
            words={`A model sees ${count(now)} tokens now and would see ${count(then)}.`}
          />
          <Legend rows={["entry", "entries"]} sums={all.filter((s) => s.rows > 0)} />
          {besides > 0 && <p class="soft">{count(besides)} tokens of it are no entries: system prompt, tools, summaries and notes.</p>}
          <Turns outline={outline} trial={trial} />
        </>
      )}
      {(r.quotes ?? []).map((q, i) => (
        <p key={i} class="note">
          {q.model || "A model"} would be asked for a summary of turns {q.from_turn} to {q.to_turn}: about {count(q.input)} tokens{q.cost != null && `, ${dollars(q.cost)}`}. For this trial no model is called.
        </p>
      ))}
      {r.warnings.map((w, i) => (
        <p key={i} class="note warn">
          {w}
        </p>
      ))}
    </>
  );
}

/** rest is what of a view is not entries: the system prompt and what the projection puts in. */
function rest(whole: number, entries: number[]): number {
  let n = whole;
  for (const x of entries) n -= x;
  return Math.max(0, n);
}

/** Measures tells in plain words how much of what an agent needs later would still be there. */
function Measures({ m }: { m: Trial["measured"] }) {
  if (m.cur == null && m.edr == null) return <p class="note">How much later work would find cannot be measured here{m.why ? `: ${m.why}` : "."}</p>;
  return (
    <div class="measures">
      <Share name="CUR" value={m.cur} words="of the names that later work used would still be readable" />
      <Share name="EDR" value={m.edr} words="of the texts that later edits replaced would still be there whole" />
      <p class="soft">
        Measured on this conversation: it is cut at {m.cuts.map((p) => `${p}%`).join(", ")} of its requests, compacted as above, and compared with what the agent went on to use. This says what is there, not that the work succeeds.
      </p>
    </div>
  );
}

function Share(props: { name: string; value: number | null | undefined; words: string }) {
  if (props.value == null) {
    return (
      <div class="share">
        <strong>{props.name} –</strong>
        <span class="soft">nothing to measure: no later edit</span>
      </div>
    );
  }
  return (
    <div class="share">
      <strong>
        {props.name} {percent(props.value)}
      </strong>
      <meter min={0} max={1} value={props.value} aria-label={`${props.name}: ${percent(props.value)} ${props.words}`} />
      <span class="soft">{props.words}</span>
    </div>
  );
}

/** The most turns that are drawn one by one. */
const mostTurns = 400;

function Turns({ outline, trial }: { outline: Outline; trial: Trial }) {
  const turns = useMemo(() => byTurn(outline, trial), [outline, trial]);
  const most = turns.reduce((n, t) => Math.max(n, t.raw), 1);
  const width = (n: number) => ({ width: `${(100 * n) / most}%` });
  return (
    <details class="turns" open={turns.length <= 30}>
      <summary>
        By turn <span class="soft">outline: all that was said · light: seen now · solid: would be seen</span>
      </summary>
      <ol>
        {turns.slice(-mostTurns).map((t) => (
          <li key={t.turn}>
            <span>turn {t.turn}</span>
            <span class="track" aria-hidden="true">
              <span class="was" style={width(t.raw)} />
              <span class="now" style={width(t.now)} />
              <span class="is" style={width(t.then)} />
            </span>
            <span class="number">{t.now === t.then ? count(t.now) : `${count(t.now)} → ${count(t.then)}`}</span>
          </li>
        ))}
      </ol>
      {turns.length > mostTurns && <p class="soft">The last {mostTurns} of {count(turns.length)} turns.</p>}
    </details>
  );
}
