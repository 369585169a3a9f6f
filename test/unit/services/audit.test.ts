import { describe, expect, test } from 'vitest'
import type { AuditRow } from '#handlers/ports/store/records.ts'
import type { AuditEvent } from '#handlers/services/audit/audit.ts'
import { createAudit } from '#handlers/services/audit/audit.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import { api, emptyApi } from '#test/support/setups/fresh-api.ts'

const event = (change: Partial<AuditEvent> = {}): AuditEvent => ({
  actor: 'boss',
  role: 'admin',
  via: null,
  action: 'POST /api/x',
  summary: 'Does x',
  target: '',
  address: '192.0.2.1',
  status: 200,
  ...change,
})
const row = (change: Partial<AuditRow>): Omit<AuditRow, 'id'> => ({
  reseller_id: null,
  ...event(),
  at: '2026-11-01 00:00:00',
  result: 'done',
  ...change,
})

describe('audit log', () => {
  emptyApi()

  test('old entries go, and of each role all but the newest; no role pushes another out', async () => {
    const { store } = api
    await store.insertAudit([row({ at: '2026-01-01 00:00:00', target: 'old' })])
    await store.insertAudit([row({ target: 'kept 1' }), row({ target: 'kept 2' })])
    for (let at = 0; at < 10; at++) {
      await store.insertAudit([
        row({ role: 'account', target: `tenant ${at}` }),
        row({ role: null, actor: null, target: `nobody ${at}` }),
      ])
    }
    await store.pruneAudit('2026-06-01 00:00:00', { mostPerRole: 3, leastPerActor: 0 })
    const { rows } = await store.listAudit({ order: 'asc' })
    expect(rows.map(({ target }) => target)).toEqual([
      'kept 1',
      'kept 2',
      'tenant 7',
      'nobody 7',
      'tenant 8',
      'nobody 8',
      'tenant 9',
      'nobody 9',
    ])
  })

  test('an actor that is busy pushes out no other of its role, and made-up names keep nothing', async () => {
    const { store } = api
    for (const actor of ['calm', 'busy'])
      for (let at = 0; at < (actor === 'busy' ? 20 : 4); at++)
        await store.insertAudit([
          row({ role: 'account', actor, target: `${actor} ${at}` }),
          row({ role: null, actor: `${actor}${at}`, target: `unknown ${actor} ${at}` }),
        ])
    await store.insertAudit([row({ role: 'admin', actor: 'calm', target: 'admin' })])
    await store.pruneAudit('2026-06-01 00:00:00', { mostPerRole: 5, leastPerActor: 2 })
    const left = async (): Promise<string[]> =>
      (await store.listAudit({ order: 'asc' })).rows.map(({ target }) => target)
    const busy = [15, 16, 17, 18, 19]
    expect((await left()).sort()).toEqual(
      [
        'admin',
        'calm 2',
        'calm 3',
        ...busy.flatMap((at) => [`busy ${at}`, `unknown busy ${at}`]),
      ].sort(),
    )
    // What is too old goes all the same.
    await store.pruneAudit('2026-12-01 00:00:00', { mostPerRole: 5, leastPerActor: 2 })
    expect(await left()).toEqual([])
  })

  test('pruning comes by itself', async () => {
    const audit = createAudit(api)
    await api.store.insertAudit([row({ at: '2020-01-01 00:00:00', target: 'ancient' })])
    for (let at = 0; at < 520; at++) audit.record(event())
    const { rows, total } = await audit.list({ page: 1, perPage: 500, order: 'asc' })
    expect(total).toBe(520)
    expect(rows.map(({ target }) => target)).not.toContain('ancient')
  })

  test('an entry that cannot be written fails nothing and is told to the log', async () => {
    const broken = {
      ...api.store,
      insertAudit: () => Promise.reject(new Error('disk full')),
    }
    const failing = await makeNodeApi({ store: broken })
    try {
      const admin = await adminClient(failing)
      expect((await admin.post('/api/veloserve/reload')).status).toBe(200)
      await failing.background.settled()
      expect(failing.log.lines.join('\n')).toContain('audit entries were not written')
    } finally {
      await failing.close()
    }
  })

  test('what is noted is cut, and the flood is bounded', async () => {
    const audit = createAudit({ ...api, background: { run: () => undefined } })
    for (let at = 0; at < 10_100; at++) audit.record(event({ target: 'x'.repeat(10_000) }))
    expect(api.log.lines.filter((line) => line.includes('dropped'))).toHaveLength(100)
    const { rows } = await audit.list({ page: 1, perPage: 1 })
    expect(rows[0]?.target).toHaveLength(500)
  })

  test('a list has what was noted before, also what is just being written', async () => {
    const begun = Promise.withResolvers<void>()
    const insert = Promise.withResolvers<void>()
    const store = Object.assign(Object.create(api.store) as typeof api.store, {
      async insertAudit(batch: readonly Omit<AuditRow, 'id'>[]) {
        begun.resolve()
        await insert.promise
        return api.store.insertAudit(batch)
      },
    })
    const audit = createAudit({ ...api, store })
    audit.record(event({ target: 'one' }))
    await begun.promise
    const listed = audit.list({})
    insert.resolve()
    expect((await listed).rows.map(({ target }) => target)).toEqual(['one'])
  })
})
