import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Meta } from "../api";
import { call, Problem } from "../call";
import { useConversation } from "../conversation";
import { conversationPath, go, place } from "../router";
import { Asking } from "../parts/dialog";
import { Help, helping } from "./help";
import { pressed, useKeys } from "./keys";
import { fail, Toasts } from "./toast";
import { theme, type Theme } from "./theme";
import { views } from "../views";
import "./shell.css";

/** meta is what the server offers; undefined until it said so. */
export const meta = signal<Meta | undefined>(undefined);

const pages: { to: string; label: string; views: string[]; where?: (m: Meta | undefined) => boolean }[] = [
  { to: "/", label: "Conversations", views: ["conversations"] },
  { to: "/search", label: "Search", views: ["search"] },
  { to: "/money", label: "Money", views: ["money"] },
  { to: "/lab", label: "Lab", views: ["alllab"] },
  { to: "/jobs", label: "Jobs", views: ["jobs"], where: (m) => !!m?.jobs },
];

const tabs = [
  { view: "", name: "timeline", label: "Timeline" },
  { view: "compactions", name: "compactions", label: "Compactions" },
  { view: "view", name: "view", label: "What a model sees" },
  { view: "lab", name: "lab", label: "Lab" },
];

function Header() {
  const at = place.value;
  return (
    <header class="top">
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
        Skip to the content
      </a>
      <nav aria-label="Pages">
        <a class="brand" href="/" aria-label="Tenfold, all conversations">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2 3h12M2 6.3h9M2 9.6h6M2 13h3" />
          </svg>
          <span>Tenfold</span>
        </a>
        {pages.filter((p) => p.where?.(meta.value) ?? true).map((p) => (
          <a key={p.to} href={p.to} aria-current={p.views.includes(at.view) ? "page" : undefined}>
            {p.label}
          </a>
        ))}
      </nav>
      <span class="space" />
      {meta.value?.read_only && (
        <span class="badge" title="tenfold serve was started with --read-only">
          read only
        </span>
      )}
      <label class="theme">
        <span class="unseen">Theme</span>
        <select value={theme.value} onChange={(e) => (theme.value = e.currentTarget.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <button class="plain" title="Keys and signs (?)" aria-label="Help" onClick={() => (helping.value = true)}>
        ?
      </button>
    </header>
  );
}

/** Tabs are the views of the conversation that is open. */
function Tabs() {
  const at = place.value;
  if (!at.id) return null;
  return (
    <nav class="tabs" aria-label="This conversation">
      {tabs.map((t) => (
        <a key={t.name} href={conversationPath(at.id, t.view)} aria-current={at.view === t.name ? "page" : undefined}>
          {t.label}
        </a>
      ))}
    </nav>
  );
}

/** Lost says that what is shown of a conversation is of the past: it was deleted, or the server no longer knows who asks. */
function Lost({ id }: { id: string }) {
  const { conversation, error } = useConversation(id);
  const e = error.value;
  if (!conversation.value || !(e instanceof Problem) || e.away) return null;
  return (
    <div class="lost" role="alert">
      {e.status === 404 ? (
        <p>
          <strong>This conversation was deleted.</strong> What you see is as it was before. <a href="/">All conversations</a>
        </p>
      ) : (
        <p>
          <strong>What you see may be out of date.</strong> {[e.message, e.detail, e.hint].filter(Boolean).join(". ")}
        </p>
      )}
    </div>
  );
}

export function Shell() {
  useKeys("Everywhere", [
    { key: "?", does: "keys and signs", run: () => (helping.value = true) },
    { key: "/", does: "search everything", run: () => go("/search") },
  ]);
  useEffect(() => {
    addEventListener("keydown", pressed);
    // Where the server is away for a moment, half of the page would be missing for good.
    let timer = 0;
    const learn = (wait: number) =>
      void call("GET /api/meta").then((m) => (meta.value = m), (e) => {
        fail(e);
        if (e instanceof Problem && (e.away || e.status === 429)) timer = window.setTimeout(learn, wait, Math.min(2 * wait, 10_000));
      });
    learn(1000);
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", pressed);
    };
  }, []);
  const at = place.value;
  const View = views[at.view];
  const page = pages.find((p) => p.views.includes(at.view))?.label;
  useEffect(() => {
    if (!at.id) document.title = page ? `${page} · Tenfold` : "Tenfold"; // a conversation gives its own
  }, [at.id, page]);
  return (
    <>
      <Header />
      <Tabs />
      {at.id && <Lost key={at.id} id={at.id} />}
      <main id="main" tabIndex={-1}>
        <View key={at.view + at.id} id={at.id} />
      </main>
      <Toasts />
      <Asking />
      <Help />
    </>
  );
}
