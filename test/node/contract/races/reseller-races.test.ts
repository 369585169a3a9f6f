import { beforeEach, expect, it } from 'vitest'
import { apiClient, newAccount, type ApiClient } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

let rita: ApiClient
let ritaId: number
let olgaId: number

freshApi()
beforeEach(async () => {
  const password = 'a long password'
  const make = async (username: string): Promise<number> => {
    const made = await admin.post('/api/resellers', { username, password, plans: ['free'] })
    return (made.body.data as { id: number }).id
  }
  ritaId = await make('rita')
  olgaId = await make('olga')
  rita = apiClient(api)
  const login = await rita.post('/api/auth/login', { username: 'rita', password })
  rita.token = (login.body.data as { token: string }).token
  expect((await rita.post('/api/accounts', newAccount('alice'))).status).toBe(200)
})

const statusOf = async (): Promise<string> =>
  ((await admin.get('/api/accounts/1')).body.data as { status: string }).status

/** Holds the account while the move is written, and does `work` behind it, which waits for its end. */
const behindTheMove = async <T>(work: () => Promise<T>): Promise<T> => {
  const { store } = api
  const { moveAccounts } = store
  let begun = (): void => undefined
  const isMoving = new Promise<void>((resolve) => (begun = resolve))
  let go = (): void => undefined
  const mayGo = new Promise<void>((resolve) => (go = resolve))
  store.moveAccounts = async (...args) => {
    store.moveAccounts = moveAccounts
    begun()
    await mayGo
    return moveAccounts.apply(store, args)
  }
  const moving = admin.post('/api/accounts/1/move', { reseller_id: olgaId })
  await isMoving
  // It was let in as the account was still his, which is the last that is asked before it waits.
  const { accountById, updateAccount } = store
  const isLetIn = new Promise<void>((resolve) => {
    store.updateAccount = (...args) => {
      resolve()
      return updateAccount.apply(store, args)
    }
    store.accountById = (id) => {
      resolve()
      return accountById.call(store, id)
    }
  })
  const waiting = work()
  await isLetIn
  // A few turns of the loop later it has taken its place behind the move.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  go()
  expect((await moving).status).toBe(200)
  return waiting
}

it.each([
  ['suspends', () => rita.post('/api/accounts/1/suspend', {}), 'active'],
  ['deletes', () => rita.del('/api/accounts/1'), 'active'],
] as const)(
  "a reseller %s no account that became another one's meanwhile",
  async (_, work, left) => {
    expect((await behindTheMove(work)).status).toBe(404)
    expect(await statusOf()).toBe(left)
  },
)

it("a reseller opens no account that became another one's meanwhile", async () => {
  expect((await rita.post('/api/accounts/1/suspend', {})).status).toBe(200)
  expect((await behindTheMove(() => rita.post('/api/accounts/1/unsuspend'))).status).toBe(404)
  expect(await statusOf()).toBe('suspended')
})

it("who is suspended with his accounts takes none along that became another one's meanwhile", async () => {
  const suspend = () => admin.post(`/api/resellers/${ritaId}/suspend`, { with_accounts: true })
  expect((await behindTheMove(suspend)).status).toBe(200)
  expect(await statusOf()).toBe('active')
})
