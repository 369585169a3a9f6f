import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { describe, expect, it } from 'vitest'
import { createRunJob } from '#handlers/services/cron/run-job.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

freshApi('alice')

const MINUTE_SECS = 60
const job = async (change: object = {}): Promise<number> => {
  const { body } = await admin.post('/api/cron', {
    account_id: 1,
    name: 'job',
    schedule: '* * * * *',
    kind: 'command',
    command: ['write', 'done', '0'],
    ...change,
  })
  if (!body.ok) throw new Error(body.error)
  return (body.data as { id: number }).id
}
const runs = (id: number) => api.store.listCronRuns(id)
const outcomes = async (id: number): Promise<string[]> =>
  (await runs(id)).map(({ outcome }) => outcome)
const started = (): string[] => api.host.cron.started.map(({ runId }) => runId)
/** The next minute, with what is begun by it and ends at once. */
const minute = async (): Promise<void> => {
  api.clock.advanceSecs(MINUTE_SECS)
  await api.app.tickCron()
}
/** Until the host was told to begin so many. */
const begun = async (count: number): Promise<void> => {
  while (started().length < count) await new Promise((resolve) => setImmediate(resolve))
}
/** Until so many runs have ended. */
const ended = async (id: number, count: number): Promise<void> => {
  while ((await runs(id)).filter(({ ended_at }) => ended_at !== null).length < count)
    await new Promise((resolve) => setImmediate(resolve))
}

describe('cron jobs and the clock', () => {
  it('run at their minute, once, whoever asks and however often', async () => {
    const id = await job()
    await Promise.all([api.app.tickCron(), api.app.tickCron()])
    expect(started()).toHaveLength(0)
    api.clock.advanceSecs(MINUTE_SECS)
    await Promise.all([api.app.tickCron(), api.app.tickCron(), api.app.tickCron()])
    // A second panel over the same records, as after a restart.
    await api.restart().tickCron()
    await ended(id, 1)
    expect(await outcomes(id)).toEqual(['ok'])
    await minute()
    await ended(id, 2)
    expect(started()).toHaveLength(2)
  })

  it('leave out what was missed, and repeat nothing after the clock went back', async () => {
    const id = await job()
    await minute()
    await ended(id, 1)
    api.clock.advanceSecs(6 * 3600)
    await api.app.tickCron()
    await ended(id, 2)
    api.clock.advanceSecs(-600)
    for (let n = 0; n < 9; n++) await minute()
    expect(started()).toHaveLength(2)
    await minute()
    await minute()
    await ended(id, 3)
  })

  it('do not run while they are off, or their account is suspended', async () => {
    const id = await job()
    await admin.send('PATCH', `/api/cron/1/${id}`, { enabled: false })
    await minute()
    await admin.send('PATCH', `/api/cron/1/${id}`, { enabled: true })
    await admin.post('/api/accounts/1/suspend', { reason: 'unpaid' })
    await minute()
    await minute()
    expect(started()).toEqual([])
    await admin.post('/api/accounts/1/unsuspend')
    await minute()
    await ended(id, 1)
    expect(started()).toHaveLength(1)
  })
})

describe('a run that has not ended when the next one is due', () => {
  const lasting = { command: ['last'] }
  it('lets the next one out', async () => {
    const id = await job(lasting)
    await minute()
    for (let n = 0; n < 8; n++) await minute()
    expect(started()).toHaveLength(1)
    // Of those that were left out a few are kept.
    expect((await outcomes(id)).sort()).toEqual([
      ...Array<string>(1).fill('running'),
      ...Array<string>(5).fill('skipped'),
    ])
  })
  it('lets one of them wait', async () => {
    const id = await job({ ...lasting, overlap: 'queue' })
    await minute()
    await minute()
    await minute()
    expect(await outcomes(id)).toEqual(['skipped', 'queued', 'running'])
    await begun(1)
    const [first = ''] = started()
    api.host.cron.finish(first, { code: 0 })
    await ended(id, 2)
    await begun(2)
    expect(await outcomes(id)).toEqual(['skipped', 'running', 'ok'])
  })
  it('is ended for it', async () => {
    const id = await job({ ...lasting, overlap: 'kill' })
    await minute()
    await begun(1)
    await minute()
    await begun(2)
    expect(await outcomes(id)).toEqual(['running', 'killed'])
    // Also where the host was not told of it yet.
    for (let n = 0; n < 3; n++) await admin.post(`/api/cron/1/${id}/run`)
    await ended(id, 4)
    const open = (await runs(id)).filter(({ ended_at }) => ended_at === null)
    expect(open).toHaveLength(1)
  })
  it('is dropped when it waits and is ended by hand', async () => {
    const id = await job({ ...lasting, overlap: 'queue' })
    await minute()
    await minute()
    const [waiting] = await runs(id)
    await admin.post(`/api/cron/1/${id}/runs/${waiting?.id}/stop`)
    expect(await outcomes(id)).toEqual(['skipped', 'running'])
    expect(started()).toHaveLength(1)
  })
})

