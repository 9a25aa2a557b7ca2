import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../call";

/** A Loaded is what a request gave, or why not. */
export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  loading: boolean;
  again: () => void;
}

/**
 * useLoad asks when one of deps changes, and keeps the value of before meanwhile, so
 * that nothing flickers. An answer that came too late is dropped.
 */
export function useLoad<T>(ask: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
  const [state, set] = useState<{ value?: T; error?: unknown; loading: boolean }>({ loading: true });
  const [turn, next] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    set((s) => ({ ...s, loading: true }));
    ask(stop.signal).then(
      (value) => !stop.signal.aborted && set({ value, loading: false }),
      (error) => !stop.signal.aborted && set((s) => ({ ...s, error, loading: false })),
    );
    return () => stop.abort();
  }, [...deps, turn]);
  return { value: state.value, error: state.error, loading: state.loading, again: () => next((n) => n + 1) };
}

/** ProblemBox shows why something could not be shown, and what to do. */
export function ProblemBox(props: { error: unknown; again?: () => void }) {
  const e = props.error;
  const p = e instanceof Problem ? e : new Problem(0, e instanceof Error ? e.message : String(e));
  return (
    <div class="problem" role="alert">
      <h2>{p.message}</h2>
      {p.detail && <p>{p.detail}</p>}
      {p.hint && <p class="hint">{p.hint}</p>}
      {props.again && <button onClick={props.again}>Try again</button>}
    </div>
  );
}

/** Waits shows a value when it is there, else that it is awaited, or the problem. */
export function Waits<T>(props: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  const { value, error, again, loading } = props.of;
  if (error !== undefined && value === undefined) return <ProblemBox error={error} again={again} />;
  if (value === undefined) return <p class="waits" aria-busy="true">Loading…</p>;
  return (
    <>
      {error !== undefined && <ProblemBox error={error} again={again} />}
      <div class={loading ? "stale" : undefined} aria-busy={loading}>
        {props.children(value)}
      </div>
    </>
  );
}

/** Empty says that there is nothing, and what to do about it. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}
