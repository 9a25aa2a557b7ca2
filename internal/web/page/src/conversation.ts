import { batch, signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Conversation, Piece, Status } from "./api";
import { call, Problem } from "./call";
import { follow, type Told } from "./stream";
import { visible } from "./visible";

/** A Writing is what an agent of this server is writing just now. */
export interface Writing {
  text: string;
  after: number; // seq of the newest entry when it began
}

/** An Opened conversation: what all that shows it shares, and its one stream. */
export interface Opened {
  id: string;
  conversation: Signal<Conversation | undefined>;
  /** error is why it could not be asked for last. */
  error: Signal<unknown>;
  status: Signal<Status | undefined>;
  version: Signal<number>; // of the log, as far as it was told
  connected: Signal<boolean>;
  text: Signal<Writing | undefined>;
  reasoning: Signal<Writing | undefined>;
  /** What running calls have printed, by outputKey. */
  outputs: Signal<ReadonlyMap<string, string>>;
  /** on calls told for every event until the function that it gives is called. */
  on: (told: (e: Told) => void) => () => void;
  /** reload asks for the conversation again. */
  reload: () => void;
  /**
   * same says whether an answer is of the conversation that is shown. Where it is of another one with the
   * same id, all that is shown is of the past, and the page is loaded again.
   */
  same: (created: string) => boolean;
}

interface Held extends Opened {
  holders: number;
  hold: () => void;
  release: () => void;
}

const open = new Map<string, Held>();

/** How much of what a call prints is kept, in characters: its end. */
const mostOutput = 16_384;

/**
 * useConversation opens a conversation while a component is shown. All components that
 * show the same one share it.
 */
export function useConversation(id: string): Opened {
  const held = useMemo(() => {
    const have = open.get(id) ?? make(id);
    open.set(id, have);
    return have;
  }, [id]);
  useEffect(() => {
    held.hold();
    return held.release;
  }, [held]);
  return held;
}

/** written adds a piece to what was written. One that comes after what it has become is dropped. */
export function written(have: Writing | undefined, piece: Piece, said: number): Writing | undefined {
  if (piece.after < said) return have;
  return { text: (piece.begins ? "" : (have?.text ?? "")) + piece.text, after: piece.after };
}

/** outputKey tells calls apart: a sub-agent may use the ids of another's. */
export function outputKey(of: { branch?: string; call?: string }): string {
  return `${of.branch ?? ""}/${of.call ?? ""}`;
}

/** Entries that end a text that was being written before them. */
const ends = new Set(["user_message", "assistant_message", "reasoning", "tool_call"]);

function make(id: string): Held {
  const listeners = new Set<(e: Told) => void>();
  let stop: (() => void) | undefined; // what follows it
  let waits = 0;
  let said = 0; // the newest entry that ends a text
  let made = ""; // when the conversation was created
  let asked = 0; // how often it was asked for
  let shown = 0; // which answer is shown
  let statuses = 0; // how many the stream told of

  const load = async () => {
    const [turn, heard] = [++asked, statuses];
    try {
      const c = await call("GET /api/conversations/{id}", { id });
      if (!held.same(c.created)) return undefined;
      if (turn < shown) return c; // a later answer overtook it
      shown = turn;
      if (held.holders > 0) document.title = `${visible(c.title || "Untitled conversation")} · Tenfold`;
      batch(() => {
        held.conversation.value = c;
        held.error.value = undefined;
        if (heard === statuses) held.status.value = c.status; // else the stream knows better
        held.version.value = Math.max(held.version.value, c.entries);
      });
      return c;
    } catch (e) {
      if (turn > shown) held.error.value = e;
      return undefined;
    }
  };

  const connected = (yes: boolean) => {
    held.connected.value = yes;
    if (yes && held.error.value !== undefined) held.reload();
  };
  // A log that lacks what was told of is another one, as after the restore of a backup.
  const refused = (last: number) => void load().then((c) => c && c.entries < last && location.reload());

  // begin loads and follows, unless it is followed. A server that is away or about to end is asked again.
  const begin = (wait: number) => {
    clearTimeout(waits);
    void load().then((c) => {
      if (held.holders === 0) return;
      const e = held.error.value;
      if (c) stop ??= follow(c, told, connected, refused);
      else if (e instanceof Problem && e.away && !stop) waits = window.setTimeout(begin, wait, Math.min(2 * wait, 10_000));
    });
  };

  const told = (e: Told) => {
    batch(() => {
      if (e.entry) {
        const { seq, branch } = e.entry;
        held.version.value = Math.max(held.version.value, seq, e.version ?? 0);
        if (!branch && ends.has(e.entry.kind)) {
          said = Math.max(said, seq);
          for (const s of [held.text, held.reasoning]) if (s.value && s.value.after < said) s.value = undefined;
        }
        if (e.changed || e.entry.kind.startsWith("compaction") || e.entry.kind.endsWith("pin")) held.reload();
      }
      if (e.status) {
        statuses++;
        held.status.value = e.status;
        const runs = new Set(e.status.running.map(outputKey));
        if ([...held.outputs.value.keys()].some((k) => !runs.has(k))) held.outputs.value = new Map([...held.outputs.value].filter(([k]) => runs.has(k)));
      }
      for (const name of ["text", "reasoning"] as const) if (e[name]) held[name].value = written(held[name].value, e[name], said);
      if (e.output) {
        const key = outputKey(e.output);
        const before = e.output.begins ? "" : (held.outputs.value.get(key) ?? "");
        held.outputs.value = new Map(held.outputs.value).set(key, (before + e.output.text).slice(-mostOutput));
      }
    });
    for (const l of [...listeners]) l(e);
  };

  const held: Held = {
    id,
    conversation: signal(undefined),
    error: signal(undefined),
    status: signal(undefined),
    version: signal(0),
    connected: signal(false),
    text: signal(undefined),
    reasoning: signal(undefined),
    outputs: signal(new Map()),
    holders: 0,
    on: (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    reload: () => {
      clearTimeout(waits);
      waits = window.setTimeout(begin, 120, 1000);
    },
    same: (created) => {
      made ||= created;
      if (made !== created) location.reload();
      return made === created;
    },
    hold: () => {
      if (held.holders++ > 0) return;
      open.set(id, held);
      begin(1000);
    },
    release: () => {
      if (--held.holders > 0) return;
      // A change of the view releases and holds again at once.
      setTimeout(() => {
        if (held.holders > 0) return;
        stop?.();
        stop = undefined;
        clearTimeout(waits);
        if (open.get(id) === held) open.delete(id);
      });
    },
  };
  return held;
}
