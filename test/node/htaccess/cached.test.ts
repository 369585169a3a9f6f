import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBothServers, type BothServers } from './support/both-servers.ts'
import { expectSame } from './support/expect-same.ts'
import { caseSites } from './sites/index.ts'

let servers: BothServers
let hits = 0
beforeAll(async () => {
  servers = await startBothServers(caseSites, { cache: true })
})
afterAll(async () => {
  await servers?.stop()
})

/** Rules look at cookies, addresses, browsers and the clock: a page from the cache must not pass them by. */
describe('with the page cache on, one visitor’s answer is not another’s', () => {
  test.each(caseSites)('$name', async ({ name, asks }) => {
    for (const round of [asks, asks.toReversed(), asks]) {
      for (const ask of round) {
        const { headers } = await expectSame(servers, name, ask)
        if (headers['x-cache'] === 'HIT') hits++
      }
    }
  })
})

test('pages did come from the cache', () => {
  expect(hits).toBeGreaterThan(100)
})
