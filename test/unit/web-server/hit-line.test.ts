import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import { AccessLog, hitEnding, hitTail, logTail } from '#adapters/node/web-server/log/access-log.ts'
import { LogBuffer } from '#adapters/node/web-server/log/log-buffer.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(makeDirectory)

it('writes a hit from bytes as it writes it from texts', async () => {
  const file = join(directory, 'access.log')
  const sums: [string, number][] = []
  const buffer = new LogBuffer(file, (error) => {
    throw error
  })
  const log = new AccessLog(new HttpClock(), buffer, (host, bytes) => sums.push([host, bytes]))
  const tail = logTail('https://a.test/"x\\', 'Agent\u0001\u00ff', 'b.test')
  const cases: [method: string, target: string, status: 200 | 304, bytes: number][] = [
    ['GET', '/', 200, 0],
    ['GET', '/%22page?a=b', 200, 9],
    ['HEAD', '/page', 200, 10],
    ['GET', '/page', 304, 0],
    ['GET', `/${'a'.repeat(2000)}`, 200, 99],
    ['GET', '/large', 200, 100_000],
    ['GET', '/huge', 200, 8_589_934_592],
  ]
  for (const [method, target, status, bytes] of cases) {
    log.hit('2001:db8::1', method, target, status, bytes, tail, 'b.test')
    const head = Buffer.from(`before${method} ${target} HTTP/1.1\r\n`, 'latin1')
    const address = Buffer.from('2001:db8::1', 'latin1')
    const end = head.length - 2
    log.hitLine(address, head, 6, end, status, bytes, hitTail(tail), 'b.test')
    for (const cache of [null, 'BYPASS', 'HIT']) {
      log.hit('2001:db8::1', method, target, status, bytes, tail, 'b.test', 'HTTP/1.1', cache)
      const ending = hitEnding(cache)
      log.hitLine(address, head, 6, end, status, bytes, hitTail(tail), 'b.test', ending)
    }
  }
  await log.close()
  const lines = readFileSync(file, 'latin1').split('\n').slice(0, -1)
  expect(lines).toHaveLength(8 * cases.length)
  for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i])
  expect(lines[9]).toContain('"GET /%22page?a=b HTTP/1.1" 200 9 "')
  expect(lines[3]).toMatch(/ b\.test - 0\.000$/)
  expect(lines[5]).toMatch(/ b\.test BYPASS 0\.000$/)
  for (let i = 0; i < sums.length; i += 2) expect(sums[i + 1]).toEqual(sums[i])
})
