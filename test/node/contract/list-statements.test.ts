import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { fillStore } from '#test/support/fill-store.ts'
import { api, emptyApi } from '#test/support/setups/fresh-api.ts'

const LISTS = [
  '/api/accounts?page=1&per_page=20&sort=bandwidth_used_mb&order=desc',
  '/api/accounts?page=1&per_page=20&q=example&status=active',
  '/api/accounts/totals?ids=1,2,3,4,5,6,7,8,9',
  '/api/php/config?page=1&per_page=20&sort=username',
  '/api/domains?page=1&per_page=20&sort=username',
  '/api/domains?page=1&per_page=20&q=u1&ssl_status=none',
  '/api/domains/account/1?page=1&per_page=20',
  '/api/databases/1?page=1&per_page=20&sort=size_bytes',
  '/api/ssl/certificates?page=1&per_page=20&status=valid',
  '/api/backups/accounts/1?page=1&per_page=20',
  '/api/users?page=1&per_page=20',
  '/api/people?page=1&per_page=20',
  '/api/resellers?page=1&per_page=20',
  '/api/tokens?page=1&per_page=20',
  '/api/audit?account_id=1&page=1&per_page=20',
  // The dashboard.
  '/api/audit?page=1&per_page=5',
  '/api/system/stats',
  '/api/system/info',
]

/** How many statements were run since the last call, of all connections of this process. */
const countStatements = () => {
  const prepare = Database.prototype.prepare as (this: Database.Database, sql: string) => unknown
  let count = 0
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    count += 1
    return prepare.call(this, sql)
  } as typeof Database.prototype.prepare
  return {
    take: (): number => {
      const taken = count
      count = 0
      return taken
    },
    stop: () => {
      Database.prototype.prepare = prepare as typeof Database.prototype.prepare
    },
  }
}

emptyApi()

test('a list takes as many statements however long it is', async () => {
  const admin: ApiClient = await adminClient(api)
  await createAccount(admin, 'first')
  const counter = countStatements()
  try {
    const cost = async (path: string): Promise<[string, number]> => {
      // Measuring how full homes are goes on in the background.
      await api.background.settled()
      counter.take()
      const { status, body } = await admin.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(body.ok).toBe(true)
      return [path, counter.take()]
    }
    const costs = async () => {
      const all = []
      for (const path of LISTS) all.push(await cost(path))
      return all
    }
    fillStore(api.storeFile, { accounts: 110, domainsOfEach: 2 })
    const few = await costs()
    fillStore(api.storeFile, { accounts: 400, domainsOfEach: 5, prefix: 'v' })
    const { headers } = await admin.get('/api/domains?page=1&per_page=1')
    expect(headers.get('x-total-count')).toBe('2221')
    expect(await costs()).toEqual(few)
    // Who the caller is, whether the token is void, the page, the count, and some to spare.
    for (const [path, count] of few) expect([path, count < 10]).toEqual([path, true])
  } finally {
    counter.stop()
  }
})
