import { beforeAll, expect, test } from 'vitest'
import type { Answer, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const JOB = {
  name: 'tidy',
  schedule: '*/5 * * * *',
  kind: 'command',
  command: ['write', 'done', '0'],
}

interface Run {
  id: string
  outcome: string
  output: string
  ended_at: string | null
}

/** Cron jobs of accounts. */
export const cronContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('cron', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })
    const make = async (change: object = {}): Promise<number> => {
      const { body } = await shared.admin.post('/api/cron', { account_id: 1, ...JOB, ...change })
      if (!body.ok) throw new Error(body.error)
      return (body.data as { id: number }).id
    }
    const runsOf = async (id: number): Promise<Run[]> =>
      (await shared.admin.get(`/api/cron/1/${id}/runs`)).body.data as Run[]
    /** Polled: the answer to "run now" comes when the run begins. */
    const ended = async (id: number, runId: string): Promise<Run> => {
      for (;;) {
        const run = (await runsOf(id)).find((one) => one.id === runId)
        if (run !== undefined && run.ended_at !== null) return run
      }
    }
    const idOf = ({ body }: Answer): string => (body.data as { id: string }).id

    test('a job is made with what is usual, shown, changed and removed', async () => {
      const { status, body } = await shared.admin.post('/api/cron', { account_id: 1, ...JOB })
      expect([status, body.data]).toEqual([
        200,
        {
          id: expect.any(Number),
          account_id: 1,
          ...JOB,
          time_zone: 'UTC',
          enabled: true,
          time_limit_secs: 3600,
          overlap: 'skip',
          notify_after: 3,
          failures: 0,
          next_at: expect.stringMatching(/:[0-5][05]:00$/),
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ])
      const { id } = body.data as { id: number }
      const path = `/api/cron/1/${id}`
      expect((await shared.admin.get(path)).body.data).toEqual(body.data)
      const off = await shared.admin.send('PATCH', path, { enabled: false, name: 'tidy up' })
      expect(off.body.data).toMatchObject({ enabled: false, name: 'tidy up', next_at: null })
      const line = { kind: 'shell', command: 'cd app && php tidy.php > /dev/null' }
      expect((await shared.admin.send('PATCH', path, line)).body.data).toMatchObject(line)
      expect((await shared.admin.del(path)).body.data).toEqual({ id, deleted: true })
      expect((await shared.admin.get(path)).status).toBe(404)
      expect((await shared.admin.del(path)).status).toBe(404)
    })

    test('changes at the same moment leave a job whose kind and command belong together', async () => {
      const kinds = [
        { kind: 'shell', command: 'echo a' },
        { kind: 'command', command: ['write', 'b', '0'] },
        { kind: 'url', command: 'https://c.example/' },
      ]
      const id = await make()
      const path = `/api/cron/1/${id}`
      for (let round = 0; round < 10; round++) {
        await Promise.all(
          [...kinds, ...kinds.map(({ command }) => ({ command }))].map((change) =>
            shared.admin.send('PATCH', path, change),
          ),
        )
        const { status, body } = await shared.admin.get(path)
        expect(status).toBe(200)
        const { kind, command } = body.data as { kind: string; command: unknown }
        expect(Array.isArray(command)).toBe(kind === 'command')
        expect((await shared.admin.get('/api/cron')).status).toBe(200)
      }
      await shared.admin.del(path)
    })

    test.each([
      ['schedule', { schedule: '61 * * * *' }],
      ['schedule', { schedule: '0 0 30 2 *' }],
      ['time_zone', { time_zone: 'Mars/Base' }],
      ['name', { name: ' ' }],
      ['name', { name: 'a\nb' }],
      ['kind', { kind: 'sql' }],
      ['command', { command: 'php tidy.php' }],
      ['command', { command: [] }],
      ['command', { command: ['A=B', 'id'] }],
      ['command', { kind: 'shell', command: ['ls'] }],
      ['command', { kind: 'shell', command: 'ls\nid' }],
      ['command', { kind: 'shell', command: '  ' }],
      ['command', { kind: 'url', command: 'file:///etc/passwd' }],
      ['command', { kind: 'url', command: 'https://user:secret@example.com/' }],
      ['command', { kind: 'url', command: 'example.com/cron' }],
      ['time_limit_secs', { time_limit_secs: 0 }],
      ['overlap', { overlap: 'twice' }],
      ['notify_after', { notify_after: 101 }],
    ])('refuses a bad %s and names it', async (field, change) => {
      const { status, body } = await shared.admin.post('/api/cron', {
        account_id: 1,
        ...JOB,
        ...change,
      })
      expect(status).toBe(400)
      expect(body.error).toContain(field)
    })

    test('a change of the kind needs a command of that kind', async () => {
      const id = await make()
      const { status, body } = await shared.admin.send('PATCH', `/api/cron/1/${id}`, {
        kind: 'url',
      })
      expect([status, body.error]).toEqual([400, expect.stringContaining('command')])
      expect((await shared.admin.send('PATCH', `/api/cron/1/${id}`, {})).status).toBe(400)
    })

    test('a schedule is explained before it is taken', async () => {
      const preview = (schedule: string, more = '') =>
        shared.admin.get(`/api/cron/preview?schedule=${encodeURIComponent(schedule)}${more}`)
      const { body } = await preview('  0   4 * *  sun ', '&time_zone=Europe/Berlin')
      expect(body.data).toMatchObject({ schedule: '0 4 * * sun', time_zone: 'Europe/Berlin' })
      expect((body.data as { next_runs: string[] }).next_runs).toHaveLength(5)
      expect((await preview('soon')).status).toBe(400)
    })

    test('a job runs on request, off or on, and its run is kept with what it wrote', async () => {
      const id = await make({ enabled: false, command: ['write', 'all done', '0'] })
      const began = await shared.admin.post(`/api/cron/1/${id}/run`)
      expect([began.status, began.body.data]).toMatchObject([200, { by_hand: true }])
      expect(await ended(id, idOf(began))).toMatchObject({
        outcome: 'ok',
        code: 0,
        output: 'all done',
      })
      const order = shared.instance.host.cron.started.at(-1)
      expect(order).toMatchObject({
        username: 'alice',
        program: { kind: 'command', argv: ['write', 'all done', '0'] },
        phpVersion: null,
        timeZone: 'UTC',
        timeLimitSecs: 3600,
      })
      const list = await shared.admin.get('/api/cron/1?outcome=ok&enabled=false')
      expect(list.body.data).toMatchObject([{ id, username: 'alice', last_outcome: 'ok' }])
    })

    test('a run that goes on is ended on request, and with its job', async () => {
      const id = await make({ command: ['last'] })
      const first = idOf(await shared.admin.post(`/api/cron/1/${id}/run`))
      const stop = await shared.admin.post(`/api/cron/1/${id}/runs/${first}/stop`)
      expect(stop.body.data).toEqual({ id: first, stopped: true })
      expect(await ended(id, first)).toMatchObject({ outcome: 'killed' })
      expect((await shared.admin.post(`/api/cron/1/${id}/runs/nothing/stop`)).status).toBe(404)
      await shared.admin.post(`/api/cron/1/${id}/run`)
      expect((await shared.admin.del(`/api/cron/1/${id}`)).status).toBe(200)
    })

    test('an account sees and changes its own alone, as many as its plan allows', async () => {
      const bobby = await accountClient(shared.instance, 'bobby')
      const id = await make()
      for (const path of [`/api/cron/1`, `/api/cron/1/${id}`, `/api/cron/1/${id}/runs`])
        expect((await bobby.get(path)).status).toBe(404)
      expect((await bobby.get('/api/cron')).status).toBe(403)
      expect((await bobby.post('/api/cron', { account_id: 1, ...JOB })).status).toBe(404)
      expect((await bobby.post(`/api/cron/1/${id}/run`)).status).toBe(404)
      // Under its own number, but of another account.
      expect((await bobby.get(`/api/cron/2/${id}`)).status).toBe(404)
      expect((await bobby.del(`/api/cron/2/${id}`)).status).toBe(404)
      for (let n = 0; n < 5; n++)
        expect((await bobby.post('/api/cron', { account_id: 2, ...JOB })).status).toBe(200)
      const { status, body } = await bobby.post('/api/cron', { account_id: 2, ...JOB })
      expect([status, body.error]).toEqual([403, expect.stringContaining('5 of the 5 cron jobs')])
      expect((await shared.admin.post('/api/cron', { account_id: 2, ...JOB })).status).toBe(200)
      const limits = (await bobby.get('/api/accounts/2/limits')).body.data
      expect(limits).toMatchObject({ cron_jobs: { used: 6, limit: 5 } })
      const all = (await shared.admin.get('/api/cron?per_page=1')).headers.get('x-total-count')
      expect(Number(all)).toBeGreaterThan(6)
    })

    test('nothing of a suspended account runs', async () => {
      const id = await make()
      await shared.admin.post('/api/accounts/1/suspend', { reason: 'unpaid' })
      expect((await shared.admin.post(`/api/cron/1/${id}/run`)).status).toBe(409)
      await shared.admin.post('/api/accounts/1/unsuspend')
      expect((await shared.admin.post(`/api/cron/1/${id}/run`)).status).toBe(200)
    })
  })
}
