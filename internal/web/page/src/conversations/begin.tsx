// What an empty store says to whoever opens the page first.
import { meta } from "../shell/shell";
import { Command } from "../help/command";

export function Begin() {
  return (
    <div class="con-begin">
      <h2>No conversations yet</h2>
      <p>
        Tenfold shows what your agents' conversations cost and what a model sees of them, shortens them, and takes that back. It reads the
        sessions that agents keep on this machine; their files are not changed. Run one of these in a terminal; the list fills by itself.
      </p>
      <ol>
        <li>
          <h3>See what one session could do without</h3>
          <Command text="tenfold compact session.jsonl" />
          <p class="soft">Without a file, you pick one of the sessions on this machine.</p>
        </li>
        <li>
          <h3>Bring in all sessions of an agent</h3>
          <Command text="tenfold conversation import --from claude-code" />
          <p class="soft">Also codex, opencode, gemini-cli, pi, cline, copilot-cli and more. Importing again adds only what is new.</p>
        </li>
        <li>
          <h3>Run an agent whose conversations are compacted while it works</h3>
          <Command text="tenfold run claude" />
          <p class="soft">Also codex, gemini, opencode and pi. Watch it here.</p>
        </li>
      </ol>
      {meta.value?.agent && !meta.value.read_only && <p>Or talk to an agent here: <strong>New conversation</strong>, above.</p>}
    </div>
  );
}
