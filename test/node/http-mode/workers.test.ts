import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '#test/node/cache-redis/support/redis-server.ts'
import { ask, proxyToml, startApp, type RunningApp } from '#test/node/proxy/support/proxied-web.ts'
import { startOverStorage, STORAGES } from '#test/node/web-server/support/start-over-storage.ts'
import type { WebProcess } from '#test/node/web-server/support/web-process.ts'
import { SHARED_ROWS, type Look } from './support/shared-rows.ts'

let app: RunningApp
let redis: RedisServer
const runs = new Map<string, number>()
beforeAll(async () => {
  ;[app, redis] = await Promise.all([
    startApp((message, out) => {
      const path = message.url ?? ''
      const n = runs.get(path) ?? 0
      runs.set(path, n + 1)
      SHARED_ROWS[Number(path.split('/')[2])]?.[2](n, message, out)
    }),
    startRedis(),
  ])
})
afterAll(async () => {
  await Promise.all([app?.close(), redis?.remove()])
})

describe.each(STORAGES)('two workers over %s', (storage) => {
  let web: WebProcess
  beforeAll(async () => {
    web = await startOverStorage(
      storage,
      redis,
      `${proxyToml('p.test', app.port)}[virtualhost.cache]\nmode = "http"\n`,
    )
  })
  afterAll(() => web?.remove())

  const look = async (path: string, { method, headers, status, body, from, answered }: Look) => {
    const given = { method: method ?? 'GET', headers: headers ?? {} }
    // The answer that breaks off is an error for its client.
    if (status === 0) return expect(ask(web.port, path, given)).rejects.toThrow()
    const answer = await ask(web.port, path, given)
    const got = answer.headers
    const is = from === undefined ? undefined : got['x-cache']
    const fields = Object.keys(answered ?? {}).map((name) => [name, got[name]])
    expect([answer.status, is, body && answer.text, Object.fromEntries(fields)]).toEqual([
      ...[status ?? 200, from, body, answered ?? {}],
    ])
  }

  for (const [index, [section, says, , looks, wanted]] of SHARED_ROWS.entries()) {
    it(`${section}: ${says}`, async () => {
      const path = `/${storage}/${index}`
      for (const one of looks) {
        for (let time = 0; time < (one.times ?? 1); time++) await look(path, one)
      }
      if (wanted !== null) expect(runs.get(path)).toBe(wanted)
    })
  }
})
