import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRollbackRetries } from '#adapters/node/agent/backups/rollback-retries.ts'

const KEY = { id: 'op-1', kind: 'backups.restore', subject: 'alice' }

describe('restores that could not be put back', () => {
  let lines: string[] = []
  const note = (message: string, fields?: Record<string, unknown>): void =>
    void lines.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const log = { info: note, warn: note, error: note }
  beforeEach(() => {
    lines = []
    vi.useFakeTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it('are tried again in pauses that double up to five minutes, until it succeeds', async () => {
    const atSecs: number[] = []
    const startMs = Date.now()
    const attempt = vi.fn(async () => {
      atSecs.push((Date.now() - startMs) / 1000)
      if (atSecs.length < 9) throw new Error('the server is away')
    })
    const retries = createRollbackRetries({ attempt, log })
    const reason = new Error('the restore failed')
    retries.add(KEY, reason)
    retries.add(KEY, reason)
    await vi.advanceTimersByTimeAsync(10 * 3_600_000)
    const pauses = atSecs.map((secs, at) => secs - (atSecs[at - 1] ?? 0))
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
    expect(attempt).toHaveBeenCalledWith(KEY, reason)
    expect(lines.filter((line) => line.includes('the server is away'))).toHaveLength(8)
    expect(lines.at(-1)).toContain('an earlier restore was put back {"username":"alice"')
  })

  it('are left alone after stop, which waits for an attempt under way', async () => {
    const { promise, reject } = Promise.withResolvers<undefined>()
    const attempt = vi.fn(() => promise)
    const retries = createRollbackRetries({ attempt, log })
    retries.add(KEY, null)
    await vi.advanceTimersByTimeAsync(5000)
    retries.add({ ...KEY, id: 'op-2' }, null)
    let stopped = false
    const stopping = retries.stop().then(() => (stopped = true))
    await vi.advanceTimersByTimeAsync(1000)
    expect(stopped).toBe(false)
    reject(new Error('ended'))
    await stopping
    retries.add(KEY, null)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})
