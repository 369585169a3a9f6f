/** The web server's primary process: `node web.ts --config <file>`. */
import { parseArgs } from 'node:util'
import { startPrimary, type RunningPrimary } from '../web-server/compose-primary.ts'
import { createLog } from '../process/create-log.ts'

const log = createLog('web')
/** Signals closer together than this are one. */
const SAME_SIGNAL_MS = 100
const { values } = parseArgs({ options: { config: { type: 'string' } } })

const exitWith = (message: string): void => {
  log.error(message)
  if (process.send === undefined) process.exit(1)
  process.send({ type: 'failed', message }, () => process.exit(1))
}

let running: RunningPrimary | null = null
let stoppingSinceMs: number | null = null

/** Called again it ends what is still draining. */
const stop = async (): Promise<void> => {
  if (stoppingSinceMs !== null) {
    // Some senders signal twice at once, to the group and to the process.
    if (performance.now() - stoppingSinceMs < SAME_SIGNAL_MS) return
    log.warn('stopping at once; requests under way are broken off')
    return running?.kill()
  }
  stoppingSinceMs = performance.now()
  await running?.stop()
  process.exit(0)
}

// The supervisor is gone; its next run starts its own web server. Workers end with this process.
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => {
  // Ctrl+C is the supervisor's to react to; without one it means stop.
  if (process.env['BERTH_SUPERVISED'] === undefined) void stop()
})
process.on('SIGUSR1', () => running?.reopenLogs())
process.on('SIGHUP', () => {
  running?.reload().catch((error: unknown) => {
    log.error('the configuration was not reloaded', { error: String(error) })
  })
})

if (values.config === undefined) exitWith('Name the configuration with --config <file>.')
else {
  startPrimary(values.config, process.env['BERTH_LISTEN']).then(
    (primary) => {
      running = primary
      process.send?.({ type: 'ready' })
    },
    (error: unknown) => exitWith(error instanceof Error ? error.message : String(error)),
  )
}
