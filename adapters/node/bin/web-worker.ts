/** A worker of the web server; started by its primary only, which tells it everything over IPC. */
import { startWorker, type Worker } from '../web-server/compose-worker.ts'
import type { ToPrimary, ToWorker } from '../web-server/workers/messages.ts'
import { ProcessChannel } from '../web-server/workers/process-channel.ts'

// The primary is gone: whoever replaces it starts its own workers.
process.on('disconnect', () => process.exit(0))
// These reach the whole process group; the primary decides what they mean.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

let worker: Promise<Worker> | null = null

const channel: ProcessChannel<ToPrimary, ToWorker> = new ProcessChannel(
  process,
  async (message) => {
    if (message.type === 'start') {
      worker = startWorker(message.start, channel)
      await worker
      return null
    }
    if (worker === null) throw new Error('The worker was not started.')
    return (await worker).handle(message)
  },
)
