// Written by "tenfold install claude-code"; "tenfold uninstall claude-code" removes
// it. It carries events to the tenfold program and answers back, and decides
// nothing. Whatever fails here, Claude Code does what it does without Tenfold.

const programs = ['tenfold']
const limit = 15_000 // ms; tenfold itself answers within 10 s
const clip = 200 // of a text, enough to know it again
const large = 20_000 // a result below that many characters is never shortened
const lifetime = 310_000 // ms after which the provider's prompt cache is cold

let cold = false // a compaction that is under way is ours
let timer

// ask runs tenfold for an event; {} is nothing to say.
async function ask($, event, input) {
  try {
    const stdin = JSON.stringify({ ...(await facts($)), ...input })
    for (const program of programs) {
      const begun = Date.now()
      try {
        const argv = [program, 'hook', 'claude-code', event]
        const run = await $.process.run(argv, { stdin, timeoutMs: limit })
        return run.exitCode === 0 && !run.isStdoutTruncated ? JSON.parse(run.stdout) ?? {} : {}
      } catch (err) {
        if (err instanceof SyntaxError || Date.now() - begun >= limit) return {}
      }
    }
  } catch {}
  return {}
}

// facts say which session it is. Older versions do not tell the file.
async function facts($) {
  let transcript
  try {
    transcript = (await $.session.info()).transcriptPath
  } catch {}
  const { version } = await $.session.version()
  return { version, session: await $.session.id(), dir: await $.session.cwd(), transcript }
}

// row tells a message apart from the others of the conversation, and its size.
function row(m) {
  const results = m.toolResults ?? []
  const parts = [m.text, ...results.map(r => r.text), ...m.toolUses.map(u => JSON.stringify(u.input))]
  const text = m.role === 'user' ? parts.join('').slice(0, clip) : ''
  return { h: m.handle, r: m.role, t: text, n: parts.reduce((n, p) => n + p.length, 0), d: results.map(r => r.tool_use_id) }
}

async function compact($, e, next) {
  const { window } = e.agentId ? {} : (await $.session.usage()).context // which is the main loop's
  const answer = await ask($, 'session.compact', {
    agent: e.agentId, trigger: cold ? 'cold' : e.trigger, focus: e.instructions, window, rows: e.messages.map(row),
  })
  if (typeof answer.skip === 'string') return { skip: answer.skip }
  if (!Array.isArray(answer.messages) || answer.messages.length === 0) return next(e)
  if (answer.line) $.ui.toast(answer.line, { timeoutMs: 10_000 })
  return { messages: answer.messages.map(m => (m.keep === undefined ? { text: '', toolUses: [], ...m } : e.messages[m.keep])) }
}

// trim shortens a large result before a model sees it; the original is stored.
async function trim($, e, next) {
  const r = await next(e)
  if (r.deny !== undefined || r.isError || typeof r.text !== 'string' || r.text.length < large) return r
  const answer = await ask($, 'tool.call', { agent: e.agentId, tool: e.tool, call: e.tool_use_id, text: r.text, result: r.result })
  return answer.result === undefined ? r : { result: answer.result, context: r.context }
}

// chill compacts while the prompt cache is cold anyway, between turns.
async function chill($) {
  const answer = await ask($, 'session.cold', {})
  if (answer.compact !== true) return
  cold = true
  try {
    await $.session.compact({})
  } catch {
  } finally {
    cold = false
  }
}

function later($, ms) {
  timer?.cancel()
  timer = $.clock.after(ms, () => void chill($))
}

export function register(on) {
  on('session.compact', compact)
  on('tool.call', trim)
  on('session.start', ($, e, next) => {
    if (e.isInteractive) later($, 1)
    return next(e)
  })
  on('turn.start', ($, e, next) => {
    if (e.agentId === undefined) timer?.cancel()
    return next(e)
  })
  on('turn.complete', ($, e, next) => {
    if (e.agentId === undefined) later($, lifetime)
    return next(e)
  })
}
