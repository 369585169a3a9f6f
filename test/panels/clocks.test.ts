import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSeveralPanels, type SeveralPanels } from './support/several-panels.ts'

const HOUR_MS = 3_600_000

let all: SeveralPanels
beforeAll(async () => {
  all = await startSeveralPanels(2, { skewsMs: [HOUR_MS, -HOUR_MS] })
})
afterAll(() => all?.stop())

test('a password that is changed ends earlier sessions, and no later ones, whatever the clocks say', async () => {
  const [ahead, behind] = all.panels.map(({ client }) => client)
  const login = async (client: typeof ahead, password: string): Promise<string> =>
    (
      await client!.data<{ token: string }>('POST', '/api/auth/login', {
        ...{ username: 'walker', password },
      })
    ).token
  const isIn = async (client: typeof ahead, token: string): Promise<boolean> =>
    (await client!.call('GET', '/api/auth/me', undefined, token)).status === 200
  const own = { username: 'walker', password: 'long enough 1' }
  await behind!.data('POST', '/api/users', own)
  // Begun by the clock that is ahead: two hours later than the change, by the machines' clocks.
  const early = await login(ahead, own.password)
  expect(await isIn(behind, early)).toBe(true)
  const changed = { current_password: own.password, new_password: 'long enough 2' }
  const before = behind!.token
  behind!.token = await login(behind, own.password)
  await behind!.data('POST', '/api/auth/password', changed)
  behind!.token = before
  expect(await isIn(ahead, early)).toBe(false)
  expect(await isIn(behind, early)).toBe(false)
  for (const one of [ahead, behind]) {
    const late = await login(one, changed.new_password)
    expect(await isIn(ahead, late)).toBe(true)
    expect(await isIn(behind, late)).toBe(true)
  }
})

test('the doctor says that the clocks are off, and nothing else is', async () => {
  const { findings } = await all.panels[0]!.client.data<{ findings: { what: string }[] }>(
    'GET',
    '/api/doctor',
  )
  expect(findings.map(({ what }) => what)).toContainEqual(
    expect.stringMatching(/^is 3(599|600|601) seconds ahead of the server/),
  )
})
