import { fail, say } from "../shell/toast";

/** Command is a line for a terminal, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const copy = () => navigator.clipboard.writeText(text).then(() => say("Copied."), fail);
  return (
    <div class="command">
      <code>{text}</code>
      <button class="plain" aria-label={`Copy: ${text}`} onClick={copy}>Copy</button>
    </div>
  );
}
