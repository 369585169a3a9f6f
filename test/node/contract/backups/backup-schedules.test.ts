import { afterEach, beforeEach, expect, test } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'
import { ADMIN, adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '../api-node.ts'
import type { NodeApi } from '../api-node.ts'

const HOUR_SECS = 3600
const DAY_SECS = 24 * HOUR_SECS
const TARGET: RemoteTarget = {
  name: 'away',
  type: 's3',
  endpoint: 'https://s3.example.com',
  bucket: 'b',
  path: null,
  region: null,
  username: null,
  is_default: true,
  source: 'panel',
  access_key_id: null,
  host_key: null,
  allow_private: false,
}

let api: NodeApi
let admin: ApiClient

beforeEach(async () => {
  api = await makeNodeApi({ backupsConfig: { schedule: 2, retention_days: 30, at_once: 1 } })
  // At one hour whenever this runs: how long an account is without a backup depends on when it was made.
  toHour(20)
  admin = await adminClient(api)
  await createAccount(admin, 'alice')
  // Slots of the day on which the account was made are over.
  api.clock.advanceSecs(secsUntil(2) + DAY_SECS / 2)
})
afterEach(() => api.close())

const secsUntil = (hour: number): number => {
  const today = Math.floor(api.clock.nowMs() / 1000) % DAY_SECS
  return ((hour * HOUR_SECS - today + DAY_SECS - 1) % DAY_SECS) + 1
}
/** Moves the clock to the next time that it is so late, UTC. */
const toHour = (hour: number): void => api.clock.advanceSecs(secsUntil(hour))
const rows = async () => (await api.store.listBackups()).rows
const places = async () =>
  (await rows()).map(({ username, location }) => `${username} ${location}`).sort()
const set = async (owner: string, schedule: object): Promise<void> => {
  await logIn()
  const answer = await admin.send('PUT', `/api/backups/schedules/${owner}`, schedule)
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
}
/** Sessions are shorter than these tests. */
const logIn = async (): Promise<void> => {
  const login = await admin.post('/api/auth/login', ADMIN)
  admin.token = (login.body.data as { token: string }).token
}
const get = async <T>(path: string): Promise<T> => {
  await logIn()
  return (await admin.get(path)).body.data as T
}
const noted = async (): Promise<string[]> =>
  (await api.store.dueEvents(1e12, 1000))
    .filter(({ ending }) => ending.startsWith('backup.'))
    .map(
      ({ ending, subject, data }) =>
        `${ending} ${subject} ${(data as { location: string }).location}`,
    )
const told = async (): Promise<string[]> =>
  (
    await get<{ findings: { kind: string; subject: string; what: string }[] }>('/api/doctor')
  ).findings
    .filter(({ kind }) => kind === 'backup')
    .map(({ subject, what }) => `${subject} ${what}`)
interface State {
  failed: { username: string; error: string }[]
  overdue: { username: string }[]
  last_success_at: string | null
}
const state = () => get<State>('/api/backups/state')

test('the default backs up each account once a day and removes what is old, but not the newest', async () => {
  await logIn()
  await createAccount(admin, 'carol')
  await api.app.scheduledBackups()
  expect(await rows()).toEqual([])
  toHour(2)
  await api.app.scheduledBackups()
  await api.app.scheduledBackups()
  await api.restart().scheduledBackups()
  expect((await rows()).map(({ scheduled }) => scheduled)).toEqual([true, true])
  // They have a retention of their own, and leave the plan's number to the account.
  expect(await get('/api/accounts/1/limits')).toMatchObject({ backups: { used: 0 } })
  api.clock.advanceSecs(31 * DAY_SECS)
  // carol's fails, so that her only backup is an old one.
  api.host.users.made.delete('carol')
  await api.app.scheduledBackups()
  const left = await rows()
  expect(left.map(({ username }) => username).sort()).toEqual(['alice', 'carol'])
  expect(api.host.backups.files.size).toBe(2)
  expect(left.find(({ username }) => username === 'alice')?.created_at).toBe(
    new Date(api.clock.nowMs()).toISOString().slice(0, 19).replace('T', ' '),
  )
})

test('one that fails is an event, a finding and the state, also before it began', async () => {
  api.host.inject({
    method: 'backups.targets',
    when: 'before',
    error: unavailable('The agent is away.'),
    times: 1,
  })
  toHour(2)
  await api.app.scheduledBackups()
  expect(await noted()).toEqual(['backup.create:undone backups:alice local'])
  expect(await told()).toEqual([
    expect.stringMatching(/^alice has a backup that failed at .*; there is none$/),
  ])
  expect((await state()).failed).toMatchObject([{ username: 'alice', error: 'The agent is away.' }])
  expect(await api.store.openOperations()).toEqual([])

  // Its own operation says so where there is one; it is not said twice.
  toHour(2)
  api.host.backups.failures = [unavailable('No dump.')]
  await api.app.scheduledBackups()
  expect(await noted()).toHaveLength(2)

  toHour(2)
  await api.app.scheduledBackups()
  expect(await told()).toEqual([])
  expect(await state()).toMatchObject({
    failed: [],
    overdue: [],
    last_success_at: expect.stringContaining(' 02:00:0'),
  })
})

test('a copy that fails on its way to a target is one too', async () => {
  api.host.backups.configured = [TARGET]
  const start = api.host.backups.start.bind(api.host.backups)
  api.host.backups.start = async (work) => {
    if (work.kind === 'upload') api.host.backups.failures = [unavailable('Down.')]
    await start(work)
  }
  toHour(2)
  await api.app.scheduledBackups()
  expect(await noted()).toEqual([
    'backup.create:done backups:alice local',
    'backup.upload:undone backups:alice away',
  ])
  expect(await told()).toEqual([
    expect.stringMatching(/^alice has a backup that failed at .* on its way to away; the newest/),
  ])
  expect((await state()).failed).toHaveLength(1)
})

test('one that is overdue by its schedule is told once, until a newer one grows old too', async () => {
  const overdue = async () => {
    await api.app.tellOverdueBackups()
    return (await noted()).filter((line) => line.startsWith('backup.overdue')).length
  }
  expect(await overdue()).toBe(0)
  api.clock.advanceSecs(2 * DAY_SECS)
  expect([await overdue(), await overdue()]).toEqual([1, 1])
  expect(await noted()).toContain('backup.overdue:done backups:alice local')
  expect((await state()).overdue).toMatchObject([{ username: 'alice' }])
  expect(await told()).toEqual([expect.stringMatching(/^alice has a backup that is overdue/)])
  toHour(2)
  await api.app.scheduledBackups()
  expect(await overdue()).toBe(1)
  api.clock.advanceSecs(2 * DAY_SECS)
  expect([await overdue(), await overdue()]).toEqual([2, 2])
  expect(await api.store.openOperations()).toEqual([])
  // Once a week is not overdue after two days.
  await set('accounts/1', { what: 'archive', every_hours: 168 })
  expect((await state()).overdue).toEqual([])
  toHour(2)
  await api.app.scheduledBackups()
  api.clock.advanceSecs(5 * DAY_SECS)
  expect((await state()).overdue).toEqual([])
})

test('an account’s own schedule holds before its plan’s, and each thins its own', async () => {
  api.host.backups.configured = [TARGET]
  await logIn()
  const bob = await createAccount(admin, 'bob')
  await set('plans/free', {
    what: 'archive',
    every_hours: 24,
    window: { from: 22, to: 4 },
    places: ['local', 'away'],
    retention: { daily: 2 },
  })
  await set(`accounts/${bob.id}`, { what: 'none' })
  await admin.post('/api/backups/accounts/1', { target: 'local' })
  toHour(20)
  await api.app.scheduledBackups()
  expect(await places()).toEqual(['alice local'])
  for (let day = 0; day < 4; day++) {
    toHour(22)
    await api.app.scheduledBackups()
    await api.app.scheduledBackups()
  }
  // Two of each place, and the one that was made by hand.
  expect(await places()).toEqual([
    'alice away',
    'alice away',
    'alice local',
    'alice local',
    'alice local',
  ])
  // What a schedule keeps is not the default's to remove.
  api.clock.advanceSecs(40 * DAY_SECS)
  await set('accounts/1', { what: 'none' })
  toHour(3)
  await api.app.scheduledBackups()
  expect(await places()).toHaveLength(5)
})

test('a schedule without this host leaves no archive here', async () => {
  api.host.backups.configured = [TARGET]
  await set('accounts/1', { what: 'archive', places: ['away'] })
  toHour(0)
  await api.app.scheduledBackups()
  expect(await places()).toEqual(['alice away'])
})

test('snapshots are made at each place and thinned there', async () => {
  api.host.backups.configured = [TARGET]
  await set('accounts/1', {
    what: 'snapshot',
    every_hours: 1,
    places: ['local', 'away'],
    retention: { last: 2 },
  })
  for (let hour = 0; hour < 3; hour++) {
    api.clock.advanceSecs(HOUR_SECS)
    await api.app.scheduledBackups()
  }
  const snapshots = (await api.store.listSnapshots({ accountId: 1 })).rows
  expect(snapshots.map(({ location, scheduled }) => [location, scheduled])).toEqual(
    expect.arrayContaining([
      ['local', true],
      ['away', true],
    ]),
  )
  expect(snapshots).toHaveLength(4)
  expect(await rows()).toEqual([])
})

test('not more than so many are made at a time, and none after the panel is told to stop', async () => {
  await logIn()
  for (const username of ['bob', 'carol', 'dave']) await createAccount(admin, username)
  let running = 0
  let most = 0
  const stop = new AbortController()
  const wait = api.host.backups.wait.bind(api.host.backups)
  api.host.backups.wait = async (input) => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => setImmediate(resolve))
    try {
      return await wait(input)
    } finally {
      running--
    }
  }
  toHour(2)
  // What asks again meanwhile begins nothing more.
  await Promise.all([1, 2, 3].map(() => api.app.scheduledBackups()))
  expect([most, (await rows()).length]).toEqual([1, 4])
  toHour(2)
  stop.abort()
  await api.app.scheduledBackups(stop.signal)
  expect(await rows()).toHaveLength(4)
  // Another panel over the same records makes each of them once.
  await Promise.all([api.app, api.restart(), api.restart()].map((app) => app.scheduledBackups()))
  expect(await rows()).toHaveLength(8)
})

