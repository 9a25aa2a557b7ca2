// Written by "tenfold install claude-code"; "tenfold uninstall claude-code" removes
// it. It carries events to the tenfold program and answers back, and decides
// nothing. Whatever fails here, Claude Code does what it does without Tenfold.

const programs = ['tenfold']
const limit = 15_000 // ms; tenfold itself answers within 10 s
const clip = 200 // of a text, enough to know it again
const large = 20_000 // a result below that many characters is never shortened

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
  // Our own wish, where it comes to nothing, is not worth a model call.
  const cold = next.origin?.plugin === 'tenfold-cold'
  const { breakdown } = e.agentId ? {} : (await $.session.usage({ breakdown: 'summary' })).context // the main loop's
  const answer = await ask($, 'session.compact', {
    agent: e.agentId, trigger: cold ? 'cold' : e.trigger, focus: e.instructions,
    window: breakdown?.rawMaxTokens, rows: e.messages.map(row),
  })
  if (typeof answer.skip === 'string') return { skip: answer.skip }
  if (!Array.isArray(answer.messages) || answer.messages.length === 0) {
    return cold ? { skip: 'Tenfold has nothing to shorten' } : next(e)
  }
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

export function register(on) {
  on('session.compact', compact)
  on('tool.call', trim)
}
