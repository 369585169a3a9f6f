import { describe, expect, it } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { AWAY } from '#test/contract/backups/away-target.ts'
import { accountClient, ADMIN, createAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

const DAY_SECS = 86_400
const ROOT = '/api/backups/snapshots/accounts/1'
freshApi('alice')

const rows = async () => (await api.store.listSnapshots()).rows
const repository = (place = 'local/alice') => api.host.snapshots.repositories.get(place) ?? []
const endings = async (): Promise<string[]> =>
  (await api.store.dueEvents(1e12, 1000))
    .map(({ ending }) => ending)
    .filter((ending) => /^(snapshot|backup)\./.test(ending))
const make = () => admin.post(ROOT)

describe('snapshots over the journal', () => {
  it('one whose answer was lost is taken in, since the repository lists it', async () => {
    const error = unavailable('The answer was lost.')
    api.host.inject({ method: 'snapshots.wait', when: 'after', error, times: 1 })
    expect((await make()).status).toBe(503)
    expect([repository().length, (await rows()).length]).toEqual([1, 1])
    expect(await api.store.openOperations()).toEqual([])
    expect(await endings()).toEqual(['snapshot.create:undone'])
  })

  it('one that a crash broke off is settled by the next panel', async () => {
    const error = unavailable('The agent is away.')
    api.host.inject({ method: 'snapshots.wait', when: 'after', error, times: 1 })
    api.host.inject({ method: 'snapshots.stop', when: 'before', error, times: 1 })
    expect((await make()).status).toBe(503)
    expect(await rows()).toEqual([])
    await api.restart().settleOpenOperations()
    expect(await rows()).toHaveLength(1)
    expect(await api.store.openOperations()).toEqual([])
  })

  it('a target that is away fails it, leaves nothing open and is an event', async () => {
    api.host.backups.configured = [AWAY]
    api.host.snapshots.failures = [unavailable('The target is down.')]
    const error = unavailable('The target is down.')
    api.host.inject({ method: 'snapshots.list', when: 'before', error, times: 1 })
    const answer = await make()
    expect([answer.status, answer.body.error]).toEqual([503, 'The target is down.'])
    expect(await api.store.openOperations()).toEqual([])
    expect(await endings()).toEqual(['snapshot.create:undone'])
    const second = await make()
    expect(second.body.data).toMatchObject({ location: 'away' })
    expect(await endings()).toContain('snapshot.create:done')
  })

  it('a deletion that is refused keeps the record, one that was done and not told is noted', async () => {
    const { id } = (await make()).body.data as { id: string }
    const second = (await make()).body.data as { id: string }
    api.host.snapshots.failures = [unavailable('The target keeps it.')]
    expect((await admin.del(`${ROOT}/${id}`)).status).toBe(503)
    expect(await rows()).toHaveLength(2)
    const error = unavailable('The answer was lost.')
    for (const gone of [id, second.id]) {
      api.host.inject({ method: 'snapshots.wait', when: 'after', error, times: 1 })
      expect((await admin.del(`${ROOT}/${gone}`)).status).toBe(503)
      expect((await rows()).map((row) => row.id)).not.toContain(gone)
    }
    expect(await api.store.openOperations()).toEqual([])
  })

  it('a repository that is missing as a whole does not make the panel forget', async () => {
    await make()
    const kept = api.host.snapshots.repositories
    api.host.snapshots.repositories = new Map()
    const answer = await admin.post(`${ROOT}/refresh`)
    expect([answer.status, answer.body.error]).toEqual([
      503,
      expect.stringContaining('There are no snapshots of alice at local'),
    ])
    expect(await rows()).toHaveLength(1)
    api.host.snapshots.repositories = kept
    expect((await admin.post(`${ROOT}/refresh`)).status).toBe(200)
  })

  it('lost records come back, but not what an earlier account of the name left', async () => {
    await make()
    await make()
    const [older, newer] = repository()
    older!.facts.createdAt = '2001-01-01 00:00:00'
    for (const row of await rows()) await api.store.deleteSnapshot(row.location, row.id)
    const answer = await admin.post(`${ROOT}/refresh`)
    expect(answer.body.data).toEqual({ added: 1, forgotten: 0 })
    expect((await rows()).map(({ id }) => id)).toEqual([newer!.facts.id])
  })

  it('the repository of an account that is gone goes with its last snapshot', async () => {
    const { id } = (await make()).body.data as { id: string }
    expect((await admin.del('/api/accounts/1')).status).toBe(200)
    expect((await admin.del(`${ROOT}/${id}`)).status).toBe(200)
    expect(api.host.snapshots.repositories.has('local/alice')).toBe(false)
  })
})

describe('proofs of backups', () => {
  const proofs = async () => (await api.store.listProofs()).rows
  const kinds = async () => (await proofs()).map(({ kind, username }) => `${kind} ${username}`)

  it('reads back another share each week, and tries one account', async () => {
    await createAccount(admin, 'carol')
    await make()
    await admin.post('/api/backups/snapshots/accounts/2')
    await api.app.proveBackups()
    expect((await kinds()).filter((one) => one.startsWith('check')).sort()).toEqual([
      'check alice',
      'check carol',
    ])
    const [first] = (await kinds()).filter((one) => one.startsWith('trial'))
    expect(await proofs()).toHaveLength(3)
    await api.app.proveBackups()
    expect(await proofs()).toHaveLength(3)
    api.clock.advanceSecs(7 * DAY_SECS)
    await api.app.proveBackups()
    const all = await proofs()
    expect(all).toHaveLength(6)
    expect(all.find(({ kind }) => kind === 'check')?.figures.share).toEqual({ nth: 2, of: 12 })
    const trials = (await kinds()).filter((one) => one.startsWith('trial'))
    expect(new Set(trials)).toEqual(new Set(['trial alice', 'trial carol']))
    expect(trials.at(-1)).toBe(first)
  })

  it('what fails is an event and a finding, and is tried again the next day', async () => {
    await make()
    api.host.snapshots.failures = [unavailable('Pack 1234 is damaged.')]
    await api.app.proveBackups()
    expect((await proofs()).find(({ ok }) => !ok)).toMatchObject({
      kind: 'check',
      error: 'Pack 1234 is damaged.',
      figures: { share: { nth: 1, of: 12 } },
    })
    expect(await endings()).toContain('backup.prove:undone')
    const findings = async () =>
      (
        (await admin.get('/api/doctor')).body.data as {
          findings: { kind: string; subject: string; what: string }[]
        }
      ).findings.filter(({ kind }) => kind === 'backup')
    expect(await findings()).toMatchObject([
      { subject: 'alice', what: expect.stringContaining('Pack 1234 is damaged.') },
    ])
    api.clock.advanceSecs(DAY_SECS)
    await api.app.proveBackups()
    const [last] = (await proofs()).filter(({ kind }) => kind === 'check')
    expect(last).toMatchObject({ ok: true, figures: { share: { nth: 1, of: 12 } } })
    const { body } = await admin.post('/api/auth/login', ADMIN)
    admin.token = (body.data as { token: string }).token
    expect(await findings()).toEqual([])
  })

  it('of an account without snapshots an archive is read', async () => {
    await admin.post('/api/backups/accounts/1')
    await api.app.proveBackups()
    await api.app.proveBackups()
    expect(await proofs()).toMatchObject([
      { kind: 'check', filename: expect.stringMatching(/^alice-/), snapshot: null },
    ])
  })
})

describe('downloads from snapshots', () => {
  it('one user has two at once, and gives each place back however it ends', async () => {
    await createAccount(admin, 'bobby')
    const fileOf = async (id: number): Promise<string> => {
      const { body } = await admin.post(`/api/backups/snapshots/accounts/${id}`)
      const { id: snapshot } = body.data as { id: string }
      return `/api/backups/snapshots/accounts/${id}/${snapshot}/download?path=public_html%2Findex.html`
    }
    const open = (path: string, token: string | null): Promise<Response> =>
      api.fetch(path, { headers: { authorization: `Bearer ${token ?? ''}` } })
    const [file, theirs] = [await fileOf(1), await fileOf(2)]
    const bobby = await accountClient(api, 'bobby')
    const held = [await open(file, admin.token), await open(file, admin.token)]
    expect(held.map(({ status }) => status)).toEqual([200, 200])
    const refused = await open(file, admin.token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    // Another user is not kept waiting by that.
    expect((await open(theirs, bobby.token)).status).toBe(200)
    await held[0]?.body?.cancel()
    expect((await open(file, admin.token)).status).toBe(200)
    expect((await open(file, admin.token)).status).toBe(429)
    expect(await held[1]?.text()).toBe('<h1>hello</h1>')
    expect((await open(file, admin.token)).status).toBe(200)
  })
})
