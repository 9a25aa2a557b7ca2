// Tenfold's plug-in for opencode. All it does is carry bytes: "tenfold hook opencode" decides.
// Written by "tenfold install opencode"; "tenfold uninstall opencode" removes it.
const commands = ["tenfold"]
const limit = 12_000 // milliseconds, after which opencode goes on without Tenfold
const large = 16_384 // characters of a tool's result, from which on Tenfold is asked about it

// ask runs "tenfold hook opencode EVENT"; undefined when that failed or took too long.
async function ask(name, event) {
  for (const command of commands) {
    try {
      const child = Bun.spawn([command, "hook", "opencode", name], {
        stdin: "pipe", stdout: "pipe", stderr: "ignore", cwd: event.dir,
      })
      const timer = setTimeout(() => child.kill("SIGKILL"), limit)
      try {
        child.stdin.write(JSON.stringify(event))
        child.stdin.end()
        const out = await new Response(child.stdout).text()
        await child.exited
        return JSON.parse(out)
      } finally {
        clearTimeout(timer)
      }
    } catch (e) {
      if (e?.code === "ENOENT") continue // not there: the next one
      return undefined
    }
  }
}

const length = (part) =>
  (part.text?.length ?? 0) + (part.state?.output?.length ?? 0) + (part.state?.input ? JSON.stringify(part.state.input).length : 0)
const size = (messages) => messages.reduce((n, m) => m.parts.reduce((n, p) => n + length(p), n), 0)

export const Tenfold = async ({ client, directory }) => {
  const views = new Map() // by session, the last view: it goes on where Tenfold fails
  const texts = new Map() // by session, what is stored in place of a summary
  const models = new Map()

  async function limits(model) {
    const key = `${model?.providerID}/${model?.modelID}`
    if (!models.has(key)) {
      const { data } = await client.config.providers()
      models.set(key, data?.providers?.find((p) => p.id === model?.providerID)?.models?.[model?.modelID]?.limit ?? {})
    }
    return models.get(key)
  }

  async function told(session, messages) {
    const at = messages.findLastIndex((m) => m.info.role === "assistant" && !m.info.summary && m.info.tokens?.output > 0)
    const { info } = messages[at] ?? {}
    const t = info?.tokens
    return {
      session, dir: directory, used: t ? t.input + t.output + (t.cache?.read ?? 0) + (t.cache?.write ?? 0) : 0,
      since: size(messages.slice(Math.max(at, 0))), ended: info?.time?.completed ?? 0,
      model: await limits(messages.findLast((m) => m.info.role === "user")?.info.model),
      messages: messages.map((m) => ({
        id: m.info.id, role: m.info.role, summary: m.info.summary === true, compaction: m.parts.some((p) => p.type === "compaction"),
      })),
    }
  }

  async function whole(session) {
    const path = { id: session }
    const [info, all] = await Promise.all([client.session.get({ path }), client.session.messages({ path })])
    return { info: info.data, all: all.data }
  }

  const say = (message) => message && client.tui.showToast({ body: { message, variant: "info" } }).catch(() => {})

  // build makes messages of a view; undefined when one that it names is not there.
  function build(view, messages, session) {
    const at = new Map(messages.map((m) => [m.info.id, m]))
    const model = messages.findLast((m) => m.info.role === "user")?.info.model
    const made = view.map((v) => {
      if (typeof v === "string") return at.get(v)
      if (v.info) return { info: { sessionID: session, ...model, model, ...v.info }, parts: v.parts }
      const m = at.get(v.id)
      return m && { ...m, parts: [...v.before, ...m.parts] }
    })
    return made.every(Boolean) ? made : undefined
  }

  async function transform(messages) {
    const session = messages[0]?.info.sessionID
    if (!session) return
    if (texts.has(session)) return messages.splice(0) // opencode asks for a summary, which is there
    const event = await told(session, messages)
    let answer = await ask("messages", event)
    if (answer?.send) answer = await ask("session", { ...event, why: answer.send, ...(await whole(session)) })
    if (answer?.view) views.set(session, { view: answer.view, last: event.messages.at(-1).id })
    else if (answer?.raw) views.delete(session)
    const kept = views.get(session)
    if (!kept) return
    const last = messages.findIndex((m) => m.info.id === kept.last)
    const made = last >= 0 && build([...kept.view, ...messages.slice(last + 1).map((m) => m.info.id)], messages, session)
    if (made) messages.splice(0, messages.length, ...made)
    say(answer?.line)
  }

  // A hook that throws would end the person's turn.
  const safely = (hook) => (input, output) => hook(input, output).catch(() => {})

  return {
    "experimental.chat.messages.transform": safely(async (_, output) => transform(output.messages)),
    "experimental.session.compacting": safely(async ({ sessionID }, output) => {
      const all = await whole(sessionID)
      const answer = await ask("compacting", { ...(await told(sessionID, all.all)), why: "manual", ...all })
      if (!answer?.text) return
      texts.set(sessionID, answer.text)
      output.prompt = answer.prompt
      say(answer.line)
    }),
    "experimental.text.complete": safely(async ({ sessionID }, output) => {
      if (!texts.has(sessionID)) return
      output.text = texts.get(sessionID)
      texts.delete(sessionID)
    }),
    event: safely(async ({ event }) => {
      if (event.type === "session.idle" || event.type === "session.error") texts.delete(event.properties?.sessionID)
    }),
  }
}
