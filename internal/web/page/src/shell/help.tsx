import { signal } from "@preact/signals";
import { offered } from "./keys";
import { Dialog } from "../parts/dialog";
import { FateSign, fates, fateMeaning } from "../parts/fate";

/** helping is set while the help is shown. */
export const helping = signal(false);

export function Help() {
  if (!helping.value) return null;
  return (
    <Dialog title="Keys and signs" close={() => (helping.value = false)}>
      <div class="help">
        {offered.value.map((table) => (
          <section key={table.title}>
            <h3>{table.title}</h3>
            <dl>
              {table.keys.filter((k) => k.does).map((k) => (
                <div key={k.key}>
                  <dt>
                    <kbd>{k.key === " " ? "Space" : k.key.replace("Arrow", "")}</kbd>
                  </dt>
                  <dd>{k.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>What became of an entry</h3>
          <dl>
            {fates.map((f) => (
              <div key={f}>
                <dt>
                  <FateSign fate={f} />
                </dt>
                <dd>
                  {f}: {fateMeaning[f]}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
