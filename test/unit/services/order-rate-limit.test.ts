import { expect, test } from 'vitest'
import { createOrderRateLimit } from '#handlers/services/certificates/order-rate-limit.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

test('an account orders 20 certificates a day, failed attempts included', () => {
  const clock = createFakeClock()
  const rateLimit = createOrderRateLimit(clock)
  rateLimit.count(1)
  clock.advanceSecs(3600)
  for (let order = 1; order < 20; order++) rateLimit.count(1)
  expect(() => rateLimit.count(1)).toThrow(
    expect.objectContaining({ status: 429, headers: { 'retry-after': String(23 * 3600) } }),
  )
  // Another account has orders of its own.
  rateLimit.count(2)
  clock.advanceSecs(23 * 3600)
  rateLimit.count(1)
})
