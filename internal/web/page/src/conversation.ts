import { batch, signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Conversation, Event, Status } from "./api";
import { call } from "./call";
import { follow, type Told } from "./stream";

/** A Writing is what an agent of this server is writing just now. */
export interface Writing {
  text: string;
  after: number; // seq of the newest entry when it began
  call: string; // whose output it is, "" for what a model writes
}

/** An Opened conversation: what all that shows it shares, and its one stream. */
export interface Opened {
  id: string;
  conversation: Signal<Conversation | undefined>;
  error: Signal<unknown>;
  status: Signal<Status | undefined>;
  version: Signal<number>; // of the log, as far as it was told
  connected: Signal<boolean>;
  text: Signal<Writing | undefined>;
  reasoning: Signal<Writing | undefined>;
  output: Signal<Writing | undefined>;
  /** on calls told for every event until the function that it gives is called. */
  on: (told: (e: Told) => void) => () => void;
  /** reload asks for the conversation again. */
  reload: () => void;
}

interface Held extends Opened {
  holders: number;
  hold: () => void;
  release: () => void;
}

const open = new Map<string, Held>();

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

type Piece = { text: string; begins?: boolean; after?: number; call?: string };

/** written adds a piece to what was written. */
export function written(have: Writing | undefined, piece: Piece): Writing {
  const before = piece.begins ? "" : (have?.text ?? "");
  return { text: before + piece.text, after: piece.after ?? have?.after ?? 0, call: piece.call ?? "" };
}

function make(id: string): Held {
  const listeners = new Set<(e: Told) => void>();
  let stop = () => {};
  let waits = 0;

  const load = async () => {
    try {
      const c = await call("GET /api/conversations/{id}", { id });
      batch(() => {
        held.conversation.value = c;
        held.error.value = undefined;
        held.status.value = c.status;
        held.version.value = Math.max(held.version.value, c.entries);
      });
      return c;
    } catch (e) {
      held.error.value = e;
      return undefined;
    }
  };

  const told = (e: Told) => {
    batch(() => {
      if (e.entry) {
        const { seq, branch } = e.entry;
        held.version.value = Math.max(held.version.value, seq, e.version ?? 0);
        for (const s of [held.text, held.reasoning]) if (!branch && s.value && s.value.after < seq) s.value = undefined;
        if (e.changed || e.entry.kind.startsWith("compaction") || e.entry.kind.endsWith("pin")) held.reload();
      }
      if (e.status) held.status.value = e.status;
      for (const name of ["text", "reasoning", "output"] as const) {
        const piece = (e as Event)[name] as Piece | undefined;
        if (piece && typeof piece === "object") held[name].value = written(held[name].value, piece);
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
    output: signal(undefined),
    holders: 0,
    on: (l) => {
      listeners.add(l);
      return () => listeners.delete(l);
    },
    reload: () => {
      clearTimeout(waits);
      waits = window.setTimeout(load, 120);
    },
    hold: () => {
      if (held.holders++ > 0) return;
      open.set(id, held);
      void load().then((c) => {
        if (c && held.holders > 0) {
          stop();
          stop = follow(id, c.entries, told, (yes) => (held.connected.value = yes));
        }
      });
    },
    release: () => {
      if (--held.holders > 0) return;
      // A change of the view releases and holds again at once.
      setTimeout(() => {
        if (held.holders > 0) return;
        stop();
        stop = () => {};
        clearTimeout(waits);
        if (open.get(id) === held) open.delete(id);
      });
    },
  };
  return held;
}
