// First of all: closes what was inherited, before anything else opens files.
import '../supervisor/close-inherited.ts'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { loadConfig } from '../config/load-config.ts'
import { requireRootOwner } from '../layout/require-root-owner.ts'
import { Supervisor } from '../supervisor/supervisor.ts'

/** Entry of `berth serve`: `node adapters/node/bin/supervisor.ts --config FILE`. */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
/** 2: the command line or the configuration is wrong. */
const giveUp = (text: string): never => {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}
// Whoever reads our output may go away; that is no reason to stop serving.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
process.umask(0o022)

const { values } = parseArgs({ options: { config: { type: 'string' } } })
if (values.config === undefined) giveUp('Say which configuration to use: --config FILE')
const file = resolve(values.config ?? '')
const unsafe = requireRootOwner(file)
if (unsafe !== null) giveUp(unsafe)
const loaded = await loadConfig(file)
if (!loaded.ok) {
  const lines = loaded.problems.map((problem) => `  ${describeProblem(problem)}`)
  giveUp(`The configuration has mistakes; nothing was started:\n${lines.join('\n')}`)
} else {
  const productDir = resolve(import.meta.dirname, '../../..')
  const supervisor = new Supervisor({ config: loaded.config, productDir, print })
  let stoppingSinceMs = 0
  const stop = async (why: string): Promise<void> => {
    // A terminal and npm both hand on the same Ctrl+C; only a later one is a second one.
    if (supervisor.isStopping && performance.now() - stoppingSinceMs < 1000) return
    stoppingSinceMs = performance.now()
    print(supervisor.isStopping ? `Stopping at once (${why}).` : `Stopping (${why}).`)
    await supervisor.stop()
    process.exit(0)
  }
  process.on('SIGINT', () => void stop('SIGINT'))
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('disconnect', () => void stop('the program that started it has ended'))
  process.on('SIGHUP', () => void supervisor.reload())
  process.on('SIGUSR1', () => supervisor.reopenLogs())
  try {
    await supervisor.start()
    process.send?.({ type: 'ready' })
  } catch (error) {
    if (!supervisor.isStopping) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      await supervisor.stop()
      process.exit(1)
    }
  }
}
