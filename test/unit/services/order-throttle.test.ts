import { expect, test } from 'vitest'
import { createOrderThrottle } from '#handlers/services/certificates/order-throttle.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

test('an account orders 20 certificates a day, failed attempts included', () => {
  const clock = createFakeClock()
  const throttle = createOrderThrottle(clock)
  throttle.count(1)
  clock.advanceSecs(3600)
  for (let order = 1; order < 20; order++) throttle.count(1)
  expect(() => throttle.count(1)).toThrow(
    expect.objectContaining({ status: 429, headers: { 'retry-after': String(23 * 3600) } }),
  )
  // Another account has orders of its own.
  throttle.count(2)
  clock.advanceSecs(23 * 3600)
  throttle.count(1)
})