test('what the panel left behind is made again, an hour later', async () => {
  toHour(2)
  const started_at = new Date(api.clock.nowMs()).toISOString().slice(0, 19).replace('T', ' ')
  await api.store.beginBackupRun({ account_id: 1, what: 'archive', started_at }, null)
  const panel = api.restart()
  await panel.scheduledBackups()
  expect(await rows()).toEqual([])
  expect((await state()).failed).toMatchObject([{ username: 'alice' }])
  api.clock.advanceSecs(HOUR_SECS)
  await panel.scheduledBackups()
  expect(await rows()).toHaveLength(1)
  expect((await state()).failed).toEqual([])
})

test('what was missed while the machine was off is made up for once, outside the window only a day late', async () => {
  await set('accounts/1', {
    ...{ what: 'archive', every_hours: 24, window: { from: 2, to: 4 }, places: ['local'] },
    retention: { last: 0, hourly: 0, daily: 7, weekly: 0, monthly: 0 },
  })
  /** After a start, and once more, as the duty does every few minutes. */
  const started = async (): Promise<number> => {
    const panel = api.restart()
    await panel.scheduledBackups()
    await panel.scheduledBackups()
    await api.restart().scheduledBackups()
    return (await rows()).length
  }
  toHour(3)
  expect(await started()).toBe(1)
  // Off over one slot, on again at noon: it waits for the window, and is the next one as well.
  api.clock.advanceSecs(DAY_SECS + 9 * HOUR_SECS)
  expect(await started()).toBe(1)
  toHour(3)
  expect(await started()).toBe(2)
  // Off for three days: at once, and once for all that was missed.
  api.clock.advanceSecs(3 * DAY_SECS + 9 * HOUR_SECS)
  expect(await started()).toBe(3)
  expect(api.host.backups.files.size).toBe(3)
  toHour(3)
  expect(await started()).toBe(4)
  expect((await state()).failed).toEqual([])
})