describe('changes at the same moment', () => {
  it('leave a job whose kind and command belong together', async () => {
    const id = await job({ kind: 'shell', command: 'echo a' })
    const path = `/api/cron/1/${id}`
    const read = api.store.cronJob.bind(api.store)
    // Another change comes between what this one reads and what it writes.
    const between = { kind: 'command', command: ['write', 'b', '0'] }
    let isFirst = true
    api.store.cronJob = async (wanted) => {
      const row = await read(wanted)
      if (isFirst) {
        isFirst = false
        expect((await admin.send('PATCH', path, between)).status).toBe(200)
      }
      return row
    }
    expect((await admin.send('PATCH', path, { command: 'echo c' })).status).toBe(200)
    expect((await admin.get('/api/cron')).body.data).toEqual([
      expect.objectContaining({ kind: 'shell', command: 'echo c' }),
    ])
  })
})

describe('what becomes of runs', () => {
  it('tells after as many failures in a row as it was asked to, once', async () => {
    const id = await job({ command: ['write', 'no', '3'], notify_after: 2 })
    const events = async (): Promise<unknown[]> =>
      (await api.store.dueEvents(Math.floor(api.clock.nowMs() / 1000) + 1, 100))
        .filter(({ ending }) => ending === 'cron.failed:done')
        .map(({ data }) => data)
    for (let n = 1; n <= 3; n++) {
      await minute()
      await ended(id, n)
      await admin.get('/api/cron')
    }
    while ((await api.store.cronJob(id))?.failures !== 3)
      await new Promise((resolve) => setImmediate(resolve))
    expect(await events()).toEqual([expect.objectContaining({ job_id: id, failures: 2 })])
    await admin.send('PATCH', `/api/cron/1/${id}`, { command: ['write', 'yes', '0'] })
    expect(await api.store.cronJob(id)).toMatchObject({ failures: 0 })
  })

  it('forgets the pages of the sites when a job may have published something', async () => {
    const id = await job({ kind: 'shell', command: 'write wp-cron.php 0' })
    const purges = (): number => api.host.calls.filter((call) => call === 'webServer.purge').length
    const before = purges()
    await minute()
    await ended(id, 1)
    expect(purges()).toBe(before + 1)
    const other = await job({ kind: 'shell', command: 'write tidy 0' })
    await minute()
    await ended(other, 1)
    // That of the first job, once more.
    await ended(id, 2)
    expect(purges()).toBe(before + 2)
  })

  it('asks no address of an account that was suspended while the run waited', async () => {
    const id = await job({ kind: 'url', command: 'https://own.example/', schedule: '0 0 1 1 *' })
    const asked: string[] = []
    const nothing = (): void => undefined
    const runner = createRunJob({
      ...{ store: api.store, clock: api.clock },
      host: aloneHost(api.host.ports),
      log: { info: nothing, warn: nothing, error: nothing },
      background: { run: nothing },
      addresses: {
        async get(url) {
          asked.push(url)
          return { status: 200, body: '' }
        },
      },
    })
    const run = async (runId: string): Promise<unknown> => {
      const queued = { outcome: 'queued' as const, code: null, output: '', started_at: null }
      const row = { ...queued, id: runId, job_id: id, due_at: '2026-01-01 00:00:00', by_hand: true }
      await api.store.beginCronRun({ ...row, ended_at: null }, undefined)
      const found = await api.store.cronJob(id)
      if (found !== null) await runner.run(found, { ...row, ended_at: null })
      return (await runs(id)).find((one) => one.id === runId)
    }
    expect(await run('first')).toMatchObject({ outcome: 'ok' })
    await admin.post('/api/accounts/1/suspend', { reason: 'unpaid' })
    expect(await run('second')).toMatchObject({
      outcome: 'failed',
      output: expect.stringContaining('suspended'),
    })
    expect(asked).toEqual(['https://own.example/'])
  })

  it('takes up after a restart what the host still runs, and gives up what it does not', async () => {
    const first = await job({ command: ['last'] })
    await minute()
    await begun(1)
    const [run = ''] = started()
    const app = api.restart()
    await app.takeUpCron()
    api.host.cron.finish(run, { code: 0, output: 'after all' })
    await ended(first, 1)
    expect((await runs(first))[0]).toMatchObject({ outcome: 'ok', output: 'after all' })
    await minute()
    await begun(2)
    api.host.cron.restart()
    await api.restart().takeUpCron()
    await ended(first, 2)
    expect((await runs(first))[0]).toMatchObject({ outcome: 'lost' })
  })
})
