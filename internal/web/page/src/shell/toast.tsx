import { signal } from "@preact/signals";
import { Problem } from "../call";

interface Toast {
  id: number;
  text: string;
  hint: string;
  bad: boolean;
}

const toasts = signal<Toast[]>([]);
let made = 0;

function show(text: string, hint: string, bad: boolean): void {
  if (bad && toasts.value.some((t) => t.bad && t.text === text && t.hint === hint)) return; // it is said already
  const id = ++made;
  toasts.value = [...toasts.value.slice(-3), { id, text, hint, bad }];
  // What went wrong stays until it is dismissed.
  if (!bad) setTimeout(() => dismiss(id), 6000);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

/** say tells the reader something in passing. */
export function say(text: string): void {
  show(text, "", false);
}

/** fail tells the reader what went wrong, with its hint. */
export function fail(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  const p = error instanceof Problem ? error : new Problem(0, error instanceof Error ? error.message : String(error));
  show([p.message, p.detail].filter(Boolean).join(": "), p.hint, true);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={t.bad ? "toast bad" : "toast"}>
          <div>
            <p>{t.text}</p>
            {t.hint && <p class="hint">{t.hint}</p>}
          </div>
          <button class="plain" aria-label="Dismiss" onClick={() => dismiss(t.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
