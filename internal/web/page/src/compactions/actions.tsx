import type { Change, Compaction } from "../api";
import { call } from "../call";
import { count } from "../format";
import { ask } from "../parts/dialog";
import { fail, say } from "../shell/toast";

/** turns writes the range of a compaction. */
export function turns(c: { from_turn: number; to_turn: number }): string {
  return c.from_turn === c.to_turn ? `turn ${c.from_turn}` : `turns ${c.from_turn} to ${c.to_turn}`;
}

/** undoable is what undo takes back next: the newest compaction in effect, with those of its command. */
export function undoable(all: Compaction[]): Compaction[] {
  const newest = [...all].reverse().find((c) => c.live && c.source !== "birth");
  if (!newest) return [];
  return newest.command ? all.filter((c) => c.live && c.command === newest.command) : [newest];
}

/** change says how the view changes: from 30,019 to 284,689 tokens. */
function change(tokens: { before: number; after: number }): string {
  if (tokens.before === tokens.after) return `What a model sees stays at ${count(tokens.after)} tokens.`;
  return `What a model sees ${tokens.after > tokens.before ? "grows" : "shrinks"} from ${count(tokens.before)} to ${count(tokens.after)} tokens.`;
}

/** seen names what the reader was shown: the server changes nothing else. */
function seen(would: Change): string[] {
  return [...(would.undone ?? []), ...(would.redone ?? [])].map((o) => o.id);
}

/** undo takes back the last compaction, or all, once the reader has seen what that changes. */
export async function undo(id: string, all = false): Promise<boolean> {
  try {
    const would = await call("POST /api/conversations/{id}/undo", { id }, { all, dry_run: true });
    const n = would.undone?.length ?? 0;
    const what = n === 1 ? `The compaction of ${turns(would.undone![0]!)}` : `${n} compactions${all ? "" : ", made together,"}`;
    const text = `${what} will be undone. ${change(would.tokens)} The next request is read by the provider without its cache from there on. Nothing is deleted: redo brings ${n === 1 ? "it" : "them"} back.`;
    if (!(await ask(all ? "Undo all compactions?" : "Undo the last compaction?", text, "Undo"))) return false;
    const done = await call("POST /api/conversations/{id}/undo", { id }, { all, overlays: seen(would) });
    say(`Undone. ${change(done.tokens)}`);
    return true;
  } catch (e) {
    fail(e);
    return false;
  }
}

/** redo gives back what was undone last. */
export async function redo(id: string): Promise<boolean> {
  try {
    const would = await call("POST /api/conversations/{id}/redo", { id }, { dry_run: true });
    const n = would.redone?.length ?? 0;
    const what = n === 1 ? `The compaction of ${turns(would.redone![0]!)}` : `${n} compactions`;
    if (!(await ask("Redo the last undone compaction?", `${what} will be in effect again. ${change(would.tokens)}`, "Redo"))) return false;
    const done = await call("POST /api/conversations/{id}/redo", { id }, { overlays: seen(would) });
    say(`Redone. ${change(done.tokens)}`);
    return true;
  } catch (e) {
    fail(e);
    return false;
  }
}

/** pin pins or unpins an entry, once the reader has seen what that changes. */
export async function pin(id: string, seq: number, on: boolean): Promise<boolean> {
  try {
    const e = await call("GET /api/conversations/{id}/entries/{seq}", { id, seq, limit: 1 });
    const more = e.before - e.after;
    const pair = e.pair ? " A call and its result are pinned together." : "";
    const text = on
      ? `No compaction changes entry ${seq} any more, present ones included.${pair} ${more > 0 ? `A model sees it whole again: ${count(more)} more tokens in each request.` : "A model sees it whole already."}`
      : `Compactions may hide or shorten entry ${seq} again, those in effect at once.`;
    if (!(await ask(on ? `Pin entry ${seq}?` : `Unpin entry ${seq}?`, text, on ? "Pin" : "Unpin"))) return false;
    await call(on ? "PUT /api/conversations/{id}/pins/{seq}" : "DELETE /api/conversations/{id}/pins/{seq}", { id, seq });
    say(on ? `Entry ${seq} is pinned.` : `Entry ${seq} is no longer pinned.`);
    return true;
  } catch (e) {
    fail(e);
    return false;
  }
}
