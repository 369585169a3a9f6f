import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { followedBy, type StandbyServer } from '#test/support/setups/postgres-server.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { findingsOf } from './support/findings-of.ts'
import {
  startSeveralPanels,
  type PanelProcess,
  type SeveralPanels,
} from './support/several-panels.ts'

let all: SeveralPanels
let standby: StandbyServer
beforeAll(async () => {
  all = await startSeveralPanels(2)
  standby = await followedBy(all.server)
})
afterAll(async () => {
  await all?.stop()
  await standby?.kill()
})

test('all go on when a standby takes over, and nothing that was answered is lost', async () => {
  const refused: number[] = []
  let done = 0
  let over = false
  /** Accounts whose creation was answered, and whose deletion was not. */
  const standing = new Set<string>()
  const gone: string[] = []
  const ask = async (panel: PanelProcess, method: string, path: string, body?: unknown) => {
    const answer = await panel.client.call(method, path, body)
    if (answer.status === 200) done += 1
    else {
      refused.push(answer.status)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return answer
  }
  const client = async (panel: PanelProcess): Promise<void> => {
    while (!over) {
      const username = randomUsername()
      const made = await ask(panel, 'POST', '/api/accounts', {
        ...{ username, domain: `${username}.example.com`, email: `${username}@example.com` },
        ...{ password: 'long enough 1', plan: 'free' },
      })
      if (made.status !== 200 || !made.body.ok) continue
      standing.add(username)
      if (over) return
      const { id } = made.body.data as { id: number }
      const { status } = await ask(panel, 'DELETE', `/api/accounts/${id}`)
      standing.delete(username)
      if (status === 200) gone.push(username)
    }
  }
  const clients = all.panels.map(client)
  await waitFor(() => expect(done).toBeGreaterThan(3))
  await all.server.kill()
  await waitFor(() => expect(refused.length).toBeGreaterThan(2))
  await standby.promote()
  for (const way of [all.way, ...all.panels.map((panel) => panel.way)]) way.lead(standby.socket)
  const before = done
  await waitFor(() => expect(done).toBeGreaterThan(before + 3), { timeout: 60_000 })
  over = true
  await Promise.all(clients)
  expect(new Set(refused)).toEqual(new Set([503]))
  for (const { client: one } of all.panels) {
    const there = (await one.data<{ username: string }[]>('GET', '/api/accounts')).map(
      ({ username }) => username,
    )
    expect(there).toEqual(expect.arrayContaining([...standing]))
    expect(there.filter((name) => gone.includes(name))).toEqual([])
  }
  // Leases of requests that are over end at once, not after half a minute.
  for (const panel of all.panels) await panel.expire()
  await waitFor(async () => expect(await findingsOf(all)).toEqual([]), {
    ...{ timeout: 60_000, interval: 500 },
  })
}, 180_000)
