import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { findingsOf } from './support/findings-of.ts'
import {
  startSeveralPanels,
  type PanelProcess,
  type SeveralPanels,
} from './support/several-panels.ts'

let all: SeveralPanels
beforeAll(async () => {
  all = await startSeveralPanels(2)
})
afterAll(() => all?.stop())

const newAccount = () => {
  const username = randomUsername()
  return {
    ...{ username, domain: `${username}.example.com`, email: `${username}@example.com` },
    ...{ password: 'long enough 1', plan: 'free' },
  }
}
const usernames = async (panel: PanelProcess): Promise<string[]> =>
  (await panel.client.data<{ username: string }[]>('GET', '/api/accounts')).map(
    ({ username }) => username,
  )

/** Leases of requests that are over end at once, not after half a minute. */
const untilNothingIsHalf = async (): Promise<void> => {
  for (const panel of all.panels) await panel.expire()
  await waitFor(async () => expect(await findingsOf(all)).toEqual([]), {
    ...{ timeout: 60_000, interval: 500 },
  })
}

test('a panel that is cut off from the records shows none, and changes nothing that another took over', async () => {
  const [cut, other] = all.panels as [PanelProcess, PanelProcess]
  const account = newAccount()
  const began = cut.client.call('POST', '/api/accounts', account)
  await waitFor(
    async () =>
      expect(
        await all.query('select id from operations where subject = $1', [account.username]),
      ).toHaveLength(1),
    { interval: 2 },
  )
  cut.way.swallow(true)
  // Connections stand, and nothing is heard.
  const read = cut.client.call('GET', '/api/accounts')
  await cut.expire()
  const made = await other.client.data<{ id: number }>('POST', '/api/accounts', account)
  expect((await read).status).toBe(503)
  const late = newAccount()
  expect((await cut.client.call('POST', '/api/accounts', late)).status).toBe(503)
  cut.way.swallow(false)
  // Its own attempt was undone by the other, or had ended before the cut was felt.
  expect([200, 409, 503]).toContain((await began).status)
  await waitFor(async () => expect(await usernames(cut)).toEqual([account.username]))
  expect(await other.client.data('GET', `/api/accounts/${made.id}`)).toMatchObject({
    username: account.username,
  })
  await untilNothingIsHalf()
  await other.client.data('DELETE', `/api/accounts/${made.id}`)
}, 120_000)
