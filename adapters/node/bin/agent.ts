import { parseArgs } from 'node:util'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { startAgent } from '../agent/compose-agent.ts'
import type { RunningAgent } from '../agent/compose-agent.ts'
import { loadConfig } from '../config/load-config.ts'
import { createLog } from '../process/create-log.ts'
import { loadIdentities } from '../process/identities.ts'

/** Entry of the root agent: `node adapters/node/bin/agent.ts --config FILE`. */
const log = createLog('agent')
/** Just below the supervisor's patience. */
const STOP_DEADLINE_MS = 14_000

const giveUp = (message: string): void => {
  log.error(message)
  if (process.send) process.send({ type: 'failed', message }, () => process.exit(1))
  else process.exit(1)
}

/** Throws with a text for people. */
const readConfig = async (): Promise<ServerConfig> => {
  const { values } = parseArgs({ options: { config: { type: 'string' } } })
  if (values.config === undefined) throw new Error('Say which configuration to use: --config FILE')
  const loaded = await loadConfig(values.config)
  if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
  return loaded.config
}
const start = async (): Promise<RunningAgent> =>
  startAgent(await readConfig(), loadIdentities(), log, readConfig)

/** Virtual hosts by hand may have come, gone or changed their PHP, and backup targets. */
const reload = async (): Promise<void> => {
  const agent = await running
  agent.take(await readConfig())
}

process.umask(0o022)
const running = start()

let stopping = false
const stop = async (): Promise<void> => {
  if (stopping) return
  stopping = true
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
  await running.then((agent) => agent.stop())
  process.exit(0)
}
const orLog = (error: unknown): void => giveUp(`The agent did not stop: ${String(error)}`)

// The terminal's Ctrl+C is the supervisor's alone.
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => {
  reload().catch((error: unknown) => {
    log.error('the configuration was not reloaded', { error: String(error) })
  })
})
// Its log is the supervisor's to reopen. Without a listener Node would open a debugger to whoever connects.
process.on('SIGUSR1', () => undefined)
process.on('SIGTERM', () => void stop().catch(orLog))
// Without the supervisor nobody would restart or stop us, nor those we started.
process.on('disconnect', () => void stop().catch(orLog))

running.then(
  () => {
    process.send?.({ type: 'ready' })
    log.info('the agent serves')
  },
  (error: unknown) => giveUp(error instanceof Error ? error.message : String(error)),
)
