import { expect, it } from 'vitest'
import type { WorkerStart } from '#adapters/node/web-server/workers/messages.ts'
import { WorkerPool } from '#adapters/node/web-server/workers/worker-pool.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

it('a worker that does not serve in time is given up, and the sentence names the setting', async () => {
  let limitMs = 0
  const pool = new WorkerPool({
    count: 1,
    fds: [],
    // It is ended before it could read this.
    start: () => ({}) as Omit<WorkerStart, 'heartbeatFd'>,
    startLimitMs: () => limitMs,
    onMessage: () => null,
    onExit: () => undefined,
    log: silent,
  })
  limitMs = 20
  await expect(pool.start()).rejects.toThrow(
    'A worker did not serve within 0.02 s of its start. If this machine is that slow, give it more: worker_start_secs in [server].',
  )
  expect(pool.alive).toEqual([])
})
