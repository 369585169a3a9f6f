import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBothServers, type BothServers } from './support/both-servers.ts'
import { DIFFERENCES } from './support/differences.ts'
import { expectSame, titleOf } from './support/expect-same.ts'
import { REFUSED, REQUIRED } from './sites/expression-names.ts'
import { caseSites } from './sites/index.ts'

let servers: BothServers
beforeAll(async () => {
  servers = await startBothServers(caseSites)
})
afterAll(async () => {
  await servers?.stop()
})

describe.each(caseSites)('answers as Apache does: $name', ({ name, asks }) => {
  test.each(asks.map((ask) => [titleOf(ask), ask] as const))('%s', async (_, ask) => {
    await expectSame(servers, name, ask)
  })
})

test.each(REQUIRED)('Require expr lets in whom Apache lets in: %s', async (path) => {
  const { apache, berth } = await servers.ask('expression-names', [0, path])
  expect([200, 403]).toContain(apache.status)
  expect(berth.status).toBe(apache.status)
})

test.each(REFUSED)('what expressions cannot name here closes the directory: %s', async (path) => {
  const { apache, berth } = await servers.ask('expression-names', [0, path])
  expect([200, 500]).toContain(apache.status)
  expect(berth.status).toBe(500)
})

test('the comparison is a broad one, and every difference names a request', () => {
  expect(caseSites.flatMap(({ asks }) => asks).length).toBeGreaterThan(190)
  for (const { site, targets } of DIFFERENCES) {
    const asks = caseSites.find(({ name }) => name === site)?.asks ?? []
    expect(asks.map(([, asked]) => asked)).toEqual(expect.arrayContaining([...targets]))
  }
})
