// What the conversations' requests cost, and what compaction saved of it.
import { useEffect } from "preact/hooks";
import { call } from "../call";
import type { Spending } from "../api";
import { change, parameter } from "../query";
import { count, dollars, plural, tokens } from "../format";
import { About } from "../help/about";
import { usePoll } from "../parts/clock";
import { Empty, ProblemBox, useLoad } from "../parts/load";
import { conversationPath } from "../router";
import { Days } from "./days";
import { dayName } from "./words";
import "../parts/page.css";
import "./money.css";

const groups = { day: "Day", project: "Project", model: "Model", conversation: "Conversation" } as const;
type Group = keyof typeof groups;

const none: Spending[] = [];

/** How soon to ask again while conversations are still being read, in milliseconds. */
const again = 1500;
/** How often else, while the page can be seen. */
const seldom = 60_000;

/** MoneyView shows costs by day, project, model or conversation. */
export function MoneyView(_: { id: string }) {
  const wanted = (parameter("by") in groups ? parameter("by") : "day") as Group;
  const since = parameter("since"), until = parameter("until");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const got = useLoad(async (signal) => ({ by: wanted, ...(await call("GET /api/money", { by: wanted, since, until, zone }, undefined, signal)) }), [wanted, since, until]);
  usePoll(got, seldom);
  const spendings = got.value;
  const by = spendings?.by ?? wanted; // a slow answer is still of another group
  useEffect(() => {
    if (!spendings || spendings.reading === 0) return;
    const timer = setTimeout(got.again, again);
    return () => clearTimeout(timer);
  }, [spendings]);
  const items = spendings?.items ?? none;
  const sum = spendings?.total;
  return (
    <div class="page money">
      <h1>Money</h1>
      <p class="fields">
        <label>
          By
          <select value={wanted} onChange={(e) => change({ by: e.currentTarget.value })}>
            {Object.entries(groups).map(([value, name]) => <option value={value}>{name.toLowerCase()}</option>)}
          </select>
        </label>
        <label>From <input type="date" value={since} onChange={(e) => change({ since: e.currentTarget.value })} /></label>
        <label>To <input type="date" value={until} onChange={(e) => change({ until: e.currentTarget.value })} /></label>
        {(since || until) && <button type="button" onClick={() => change({ since: "", until: "" })}>All time</button>}
      </p>
      {got.error !== undefined && <ProblemBox error={got.error} again={got.again} />}
      <div role="status">
        {spendings && spendings.reading > 0 && (
          <p class="measuring">
            Still reading {count(spendings.reading)} of {plural(spendings.of, "conversation")}; the figures grow meanwhile.
            <progress value={spendings.of - spendings.reading} max={spendings.of} aria-label="Conversations read" />
          </p>
        )}
      </div>
      {spendings && sum && (items.length === 0 ? spendings.reading === 0 && <NoMoney filtered={!!(since || until)} /> : (
        <>
          <dl class="totals">
            <div><dt>Cost</dt><dd>{dollars(sum.dollars)}</dd></div>
            <div><dt>{sum.saved < 0 ? "Compaction cost more than it saved" : "Saved by compaction"}</dt><dd><Saved of={sum.saved} /></dd></div>
            <div><dt>Requests</dt><dd>{count(sum.responses)}</dd></div>
            <div><dt>Input tokens</dt><dd>{tokens(sum.input)}{sum.cache_read > 0 && <small> + {tokens(sum.cache_read)} from cache</small>}</dd></div>
            <div><dt>Output tokens</dt><dd>{tokens(sum.output)}</dd></div>
          </dl>
          {sum.priced < sum.responses && (
            <p class="unpriced">
              <strong>{plural(sum.responses - sum.priced, "request")} without a price:</strong> their model is unknown or has no known price. They are not in the cost.
            </p>
          )}
          <About what="money" />
          {by === "day" && <Days items={items} />}
          <Table by={by} items={items} />
        </>
      ))}
    </div>
  );
}

/** What compaction saved: a sign and a word besides the colour. */
export function Saved({ of }: { of: number }) {
  if (of === 0) return <span class="soft">–</span>;
  return <span class={of < 0 ? "loss" : "gain"}>{of < 0 ? "▼ " : "▲ "}{dollars(of)}</span>;
}

function NoMoney({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="Nothing was spent in these days"><p>Choose other days, or all time.</p></Empty>;
  return (
    <Empty title="No costs yet">
      <p>Costs come from requests whose usage the client recorded. Import sessions of an agent, or run one through Tenfold: <a href="/">Conversations</a> says how.</p>
    </Empty>
  );
}

function Table({ by, items }: { by: Group; items: Spending[] }) {
  const most = Math.max(...items.map((s) => s.dollars), 1e-9);
  const rows = by === "day" ? [...items].sort((a, b) => b.key.localeCompare(a.key)) : items;
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={`Costs by ${by}`}>
      <table class="sheet">
        <caption>Costs by {by}</caption>
        <thead>
          <tr>
            <th scope="col">{groups[by]}</th>
            <th scope="col">Cost</th>
            <th scope="col" class="number">Saved</th>
            <th scope="col" class="number">Requests</th>
            <th scope="col" class="number">Input</th>
            <th scope="col" class="number" title="Input read from the provider's prompt cache">From cache</th>
            <th scope="col" class="number">Output</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((s) => (
            <tr key={s.key}>
              <th scope="row"><Key by={by} of={s} /></th>
              <td>
                <span class="costs">
                  <span class="costtrack" aria-hidden="true"><span class="costbar" style={{ width: s.dollars > 0 ? `max(1px, ${(s.dollars / most) * 100}%)` : "0" }} /></span>
                  <span class="number">{s.priced === 0 ? "unpriced" : dollars(s.dollars)}{s.priced > 0 && s.priced < s.responses && <span class="soft" title={`${plural(s.responses - s.priced, "request")} without a price`}> + {count(s.responses - s.priced)} unpriced</span>}</span>
                </span>
              </td>
              <td class="number"><Saved of={s.saved} /></td>
              <td class="number">{count(s.responses)}</td>
              <td class="number">{tokens(s.input)}</td>
              <td class="number">{tokens(s.cache_read)}</td>
              <td class="number">{tokens(s.output)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Key({ by, of }: { by: Group; of: Spending }) {
  if (by === "conversation") return <a href={conversationPath(of.key)}>{of.title || of.key}</a>;
  if (by === "project") return of.key ? <a href={`/?project=${encodeURIComponent(of.key)}`}>{of.key}</a> : <span class="soft">unknown project</span>;
  if (by === "day") return <>{dayName(of.key)}</>;
  return of.key ? <>{of.key}</> : <span class="soft">unknown model</span>;
}
