import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { useConversation } from "../conversation";
import { count } from "../format";
import { undo as undoLast, undoable } from "../compactions/actions";
import { Live } from "../live/live";
import { ProblemBox } from "../parts/load";
import { conversationPath, entryIn, go, place } from "../router";
import { useKeys } from "../shell/keys";
import { meta } from "../shell/shell";
import { fail, say } from "../shell/toast";
import { outlineLoader, togglePin } from "./actions";
import { Grid, type GridControl } from "./grid";
import { Head, Jump } from "./head";
import { EntryLine, GroupLine, levelOf, TurnLine } from "./line";
import { Minimap } from "./minimap";
import { cursorOf, flag, Folds, headOf, lineOf, linesOf, Log, type Foldable } from "./outline";
import { Pane } from "./pane";
import { Rows } from "./rows";
import "./timeline.css";

const columns = ["Entry", "Fate", "Kind", "Text", "Size", "Tokens"];

/** TimelineView is a conversation, one line an entry, and what became of each. */
export function TimelineView({ id }: { id: string }) {
  const opened = useConversation(id);
  const conversation = opened.conversation.value;
  const [tick, draw] = useReducer((n: number) => n + 1, 0);
  const [problem, setProblem] = useState<unknown>(undefined);
  const [pane, setPane] = useState(false);
  const seen = useSignal({ first: 0, last: 0 }); // a signal, as scrolling changes it at every frame
  const [at, setAt] = useState({ seq: entryIn(place.value.hash), type: lineOf.entry as number });
  const [follows, setFollows] = useState(false);
  const control = useRef<GridControl | undefined>(undefined);

  // The model: what is known of the log, and what of it is folded.
  const model = useMemo(() => {
    const log = new Log();
    return { log, folds: new Folds(log), rows: new Rows(opened, draw as () => void, fail), loaded: 0 };
  }, [id]);
  const { log, folds, rows } = model;
  const [shape, reshape] = useReducer((n: number) => n + 1, 0);
  const lines = useMemo(() => linesOf(log, folds), [model, shape]);

  const counts = useRef(0); // the timer after which the figures of the head are asked for again
  const load = useMemo(() => outlineLoader(opened, log, () => (model.loaded++, reshape(undefined as never)), setProblem), [model]);
  useEffect(() => {
    load.from(1);
    rows.want([entryIn(place.value.hash) || 1], Infinity); // at once, rather than after the outline
    return load.stop;
  }, [load]);
  useEffect(
    () =>
      opened.on((e) => {
        if (!e.entry) return;
        rows.put(e.entry);
        // A pin changes an entry before it without a word about its fate.
        const changed = e.entry.kind.endsWith("pin") ? 1 : e.changed;
        if (changed) rows.renew(changed);
        counts.current ||= window.setTimeout(() => {
          counts.current = 0;
          opened.reload();
        }, 1000);
        load.from(Math.min(changed || e.entry.seq, log.length + 1));
      }),
    [opened, model],
  );
  // The stream tells of what came after the conversation was asked for.
  const version = opened.version.value;
  useEffect(() => {
    if (log.length > 0 && version > log.length) load.from(log.length + 1);
  }, [version, shape]);

  // Moving the cursor.
  const index = cursorOf(lines, at);
  const move = (to: number, align: "auto" | "center" | "start" | "end" = "auto") => {
    if (lines.count === 0) return;
    const i = Math.min(lines.count - 1, Math.max(0, to));
    setAt({ seq: lines.seq[i]!, type: lines.type[i]! });
    control.current?.show(i, align);
  };
  const reveal = (seq: number, align: "auto" | "center" = "center") => {
    if (seq < 1 || seq > log.length) return;
    folds.reveal(seq);
    reshape(undefined as never);
    setAt({ seq, type: lineOf.entry });
    pending.current = { seq, align };
  };
  const read = useRef(0); // up to where the reader has seen the end
  const pending = useRef<{ seq: number; align: "auto" | "center" | "end" } | undefined>(undefined);
  useEffect(() => {
    const p = pending.current;
    if (!p || lines.count === 0) return;
    pending.current = undefined;
    control.current?.show(p.align === "end" ? lines.count - 1 : cursorOf(lines, { seq: p.seq, type: lineOf.entry }), p.align);
  });

  useEffect(() => {
    if (log.length > 0) performance.mark("timeline"); // when the first lines were there, for whoever measures
  }, [log.length > 0]);

  // The address names the entry, both ways.
  const wanted = entryIn(place.value.hash);
  const first = useRef(true);
  const written = useRef(0); // by us: the cursor may have gone on since, and is not called back
  useEffect(() => {
    if (log.length === 0) return;
    const ours = wanted === written.current;
    written.current = 0;
    if (wanted && (first.current || (wanted !== at.seq && !ours))) reveal(Math.min(wanted, log.length));
    else if (first.current) {
      setAt({ seq: 1, type: lineOf.turn });
      if (conversation?.status.busy) {
        setFollows(true);
        pending.current = { seq: log.length, align: "end" };
      }
    }
    first.current = false;
  }, [wanted, log.length > 0]);
  useEffect(() => {
    if (first.current || !at.seq || at.seq === wanted) return;
    const timer = setTimeout(() => {
      if (at.seq <= 1) return;
      written.current = at.seq;
      go(conversationPath(id, "", at.seq), true);
    }, 300);
    return () => clearTimeout(timer);
  }, [at.seq]);

  // The end stays in sight while the reader is there.
  useEffect(() => {
    if (follows && lines.count > 0) control.current?.show(lines.count - 1, "end");
  }, [lines, follows, opened.status.value, !opened.text.value]); // what goes on below takes room

  const fold = (sort: Foldable, seq: number, yes: boolean) => {
    folds.set(sort, seq, yes);
    reshape(undefined as never);
  };
  const foldAll = (sort: Foldable) => {
    folds.setAll(sort, !folds.allFolded(sort));
    reshape(undefined as never);
    pending.current = { seq: at.seq, align: "auto" };
  };
  const sortAt = (): { sort: Foldable; seq: number } | undefined => {
    if (at.type === lineOf.turn) return { sort: "turn", seq: at.seq };
    if (at.type === lineOf.group) return { sort: "group", seq: at.seq };
    if (at.seq && log.pair[at.seq - 1]! > at.seq) return { sort: "result", seq: at.seq };
    return undefined;
  };
  const foldHere = (yes: boolean) => {
    const here = sortAt();
    if (here && folds.folded(here.sort, here.seq) !== yes) fold(here.sort, here.seq, yes);
    else if (yes && at.seq) {
      // Already folded, or nothing to fold: to what holds it.
      const head = log.turnSeqs[log.turnOf(at.seq)] ?? 1;
      setAt({ seq: head, type: lineOf.turn });
      pending.current = undefined;
      control.current?.show(Math.max(0, cursorOf(lines, { seq: head, type: lineOf.turn })), "auto");
    }
  };
  const open = () => {
    const here = sortAt();
    if (at.type !== lineOf.entry && here) fold(here.sort, here.seq, !folds.folded(here.sort, here.seq));
    else if (at.seq) setPane(true);
  };
  const jump = (step: 1 | -1, name: string, is: (seq: number) => boolean) => {
    const from = at.type === lineOf.entry || step < 0 ? at.seq : at.seq - 1;
    const found = log.find(from, step, is);
    if (found) reveal(found);
    else say(`No ${step > 0 ? "further" : "earlier"} ${name}.`);
  };
  const person = (seq: number) => log.has(seq, flag.person);
  const error = (seq: number) => log.has(seq, flag.error);
  const compaction = (seq: number) => log.kindAt(seq) === "compaction";
  const end = () => {
    setFollows(true);
    move(lines.count - 1, "end");
  };
  const start = () => {
    setFollows(false);
    move(0, "start");
  };
  const undo = () => {
    if (meta.value?.read_only) say("The server is read only: nothing can be undone.");
    else if (conversation && undoable(conversation.compactions ?? []).length === 0) say("No compaction to undo.");
    else void undoLast(id).then((done) => done && opened.reload());
  };
  const page = () => control.current?.page() ?? 10;
  const pin = () => at.type === lineOf.entry && at.seq && togglePin(id, at.seq, log.has(at.seq, flag.pinned), opened.reload);

  useKeys("Timeline", [
    { key: "j", does: "next line (also ↓)", run: () => move(index + 1) },
    { key: "k", does: "line before (also ↑)", run: () => move(index - 1) },
    { key: "n", does: "next message of a person (N: before)", run: () => jump(1, "message of a person", person) },
    { key: "e", does: "next error (E: before)", run: () => jump(1, "error", error) },
    { key: "c", does: "next compaction (C: before)", run: () => jump(1, "compaction", compaction) },
    { key: "u", does: "undo the last compaction; asks", run: undo },
    { key: "p", does: "pin or unpin the entry", run: pin },
    { key: "Enter", does: "the whole entry; fold or unfold", run: open },
    { key: "Escape", does: "close the entry", run: () => setPane(false) },
    { key: "h", does: "fold (also ←)", run: () => foldHere(true) },
    { key: "l", does: "unfold (also →)", run: () => foldHere(false) },
    { key: "t", does: "fold or unfold all turns", run: () => foldAll("turn") },
    { key: "m", does: "fold or unfold all that compactions hide", run: () => foldAll("group") },
    { key: "r", does: "fold or unfold all results", run: () => foldAll("result") },
    { key: "b", does: "show or hide bookkeeping, which no model sees", run: () => foldAll("book") },
    { key: "g", does: "to the beginning", run: start },
    { key: "G", does: "to the end, and stay there", run: end },
    { key: "ArrowDown", does: "", run: () => move(index + 1) },
    { key: "ArrowUp", does: "", run: () => move(index - 1) },
    { key: "ArrowLeft", does: "", run: () => foldHere(true) },
    { key: "ArrowRight", does: "", run: () => foldHere(false) },
    { key: "PageDown", does: "", run: () => move(index + page()) },
    { key: "PageUp", does: "", run: () => move(index - page()) },
    { key: "Home", does: "", run: start },
    { key: "End", does: "", run: end },
    { key: "N", does: "", run: () => jump(-1, "message of a person", person) },
    { key: "E", does: "", run: () => jump(-1, "error", error) },
    { key: "C", does: "", run: () => jump(-1, "compaction", compaction) },
  ]);
  if (read.current === 0) read.current = log.length;
  const unread = log.length - read.current;

  if (problem !== undefined && log.length === 0) return <ProblemBox error={problem} again={() => load.from(1)} />;
  if (opened.error.value !== undefined && !conversation) return <ProblemBox error={opened.error.value} again={opened.reload} />;

  const lineProps = (i: number): Record<string, unknown> => {
    const seq = lines.seq[i]!;
    const type = lines.type[i]!;
    const select = () => {
      setFollows(false);
      setAt({ seq, type });
      if (type === lineOf.entry) setPane(true);
    };
    if (type === lineOf.turn) return { class: "turn", "aria-level": 1, "aria-expanded": !folds.folded("turn", seq), onClick: select };
    if (type === lineOf.group) return { class: `group fate-${log.fateAt(seq)}`, "aria-level": 2, "aria-expanded": !folds.folded("group", seq), onClick: select };
    const marks = [`entry fate-${log.fateAt(seq)} l-${levelOf(log, seq)}`];
    if (compaction(seq)) marks.push("compaction");
    else if (log.has(seq, flag.unseen)) marks.push("quiet");
    else if (log.before[seq - 1]! > 0 && log.after[seq - 1] === 0) marks.push("gone");
    if (person(seq)) marks.push("by-person");
    if (log.kindAt(seq) === "reasoning") marks.push("reasoning");
    return {
      class: marks.join(" "),
      "aria-level": levelOf(log, seq),
      "aria-expanded": log.pair[seq - 1]! > seq ? !folds.folded("result", seq) : undefined,
      onClick: select,
    };
  };
  const line = (i: number) => {
    const seq = lines.seq[i]!;
    const type = lines.type[i]!;
    const sort: Foldable = type === lineOf.turn ? "turn" : type === lineOf.group ? "group" : "result";
    const folded = folds.folded(sort, seq);
    const all = { log, seq, row: rows.get(type === lineOf.turn ? headOf(log, seq) : seq), folded, toggle: () => fold(sort, seq, !folded) };
    if (type === lineOf.turn) return <TurnLine {...all} />;
    if (type === lineOf.group) return <GroupLine {...all} by={conversation?.compactions?.[log.by[seq - 1]!]} />;
    return <EntryLine {...all} />;
  };
  const onSeen = (from: number, to: number, atEnd: boolean, backward: boolean) => {
    const want: number[] = [];
    for (let i = from; i <= to && i < lines.count; i++) {
      if (lines.type[i] === lineOf.entry) want.push(lines.seq[i]!);
      else if (lines.type[i] === lineOf.turn && folds.folded("turn", lines.seq[i]!)) want.push(headOf(log, lines.seq[i]!));
    }
    rows.want(want, log.length);
    const first = lines.seq[from] ?? 0;
    const last = log.endOf(lines.type[to] === lineOf.entry ? lineOf.entry : lineOf.turn, lines.seq[to] ?? 0);
    if (seen.value.first !== first || seen.value.last !== last) seen.value = { first, last };
    if (atEnd) read.current = log.length;
    else if (backward) setFollows(false);
  };

  return (
    <div class={pane ? "timeline with-pane" : "timeline"}>
      <Head conversation={conversation} connected={opened.connected.value} />
      <div class="tools" role="toolbar" aria-label="Jump and fold">
        <Jump label="Person" key_="n" jump={(step) => jump(step, "message of a person", person)} />
        <Jump label="Error" key_="e" jump={(step) => jump(step, "error", error)} />
        <Jump label="Compaction" key_="c" jump={(step) => jump(step, "compaction", compaction)} />
        <span class="space" />
        <button aria-pressed={folds.allFolded("turn")} title="t" onClick={() => foldAll("turn")}>
          Fold turns
        </button>
        <button aria-pressed={folds.allFolded("group")} title="m" onClick={() => foldAll("group")}>
          Fold compacted
        </button>
        <button aria-pressed={folds.allFolded("result")} title="r" onClick={() => foldAll("result")}>
          Fold results
        </button>
        <button aria-pressed={!folds.allFolded("book")} title="Show what no model sees: usage, marks, a client's own notes (b)" onClick={() => foldAll("book")}>
          Bookkeeping
        </button>
        <button aria-pressed={follows} title="Stay at the end while entries come (G)" onClick={() => (follows ? setFollows(false) : end())}>
          ↓ End{unread > 0 && ` (${count(unread)} new)`}
        </button>
      </div>
      <div class="body">
        <Grid
          label="Timeline"
          count={lines.count}
          columns={columns}
          active={index}
          control={control}
          line={line}
          lineProps={lineProps}
          seen={onSeen}
          renew={`${tick}/${shape}/${conversation?.compactions?.length ?? 0}`}
        />
        <Minimap log={log} version={model.loaded} seen={seen} at={at.seq} go={(seq) => (setFollows(false), reveal(seq))} />
        {pane && at.seq > 0 && (
          <Pane id={id} seq={at.seq} conversation={conversation} version={model.loaded} close={() => setPane(false)} show={reveal} changed={opened.reload} />
        )}
      </div>
      <Live id={id} sent={end} />
    </div>
  );
}
