import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let mallory: Tenant

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  const write = `open(my $f, '>', $ARGV[0]) or die; print $f 'x' x 10_000_000;`
  await mallory.run('perl', ['-e', write, '--', mallory.path('large.txt')])
})

/** Some 300 to 490 are reached, as garbage is collected sooner or later; sixty answers at once would be thousands. */
const MAX_MEGABYTES = 600

const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('an account that reads a large file many times at once is served a few at a time', async () => {
  const { token } = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    username: mallory.username,
    password: mallory.password,
  })
  const read = (as: string | null) =>
    panel.call('GET', `/api/files/read?account_id=${mallory.id}&path=large.txt`, undefined, as)
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => read(token).then(({ status }) => status)),
  )
  expect(new Set(answers)).toEqual(new Set([200, 503]))
  expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4)
  const { agent, panel: panelPid } = await instance.pids()
  expect(peakMegabytes(agent)).toBeLessThan(MAX_MEGABYTES)
  expect(peakMegabytes(panelPid)).toBeLessThan(MAX_MEGABYTES)
  // The slots are free again, also of answers that nobody read to their end.
  expect((await read(token)).status).toBe(200)
  const leaving = new AbortController()
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const url = new URL(
        `/api/files/read?account_id=${mallory.id}&path=large.txt`,
        instance.panelUrl,
      )
      const headers = { authorization: `Bearer ${token}` }
      await fetch(url, { headers, signal: leaving.signal }).then(
        () => leaving.abort(),
        () => undefined,
      )
    }),
  )
  expect((await read(token)).status).toBe(200)
})
