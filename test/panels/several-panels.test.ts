import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { WHOLE } from '#test/support/sampled.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { findingsOf } from './support/findings-of.ts'
import { createChance } from './support/chance.ts'
import {
  startSeveralPanels,
  type PanelProcess,
  type SeveralPanels,
} from './support/several-panels.ts'

const SEED = process.env['BERTH_TEST_SEED'] ?? '1'
const SEEDS = WHOLE ? ['1', '2', '3', '4', '5', '6'] : [SEED]
/** Of each of two clients. */
const CHANGES = WHOLE ? 40 : 6

let all: SeveralPanels
beforeAll(async () => {
  all = await startSeveralPanels(3)
})
afterAll(() => all?.stop())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One change of an account, at any panel; what becomes of it does not matter here, only what is left. */
const changeSomething = async (
  panel: PanelProcess,
  names: readonly string[],
  chance: ReturnType<typeof createChance>,
): Promise<string> => {
  const username = chance.one(names)
  const what = chance.one(['create', 'create', 'delete', 'suspend', 'unsuspend', 'domain'])
  const headers: Record<string, string> = chance.is(0.3) ? { prefer: 'respond-async' } : {}
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { status } = await panel.client.call(method, path, body, panel.client.token, headers)
    return `${what} ${username}: ${String(status)}`
  }
  try {
    if (what === 'create')
      return await send('POST', '/api/accounts', {
        ...{ username, domain: `${username}.example.com`, email: `${username}@example.com` },
        ...{ password: 'long enough 1', plan: 'free' },
      })
    const accounts = await panel.client.data<{ id: number; username: string }[]>(
      'GET',
      '/api/accounts',
    )
    const id = accounts.find((account) => account.username === username)?.id
    if (id === undefined) return `${what} ${username}: not there`
    if (what === 'delete') return await send('DELETE', `/api/accounts/${id}`)
    if (what !== 'domain') return await send('POST', `/api/accounts/${id}/${what}`)
    const domain_name = `more-${String(chance.below(1000))}.${username}.example.com`
    return await send('POST', '/api/domains', {
      ...{ account_id: id, domain_name, domain_type: 'addon' },
    })
  } catch (error) {
    return `${what} ${username}: ${String(error)}`
  }
}

/** Kills a panel, or has it stand still, over and over until `isEnough`. */
const disturb = async (
  chance: ReturnType<typeof createChance>,
  isEnough: () => boolean,
): Promise<string[]> => {
  const did: string[] = []
  while (!isEnough()) {
    await pause(100 + chance.below(900))
    const at = chance.below(all.panels.length)
    const panel = all.panels[at]!
    const how = chance.one(['kill', 'freeze', 'freeze'])
    did.push(`${how} ${String(at)}`)
    if (how === 'kill') {
      await panel.kill()
      // To the others it is dead after half a minute; or it comes back before.
      if (chance.is(0.5)) await panel.expire()
      await pause(chance.below(500))
      await panel.start()
    } else {
      await panel.freeze()
      await pause(300 + chance.below(1500))
      panel.thaw()
    }
  }
  return did
}

test('a panel that stands still in the middle of a creation has no effect after another took over', async () => {
  const [stopped, other] = all.panels
  if (stopped === undefined || other === undefined) throw new Error('there must be two')
  const username = randomUsername()
  const account = {
    ...{ username, domain: `${username}.example.com`, email: `${username}@example.com` },
    ...{ password: 'long enough 1', plan: 'free' },
  }
  const began = stopped.client.call('POST', '/api/accounts', account)
  await waitFor(
    async () => {
      const open = await all.query(`select id from operations where subject = $1`, [username])
      expect(open).toHaveLength(1)
    },
    { interval: 2 },
  )
  await stopped.freeze()
  // What the first had begun is undone, then made anew.
  const made = await other.client.data<{ id: number }>('POST', '/api/accounts', account)
  stopped.thaw()
  const late = await began
  expect(late.status).toBe(503)
  expect(late.body.error).toContain('Another one undoes or finishes')
  const site = await all.instance.site(account.domain, '/')
  expect(site.status).toBe(200)
  expect(await other.client.data('GET', `/api/accounts/${made.id}`)).toMatchObject({ username })
  expect(await findingsOf(all)).toEqual([])
})

test.each(SEEDS)(
  'each change ends once and nothing is left half done, seed %s',
  async (seed) => {
    const chance = createChance(`several panels ${seed}`)
    const names = Array.from({ length: 3 }, randomUsername)
    const said: string[] = []
    let working = 2
    const client = async (): Promise<void> => {
      for (let change = 0; change < CHANGES; change += 1)
        said.push(await changeSomething(chance.one(all.panels), names, chance))
      working -= 1
    }
    const [did] = await Promise.all([disturb(chance, () => working === 0), client(), client()])
    // Who begins anew settles what nobody has a lease of; the last lease of a dead process ends by then.
    for (const panel of all.panels) await panel.expire()
    const [last] = all.panels
    await last!.kill()
    await last!.start()
    const history = `\n${[...said, ...did].join('\n')}`
    await waitFor(
      async () => {
        expect(await findingsOf(all), history).toEqual([])
      },
      { timeout: 60_000, interval: 500 },
    )
    const accounts = await last!.client.data<{ id: number; username: string }[]>(
      'GET',
      '/api/accounts',
    )
    // What there is works, and can go: the next seed begins with none.
    for (const { id } of accounts) await last!.client.data('DELETE', `/api/accounts/${id}`)
    expect(await findingsOf(all), history).toEqual([])
    // Something happened at all.
    expect(said.filter((line) => /: 200$/.test(line)).length, history).toBeGreaterThan(0)
  },
  300_000,
)
