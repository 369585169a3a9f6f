import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  accountClient,
  apiClient,
  newAccount,
  type ApiClient,
} from '#test/contract/frame/api-instance.ts'
import { newPerson } from '#test/contract/access/joining.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

/**
 * Changes of an account go one after the other, and a turn may take long to come. Whoever asked
 * for one is judged again then, whatever the change is: the lock does it, not the change.
 */
const ACCOUNT = 1

const addon = (name: string) => ({
  account_id: ACCOUNT,
  domain_name: `${name}.example`,
  domain_type: 'addon',
  document_root: `/home/alice/${name}`,
})
const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status

/** The status with which a job ended. */
const ofJob = async (path: string, client: ApiClient): Promise<number> => {
  const begun = await client.send('POST', path, undefined, { prefer: 'respond-async' })
  expect(begun.status).toBe(200)
  await api.background.settled()
  const { job_id: id } = begun.body.data as { job_id: string }
  return ((await admin.get(`/api/jobs/${id}`)).body.data as { status: number }).status
}

/** What an owner may ask for, one for each kind of turn, and accounts named in path and body. */
const CHANGES: Readonly<Record<string, (client: ApiClient) => Promise<number>>> = {
  'a domain': (client) => status(client.post('/api/domains', addon('late'))),
  'a database': (client) =>
    status(
      client.post('/api/databases', {
        ...{ account_id: ACCOUNT, engine: 'mariadb', db_name: 'late' },
        db_password: 'a password of it',
      }),
    ),
  'a setting': (client) => status(client.send('PATCH', '/api/domains/1', { cache_enabled: false })),
  PHP: (client) => status(client.post(`/api/php/version/${ACCOUNT}`, { version: '8.2' })),
  'a key': (client) => status(client.send('PATCH', `/api/sftp/${ACCOUNT}`, { passwords: false })),
  'a backup': (client) => ofJob(`/api/backups/accounts/${ACCOUNT}`, client),
}

/** Turns of the event loop in which what was begun comes as far as it can. */
const asFarAsItCan = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Holds every turn of the account by changes of the administrator, until told to go on. */
const holdTurns = async (): Promise<() => Promise<void>> => {
  let go = (): void => undefined
  const mayGo = new Promise<void>((resolve) => (go = resolve))
  const { webServer, sftp, backups } = api.host
  const held: unknown[] = []
  const hold = <K extends string>(port: Record<K, (input: never) => unknown>, method: K): void => {
    const real = port[method]
    port[method] = async (input: never) => {
      port[method] = real
      held.push(method)
      await mayGo
      return real.call(port, input)
    }
  }
  hold(webServer, 'apply')
  hold(sftp, 'setLogins')
  hold(backups, 'start')
  const answers = [
    admin.post('/api/domains', addon('held')),
    admin.send('PATCH', `/api/sftp/${ACCOUNT}`, { passwords: true }),
    admin.post(`/api/backups/accounts/${ACCOUNT}`),
  ].map(status)
  await expect.poll(() => held.length).toBe(answers.length)
  return async () => {
    go()
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  }
}

/** What becomes of all of them when `end` happens while they wait. */
const whileTheyWait = async (
  client: ApiClient,
  end: () => Promise<unknown>,
  changes = CHANGES,
): Promise<Record<string, number>> => {
  const go = await holdTurns()
  const begun = vi.spyOn(api.judges, 'run')
  const answers = Object.entries(changes).map(
    async ([name, change]) => [name, await change(client)] as const,
  )
  await expect
    .poll(() => begun.mock.calls.filter(([judge]) => judge !== null).length)
    .toBe(answers.length)
  begun.mockRestore()
  await asFarAsItCan()
  await end()
  await go()
  return Object.fromEntries(await Promise.all(answers))
}
const all = (code: number) => Object.fromEntries(Object.keys(CHANGES).map((name) => [name, code]))
const tokenOf = ({ body }: { body: { data?: unknown } }): string =>
  (body.data as { token: string }).token

describe('changes of an account that wait for their turn', () => {
  let alice: ApiClient
  let jan: ApiClient
  let janId: number
  freshApi('alice')
  beforeEach(async () => {
    alice = await accountClient(api, 'alice')
    jan = await newPerson(api, alice, ACCOUNT, 'jan@mail.example', 'owner')
    const { body } = await alice.get(`/api/accounts/${ACCOUNT}/people`)
    janId = (body.data as { id: number }[])[0]?.id ?? 0
  })
  const people = (): string => `/api/accounts/${ACCOUNT}/people/${janId}`

  it('are made when nothing has changed', async () => {
    expect(await whileTheyWait(jan, async () => undefined)).toEqual(all(200))
  })

  it('are not made for a person whose access ended', async () => {
    expect(await whileTheyWait(jan, () => alice.del(people()))).toEqual(all(401))
  })

  it('are not made for a person who may only read by then', async () => {
    const lower = () => alice.send('PATCH', people(), { role: 'reader' })
    expect(await whileTheyWait(jan, lower)).toEqual(all(401))
  })

  it('are not made for a session that ended', async () => {
    expect(await whileTheyWait(jan, () => jan.post('/api/auth/logout'))).toEqual(all(401))
  })

  it('are not made for an API token that was deleted', async () => {
    const made = await alice.post('/api/tokens', { name: 'robot', scopes: ['read', 'write'] })
    const { id } = made.body.data as { id: number }
    const robot = apiClient(api, tokenOf(made))
    const remove = () => alice.del(`/api/tokens/${id}`)
    expect(await whileTheyWait(robot, remove)).toEqual(all(401))
  })

  it('are not made for an administrator who has left the account', async () => {
    const visit = await admin.post(`/api/accounts/${ACCOUNT}/login`)
    const visitor = apiClient(api, tokenOf(visit))
    // Ways in are changed by administrators under their own names alone.
    const { 'a key': _, ...changes } = CHANGES
    const { 'a key': __, ...wanted } = all(401)
    const leave = () => visitor.post('/api/auth/return')
    expect(await whileTheyWait(visitor, leave, changes)).toEqual(wanted)
  })

  it('are not made for an account that was suspended, and the suspension goes first', async () => {
    let suspended: Promise<number> | undefined
    expect(
      await whileTheyWait(alice, async () => {
        suspended = status(admin.post(`/api/accounts/${ACCOUNT}/suspend`, {}))
        await expect.poll(() => status(alice.get('/api/auth/me'))).toBe(401)
      }),
    ).toEqual(all(401))
    expect(await suspended).toBe(200)
    expect(api.host.users.made.get('alice')?.suspended).toBe(true)
  })
})

describe('changes of a reseller that wait for their turn', () => {
  freshApi()

  it('are not made in an account that is another one’s by then', async () => {
    const password = 'a long password'
    const ids: number[] = []
    for (const username of ['rita', 'olga']) {
      const made = await admin.post('/api/resellers', { username, password, plans: ['free'] })
      ids.push((made.body.data as { id: number }).id)
    }
    const rita = apiClient(api)
    rita.token = tokenOf(await rita.post('/api/auth/login', { username: 'rita', password }))
    expect((await rita.post('/api/accounts', newAccount('alice'))).status).toBe(200)
    // The move itself would wait for its turn behind them: what it writes is what counts.
    const give = () => api.store.updateAccount(ACCOUNT, { reseller_id: ids[1] ?? null })
    expect(await whileTheyWait(rita, give)).toEqual(all(404))
  })
})
