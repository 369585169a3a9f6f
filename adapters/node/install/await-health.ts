import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import {
  formatIdentity,
  isSameProcessAlive,
  readIdentityFile,
} from '../process/process-identity.ts'
import { unixFetch } from '../process/unix-fetch.ts'

const POLL_MS = 250
/** A version that serves must go on doing so for this long. */
const STEADY_MS = 2000

const NAMES = ['supervisor', 'agent', 'panel', 'web'] as const
/** These run from the copy itself; the supervisor may be started through \`current\`. */
const CHILDREN: readonly string[] = ['agent', 'panel', 'web']

/** The processes that serve, as one text; null while one is missing or runs from another copy. */
const processesOf = ({ paths }: ServerConfig, appDir: string): string | null => {
  const found: string[] = []
  for (const name of NAMES) {
    const identity = readIdentityFile(join(paths.run_dir, `${name}.pid`))
    if (identity === null || !isSameProcessAlive(identity)) return null
    try {
      const command = readFileSync(`/proc/${identity.pid}/cmdline`, 'utf8')
      if (CHILDREN.includes(name) && !command.includes(`${appDir}/`)) return null
    } catch {
      return null
    }
    found.push(formatIdentity(identity))
  }
  return found.join('')
}

const isOk = async (call: () => Promise<Response>): Promise<boolean> => {
  try {
    return (await call()).status === 200
  } catch {
    return false
  }
}

/** Panel, store and agent answer, and the web server does. */
const answers = async ({ paths, api }: ServerConfig): Promise<boolean> => {
  const panel = unixFetch(join(paths.run_dir, 'panel-cli.sock'), { timeoutMs: 10_000 })
  const [management] = api.listen
  return (
    (await isOk(() => panel(new Request('http://panel/api/accounts')))) &&
    (await isOk(() => panel(new Request('http://panel/api/system/info')))) &&
    (management === undefined ||
      (await isOk(() =>
        fetch(`http://${management}/health`, { signal: AbortSignal.timeout(10_000) }),
      )))
  )
}

/**
 * Waits until every process of this copy serves and goes on serving. Rejects when
 * the time is over, or when it is plain that it never will.
 */
export const awaitHealth = async (
  config: ServerConfig,
  appDir: string,
  timeoutMs: number,
): Promise<void> => {
  const begun = performance.now()
  let everRan = false
  while (performance.now() - begun < timeoutMs) {
    const before = processesOf(config, appDir)
    if (before !== null && (await answers(config))) {
      await setTimeout(STEADY_MS)
      if (processesOf(config, appDir) === before && (await answers(config))) return
    }
    const supervisor = readIdentityFile(join(config.paths.run_dir, 'supervisor.pid'))
    const alive = supervisor !== null && isSameProcessAlive(supervisor)
    if (everRan && !alive) throw new Error('it ended')
    everRan ||= alive
    await setTimeout(POLL_MS)
  }
  throw new Error(`it does not serve after ${timeoutMs / 1000} s`)
}
