import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import type { HistoryRange, HostHistory } from '#handlers/services/host/history.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'

/** Time for several samples, which are ten seconds apart. */
const SAMPLES_MS = 60_000
const PACE_MS = 500

let tenant: Tenant
shareInstance({ settings: { server: 'workers = 1', databases: 'mariadb = "off"' } })
beforeAll(async () => {
  tenant = await Tenant.create(panel)
  await tenant.put('public_html/index.html', '<h1>hello</h1>')
})

const read = (range: HistoryRange): Promise<HostHistory> =>
  panel.data<HostHistory>('GET', `/api/system/history?range=${range}`)
const visit = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1)
    expect((await instance.site(tenant.domain, '/')).status).toBe(200)
  await setTimeout(PACE_MS)
}
const highest = (values: readonly (number | null)[]): number =>
  Math.max(0, ...values.map((value) => value ?? 0))

test('the figures move when sites are visited, and a restart keeps them', async () => {
  await eventually(
    'requests and hits are measured',
    async () => {
      await visit()
      const { series } = await read('15m')
      return highest(series.requests_per_sec) > 1 && highest(series.cache_hit_percent) > 50
    },
    SAMPLES_MS,
  )
  const before = await read('15m')
  // Ours are the only visitors, and they come one after the other.
  expect(highest(before.series.requests_per_sec)).toBeLessThan(500)
  expect(highest(before.series.cpu_percent)).toBeLessThanOrEqual(100)
  expect(highest(before.series.memory_used_bytes)).toBeGreaterThan(2 ** 20)
  expect(highest(before.series.memory_percent)).toBeGreaterThan(0)
  const measured = before.times.filter((_, index) => before.series.cpu_percent[index] !== null)
  expect(measured.length).toBeGreaterThan(1)

  await instance.stop({ keep: true })
  await instance.startAgain()
  await instance.untilReady()
  const after = await read('15m')
  const known = after.times.filter((_, index) => after.series.cpu_percent[index] !== null)
  expect(known).toEqual(expect.arrayContaining(measured.slice(0, 1)))
  // The counters began anew: nothing that was counted before is taken for a rate, up or down.
  for (const value of after.series.requests_per_sec) {
    expect(value ?? 0).toBeGreaterThanOrEqual(0)
    expect(value ?? 0).toBeLessThan(500)
  }
})
