// Written by "tenfold install claude-code"; "tenfold uninstall claude-code" removes
// it. It asks for a compaction between turns when the provider's prompt cache is
// cold anyway. It is apart from the plug-in "tenfold", which answers: Claude Code
// does not show a plug-in the compactions that it asks for itself.

const programs = ['tenfold']
const limit = 15_000 // ms; tenfold itself answers within 10 s
const lifetime = 310_000 // ms after which the provider's prompt cache is cold

let timer

// worth asks tenfold; whatever fails, it is not.
async function worth($) {
  const { version } = await $.session.version()
  const { window } = (await $.session.usage()).context
  const facts = { version, session: await $.session.id(), dir: await $.session.cwd(), window }
  try {
    facts.transcript = (await $.session.info()).transcriptPath
  } catch {} // older versions do not tell
  for (const program of programs) {
    const begun = Date.now()
    try {
      const argv = [program, 'hook', 'claude-code', 'session.cold']
      const run = await $.process.run(argv, { stdin: JSON.stringify(facts), timeoutMs: limit })
      return run.exitCode === 0 && JSON.parse(run.stdout)?.compact === true
    } catch (err) {
      if (err instanceof SyntaxError || Date.now() - begun >= limit) return false
    }
  }
  return false
}

async function chill($) {
  try {
    if (await worth($)) await $.session.compact({})
  } catch {} // a turn has begun meanwhile
}

function later($, ms) {
  timer?.cancel()
  timer = $.clock.after(ms, () => void chill($))
}

export function register(on) {
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
