// Search over everything that was ever said, whether or not a model still sees it.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Hit } from "../api";
import { call } from "../call";
import { kindName, plural } from "../format";
import { Empty, useLoad, Waits } from "../parts/load";
import { change, parameter } from "../query";
import { conversationPath } from "../router";
import { useKeys } from "../shell/keys";
import { byConversation, pieces, type Found } from "./marks";
import "../parts/page.css";
import "./search.css";

/** The most hits that are asked for. */
const most = 200;

export function SearchView(_: { id: string }) {
  const q = parameter("q").trim();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  const list = useRef<HTMLDivElement>(null);
  const got = useLoad(async (signal) => {
    const found = q ? await call("GET /api/search", { q, limit: most }, undefined, signal) : undefined;
    return { q, hits: found?.items ?? [], unread: found?.unread };
  }, [q]);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = q;
  }, [q]);
  useEffect(() => {
    field.current?.focus();
    return () => clearTimeout(timer.current);
  }, []);
  const ask = (text: string, wait: number) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => change({ q: text.trim() }, true), wait);
  };
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a.hit") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useKeys("Search", [
    { key: "j", does: "next hit", run: () => move(1) },
    { key: "k", does: "hit before", run: () => move(-1) },
    { key: "ArrowDown", does: "next hit", run: () => move(1) },
    { key: "ArrowUp", does: "hit before", run: () => move(-1) },
    { key: "/", does: "to the words", run: () => field.current?.select() },
  ]);
  return (
    <div class="page searching">
      <h1>Search</h1>
      <search>
        <form
          class="fields"
          onSubmit={(e) => {
            e.preventDefault();
            ask(field.current!.value, 0);
            // Hits of other words are about to go.
            if (got.value?.q === field.current!.value.trim()) list.current?.querySelector<HTMLElement>("a.hit")?.focus();
          }}
        >
          <label class="grow">
            <span class="unseen">Words to look for</span>
            <input ref={field} type="search" placeholder='Words, or "a phrase", in everything that was said' defaultValue={q} onInput={(e) => ask(e.currentTarget.value, 250)} />
          </label>
        </form>
      </search>
      <div ref={list}>
        {q ? <Waits of={got}>{(had) => had.q && <Hits {...had} />}</Waits> : <Hint />}
      </div>
    </div>
  );
}

function Hint() {
  return (
    <p class="soft">
      Looks into every entry of every conversation: what was said, the calls and their results, and what compactions have hidden. All words must occur; words in double quotes match as a phrase; case does not matter.
    </p>
  );
}

function Hits({ q, hits, unread }: { q: string; hits: Hit[]; unread: string | undefined }) {
  const found = useMemo(() => byConversation(hits), [hits]);
  const damage = unread && <p role="status">{unread}</p>;
  if (hits.length === 0) return <Empty title={`Nothing was said of ${q}`}>{damage}<p>Try fewer or shorter words: all of them must occur in one entry.</p></Empty>;
  return (
    <>
      {damage}
      <p class="soft" role="status">
        {hits.length >= most ? `The best ${plural(most, "hit")}` : plural(hits.length, "hit")} in {plural(found.length, "conversation")}
        {hits.some((h) => h.hidden === null) && "; of the longest ones it is not told what is hidden"}
      </p>
      {found.map((f) => <InConversation key={f.id} of={f} />)}
    </>
  );
}

function InConversation({ of }: { of: Found }) {
  return (
    <section class="found">
      <h2><a href={conversationPath(of.id)}>{of.title || of.id}</a> <span class="soft">{plural(of.hits.length, "hit")}</span></h2>
      <ul>
        {of.hits.map((h) => (
          <li key={h.seq}>
            <a class={h.hidden ? "hit hidden-entry" : "hit"} href={conversationPath(h.conversation, "", h.seq)}>
              <span class="of">
                <span class="kind">{kindName(h.kind)}</span>
                {h.hidden && <span class="badge" title="A compaction hides it: no model sees it now">hidden</span>}
              </span>
              <span class="snippet">{pieces(h.snippet, h.marks ?? []).map((p) => (p.marked ? <mark>{p.text}</mark> : p.text))}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
