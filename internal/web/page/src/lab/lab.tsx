// What strategies keep of what later work needed: for one conversation, or for those
// of a project.
import { useEffect, useMemo, useState } from "preact/hooks";
import { call, pathOf } from "../call";
import type { Facet, LabPoint } from "../api";
import { change, parameter } from "../query";
import { count, percent, plural } from "../format";
import { About } from "../help/about";
import { Frontier, recall } from "./frontier";
import { colourOf, outline } from "./marks";
import { Empty, ProblemBox } from "../parts/load";
import { baselines, families, frontier, targetOf, type Family } from "./points";
import { useMeasured } from "./stream";
import "../parts/page.css";
import "./lab.css";

/** LabView is the lab of one conversation. */
export function LabView({ id }: { id: string }) {
  return (
    <div class="page">
      <h1>Lab</h1>
      <Lab address={pathOf("/api/conversations/{id}/lab", { id })} of="this conversation" />
    </div>
  );
}

/** AllLabView is the lab of all conversations, or of those of the project in the address. */
export function AllLabView() {
  const [projects, setProjects] = useState<Facet[]>([]);
  const project = parameter("project");
  useEffect(() => {
    call("GET /api/conversations", { limit: 1, totals: true }).then((c) => setProjects((c.projects ?? []).filter((p) => p.value !== "")), () => {});
  }, []);
  return (
    <div class="page">
      <h1>Lab</h1>
      {projects.length > 0 && (
        <p class="fields">
          <label>
            Project
            <select value={project} onChange={(e) => change({ project: e.currentTarget.value })}>
              <option value="">All projects</option>
              {projects.map((p) => <option value={p.value}>{p.value} ({count(p.count)})</option>)}
            </select>
          </label>
        </p>
      )}
      <Lab address={pathOf("/api/lab", { project })} of={`the newest conversations${project && ` of ${project}`}`} />
    </div>
  );
}

function Lab({ address, of }: { address: string; of: string }) {
  const measured = useMeasured(address).value;
  const [chosen, choose] = useState("");
  const list = useMemo(() => families(measured.points), [measured.points]);
  const { progress, done, error } = measured;
  return (
    <section class="lab" aria-busy={!done && error === undefined}>
      <About what="lab" />
      {error !== undefined && <ProblemBox error={error} />}
      <div class="measuring" role="status">
        {!done && error === undefined && <span>Measuring {of}{progress?.doing ? `: ${progress.doing}` : "…"}</span>}
        {done && list.length > 0 && <span>Measured on {done.sessions === 1 ? "one conversation" : plural(done.sessions, "conversation")}{done.skipped > 0 && `; ${count(done.skipped)} left out, too short to measure`}.</span>}
      </div>
      {done?.error && <ProblemBox error={new Error(`The measurement ended early: ${done.error}`)} />}
      {progress && progress.total > 0 && <progress value={progress.done} max={progress.total} aria-label="Measured" />}
      {list.length > 0 && <Frontier families={list} {...{ chosen, choose }} />}
      {list.length > 0 && <Legend families={list} />}
      {list.length > 0 && <Figures families={list} {...{ chosen, choose }} />}
      {done && list.length === 0 && (
        <Empty title="Nothing to measure here">
          <p>A strategy is measured by what the agent needed later. That takes conversations with tool calls, and some requests after each cut.</p>
          {done.skipped > 1 && <p class="hint">None of the {plural(done.skipped, "conversation")} looked at, {of}, has enough of them.</p>}
        </Empty>
      )}
    </section>
  );
}

function Sign({ family, size = 16 }: { family: Family; size?: number }) {
  return (
    <svg class={family.baseline ? "sign baseline" : "sign"} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" style={{ color: `var(${colourOf(family.colour)})` }}>
      <path d={outline(family.look, 8, 8, 5)} />
    </svg>
  );
}

function Legend({ families }: { families: Family[] }) {
  const group = (title: string, baseline: boolean) => {
    const some = families.filter((f) => f.baseline === baseline);
    return some.length > 0 && (
      <div>
        <h2>{title}</h2>
        <ul>{some.map((f) => <li key={f.name}><Sign family={f} /> {f.name}{baselines[f.name] && <span class="soft"> {baselines[f.name]}</span>}</li>)}</ul>
      </div>
    );
  };
  return <div class="legend">{group("Tenfold's strategies: filled signs", false)}{group("Baselines: hollow signs, dashed lines", true)}</div>;
}

function Figures({ families, chosen, choose }: { families: Family[]; chosen: string; choose: (strategy: string) => void }) {
  const all = families.flatMap((f) => f.points);
  const best = { cur: frontier(all, "cur"), edr: frontier(all, "edr") };
  const figure = (p: LabPoint, of: "cur" | "edr") => (
    <td class="number">
      {recall(p[of])}
      {best[of].has(p.strategy) ? <span class="best" title="No other is as short and keeps as much"> ★<span class="unseen"> on the frontier</span></span> : <span class="best" />}
    </td>
  );
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Figures of the plot">
      <table class="sheet">
        <caption>The same figures. ★ marks the frontier: no other is as short and keeps as much.</caption>
        <thead>
          <tr><th scope="col">Strategy</th><th scope="col" class="number">Target</th><th scope="col" class="number">Kept</th><th scope="col" class="number">CUR</th><th scope="col" class="number">EDR</th><th scope="col" class="number">Sessions</th></tr>
        </thead>
        <tbody>
          {families.flatMap((f) => f.points.map((p) => (
            <tr key={p.strategy} data-strategy={p.strategy} class={p.strategy === chosen ? "chosen" : ""} onMouseEnter={() => choose(p.strategy)} onMouseLeave={() => choose("")}>
              <th scope="row"><Sign family={f} /> {f.name}{f.baseline && <span class="soft"> baseline</span>}</th>
              <td class="number">{targetOf(p.strategy) || "–"}</td>
              <td class="number">{percent(p.share)}</td>
              {figure(p, "cur")}
              {figure(p, "edr")}
              <td class="number">{p.sessions}</td>
            </tr>
          )))}
        </tbody>
      </table>
    </div>
  );
}
