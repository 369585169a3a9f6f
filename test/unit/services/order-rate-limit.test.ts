import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOrderRateLimit } from '#handlers/services/certificates/order-rate-limit.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

test('an account orders 20 certificates a day, failed attempts included, whichever panel it asks', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-orders-'))
  const { store, close } = await openStore(join(directory, 'panel.db'))
  try {
    const clock = createFakeClock()
    const [one, other] = [1, 2].map(() => createOrderRateLimit({ store, clock }))
    await one!.count(1)
    clock.advanceSecs(3600)
    for (let order = 1; order < 20; order++) await (order % 2 === 0 ? one! : other!).count(1)
    await expect(one!.count(1)).rejects.toMatchObject({
      ...{ status: 429, headers: { 'retry-after': String(23 * 3600) } },
    })
    await expect(other!.count(1)).rejects.toMatchObject({ status: 429 })
    // Another account has orders of its own.
    await other!.count(2)
    clock.advanceSecs(23 * 3600)
    await one!.count(1)
  } finally {
    close()
    rmSync(directory, { recursive: true, force: true })
  }
})
