import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { signal } from "@preact/signals";

/** Dialog is a modal window: it takes the focus, gives it back, and closes on Escape. */
export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const at = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const d = at.current;
    const before = document.activeElement as HTMLElement | null;
    if (d && !d.open) d.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog
      ref={at}
      aria-labelledby={title}
      onClose={props.close}
      onCancel={(e) => {
        e.preventDefault();
        props.close();
      }}
      onClick={(e) => e.target === at.current && props.close()}
    >
      <div class="dialog">
        <header>
          <h2 id={title}>{props.title}</h2>
          <button class="plain" aria-label="Close" onClick={props.close}>
            ×
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

interface Asked {
  title: string;
  text: string;
  yes: string;
  answer: (yes: boolean) => void;
}

const asked = signal<Asked | undefined>(undefined);

/** ask asks the reader before something is done. yes is the word on the button: "Undo". */
export function ask(title: string, text: string, yes: string): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      title,
      text,
      yes,
      answer: (given) => {
        asked.value = undefined;
        resolve(given);
      },
    };
  });
}

/** Asking shows what ask asks; the shell holds one. */
export function Asking() {
  const a = asked.value;
  if (!a) return null;
  return (
    <Dialog title={a.title} close={() => a.answer(false)}>
      <p>{a.text}</p>
      <footer>
        <button onClick={() => a.answer(false)}>Cancel</button>
        <button class="primary" autofocus onClick={() => a.answer(true)}>
          {a.yes}
        </button>
      </footer>
    </Dialog>
  );
}
