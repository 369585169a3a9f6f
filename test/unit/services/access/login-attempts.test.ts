import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { AppError } from '#handlers/errors.ts'
import { createLoginAttempts, type LoginAttempt } from '#handlers/services/access/login-attempts.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

let directory: string
const opened: Awaited<ReturnType<typeof openStore>>[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-attempts-'))
  for (let at = 0; at < 4; at++) opened.push(await openStore(join(directory, 'panel.sqlite')))
})
afterAll(async () => {
  for (const { close } of opened) close()
  await rm(directory, { recursive: true, force: true })
})

/** Instances of the panel, each with a connection and locks of its own, over one store. */
const instances = () =>
  opened.map(({ store }) =>
    createLoginAttempts({
      store,
      clock: createFakeClock(),
      judges: { getStore: () => undefined, run: (_, work) => work() },
      notify: { tell: async () => undefined },
    }),
  )

/** Runs attempts at once, one after the other on each instance; answers how each ended. */
const race = (
  count: number,
  who: (at: number) => { username: string; address: string },
  work: (attempt: LoginAttempt) => Promise<string>,
): Promise<(string | number)[]> => {
  const all = instances()
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      all[at % all.length]!.run(who(at), work).catch((error: unknown) => {
        if (error instanceof AppError) return error.status
        throw error
      }),
    ),
  )
}

const count = (outcomes: (string | number)[], one: string | number): number =>
  outcomes.filter((outcome) => outcome === one).length

test('of parallel wrong guesses at several instances the limit is let through, and not one more', async () => {
  let checked = 0
  const outcomes = await race(
    40,
    () => ({ username: 'victim', address: '198.51.100.1' }),
    async (attempt) => {
      checked++
      await new Promise((resolve) => setImmediate(resolve))
      await attempt.failed()
      return 'wrong'
    },
  )
  expect([count(outcomes, 'wrong'), count(outcomes, 429), checked]).toEqual([5, 35, 5])
})

test('of one address fifty are, whatever names it tries', async () => {
  const outcomes = await race(
    80,
    (at) => ({ username: `name${at}`, address: '198.51.100.2' }),
    async (attempt) => {
      await attempt.failed()
      return 'wrong'
    },
  )
  expect([count(outcomes, 'wrong'), count(outcomes, 429)]).toEqual([50, 30])
})

test('right logins at once lock nobody out, also one failure below the limit', async () => {
  const who = { username: 'owner', address: '198.51.100.3' }
  const [one] = instances()
  for (let at = 0; at < 4; at++) await one?.run(who, (attempt) => attempt.failed())
  // Neither right nor wrong: a password without its second factor, for example.
  const none = await race(
    16,
    () => who,
    async () => new Promise<string>((resolve) => setImmediate(() => resolve('none'))),
  )
  expect(count(none, 'none')).toBe(16)
  const right = await race(
    16,
    () => who,
    async (attempt) => {
      await attempt.succeeded()
      return 'right'
    },
  )
  expect(count(right, 'right')).toBe(16)
})

test('codes of one user are counted from everywhere at once', async () => {
  const user = { role: 'admin', id: 1 } as const
  const { store } = opened[0]!
  await store.enrolSecondFactor(user, 'JBSWY3DPEHPK3PXP', '2026-01-01 00:00:00')
  await store.confirmSecondFactor(user, 'JBSWY3DPEHPK3PXP', 1, ['hash'])
  const outcomes = await race(
    40,
    (at) => ({ username: 'boss', address: `203.0.113.${at}` }),
    (attempt) => attempt.spendCode(user, 'not a code'),
  )
  expect([count(outcomes, 'wrong'), count(outcomes, 429)]).toEqual([10, 30])
})

test('an attempt whose check broke counts as none', async () => {
  const [one] = instances()
  const who = { username: 'unlucky', address: '198.51.100.4' }
  for (let at = 0; at < 6; at++) {
    const broken = one?.run(who, async () => Promise.reject(new Error('the database is away')))
    await expect(broken).rejects.toThrow('the database is away')
  }
})
