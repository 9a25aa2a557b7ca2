// Tenfold's plug-in for opencode. It carries bytes; "tenfold hook opencode" decides.
// Written by "tenfold install opencode"; "tenfold uninstall opencode" removes it.
const commands = ["tenfold"]
const limit = 12_000 // milliseconds, after which opencode goes on without Tenfold
const small = 16_384 // characters of a tool's result, up to which nothing is shortened

// ask runs "tenfold hook opencode EVENT"; undefined when that failed or took too long.
async function ask(name, event) {
  for (const command of commands) {
    try {
      const child = Bun.spawn([command, "hook", "opencode", name], { stdin: "pipe", stdout: "pipe", stderr: "ignore" })
      const timer = setTimeout(() => child.kill("SIGKILL"), limit)
      child.stdin.write(JSON.stringify(event))
      child.stdin.end()
      return JSON.parse(await new Response(child.stdout).text().finally(() => clearTimeout(timer)))
    } catch (e) {
      if (e?.code !== "ENOENT") return undefined // there, but it failed
    }
  }
}

const length = (p) => (p.text?.length ?? 0) + (p.state?.output?.length ?? 0) + JSON.stringify(p.state?.input ?? "").length
const size = (messages) => messages.reduce((n, m) => n + m.parts.reduce((n, p) => n + length(p), 0), 0)
const asks = (m) => m.parts.some((p) => p.type === "compaction")
const taken = (globalThis[Symbol.for("tenfold")] ??= new WeakSet()) // by a copy of this plug-in: there may be one for the user, one for the project

export const Tenfold = async ({ client, directory }) => {
  const texts = new Map() // by session that opencode compacts, what is stored in place of a summary; "": let it
  const models = new Map()
  let busy = 0 // until when requests do not wait for Tenfold, as they did for nothing: its store is locked, say

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
    const { id, tokens: t, time } = messages[at]?.info ?? {}
    return {
      session, dir: directory, counted: id, used: t ? t.input + t.output + (t.cache?.read ?? 0) + (t.cache?.write ?? 0) : 0,
      since: size(messages.slice(Math.max(at, 0))), ended: time?.completed ?? 0,
      model: await limits(messages.findLast((m) => m.info.role === "user")?.info.model),
      messages: messages.map(({ info, parts }) => ({
        id: info.id, role: info.role, summary: info.summary === true, compaction: asks({ parts }),
      })),
    }
  }

  async function whole(session) {
    const path = { id: session }
    return { info: (await client.session.get({ path })).data, all: (await client.session.messages({ path })).data }
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

  // kept goes on with the view that Tenfold kept of the session, for when it cannot be asked.
  async function kept(session, messages) {
    const name = new Bun.CryptoHasher("sha256").update(session).digest("hex").slice(0, 24)
    const { env: e, platform } = process // where the program keeps its data
    const data = /^(\/|\w:)/.test(e.XDG_DATA_HOME) ? e.XDG_DATA_HOME : (platform === "win32" && e.LocalAppData) || `${e.HOME}/${platform === "darwin" ? "Library/Application Support" : ".local/share"}`
    const { view, upto, asked } = await Bun.file(`${data}/tenfold/opencode/${name}.json`).json()
    const newer = messages.filter((m) => m.info.id > upto)
    if (!view?.length || newer.some((m) => asks(m) && !asked?.includes(m.info.id))) return undefined
    return build([...view, ...newer.filter((m) => !asks(m) && m.info.summary !== true).map((m) => m.info.id)], messages, session)
  }

  async function transform(messages) {
    const session = messages[0]?.info.sessionID
    if (!session || texts.has(session)) return texts.get(session) && messages.splice(0) // opencode asks for a summary
    const event = await told(session, messages)
    const began = performance.now() // no clock, which may be set back
    let answer = began < busy ? undefined : await ask("messages", event)
    if (answer?.send) answer = await ask("session", { ...event, why: answer.send, ...(await whole(session)) })
    if (!answer?.raw && !answer?.view && performance.now() - began > limit / 2) busy = performance.now() + 60_000
    if (answer?.raw) return
    const made = (answer?.view && build(answer.view, messages, session)) ?? (await kept(session, messages))
    if (made) messages.splice(0, messages.length, ...made)
    say(answer?.line)
  }

  const safely = (hook) => async (input, output) => taken.has(output) || (taken.add(output) && hook(input, output).catch(() => {})) // one that throws would end the turn
  return {
    "experimental.chat.messages.transform": safely(async (_, { messages }) => transform(messages)),
    "experimental.session.compacting": safely(async ({ sessionID }, output) => {
      texts.set(sessionID, "")
      const all = await whole(sessionID)
      const answer = await ask("compacting", { ...(await told(sessionID, all.all)), ...all })
      texts.set(sessionID, answer?.text ?? "")
      output.prompt = answer?.prompt ?? output.prompt
      say(answer?.line)
    }),
    "experimental.text.complete": safely(async ({ sessionID }, output) => {
      output.text = texts.get(sessionID) || output.text
      texts.delete(sessionID)
    }),
    "tool.execute.after": safely(async ({ tool, sessionID, callID, args }, output) => {
      const event = { session: sessionID, dir: directory, tool, call: callID, args, output: output.output }
      if (output.output?.length > small) output.output = (await ask("tool", event))?.output ?? output.output
    }),
    event: async ({ event: { type, properties } }) => /^session\.(idle|error)$/.test(type) && texts.delete(properties?.sessionID),
  }
}
