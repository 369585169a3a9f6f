import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
beforeAll(async () => {
  host.plant({ '/body.php': '<?php echo strlen(file_get_contents("php://input"));' })
  await host.startPhp()
})
afterAll(() => host.stop())

const MEGABYTE = 2 ** 20

/** A body of unknown length that goes on when `until` resolves. */
const chunked = (megabytes: number, until: Promise<void>, onSent = () => undefined as void) => {
  let sent = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent < megabytes) return controller.enqueue(new Uint8Array(MEGABYTE).fill(++sent))
      onSent()
      await until
      controller.close()
    },
  })
}

it('gives a site its share of the disk for bodies of unknown length, and gets it back', async () => {
  const { visit } = host.site({}, { spoolBytes: 8 * MEGABYTE, spoolBytesPerSite: 4 * MEGABYTE })
  const now = Promise.resolve()
  const post = (body: ReadableStream<Uint8Array>) => visit('/body.php', { method: 'POST', body })

  expect((await post(chunked(5, now))).status).toBe(413)

  const hold = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  const first = post(chunked(3, hold.promise, sent.resolve))
  await sent.promise
  const second = await post(chunked(3, now))
  expect(second.status).toBe(503)
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
  hold.resolve()
  expect(await (await first).text()).toBe(String(3 * MEGABYTE))
  expect(await (await post(chunked(3, now))).text()).toBe(String(3 * MEGABYTE))
  expect(readdirSync(join(host.directory, 'spool'))).toEqual([])
})
