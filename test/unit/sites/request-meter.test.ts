import { expect, test } from 'vitest'
import type { SiteGuard, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import type { RateLimit } from '#handlers/ports/host/site-settings.ts'
import { RequestMeter, type UsedBySites } from '#handlers/sites/guard/request-meter.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'

const limit = (change: Partial<RateLimit> = {}): RateLimit => ({
  ...{ path: '/', requests: 10, per_secs: 1, burst: 20, count_hits: true },
  ...change,
})
const site = (
  rules: RateLimit[],
  allow: string[] = [],
  domain = 'a.example',
): VirtualHostConfig => {
  const { headers: _h, error_pages: _e, index: _i, ...usual } = usualSiteSettings()
  const guard: SiteGuard = { ...usual, rate_limits: { rules, allow } }
  return virtualHost(domain, { guard })
}
const clock = () => {
  let nowMs = 1000
  return { nowMs: () => nowMs, pass: (ms: number) => (nowMs += ms) }
}
const passes = (meter: RequestMeter, vhost: VirtualHostConfig, from = '192.0.2.1', path = '/x') =>
  typeof meter.take(vhost, path, from, false) !== 'number'
/** How many of `count` requests pass. */
const passed = (count: number, ask: () => boolean): number => {
  let sum = 0
  for (let n = 0; n < count; n++) if (ask()) sum++
  return sum
}

test('an address gets its burst at once, and then what comes back', () => {
  const time = clock()
  const meter = new RequestMeter({ nowMs: time.nowMs })
  const vhost = site([limit()])
  expect(passed(100, () => passes(meter, vhost))).toBe(20)
  expect(meter.take(vhost, '/x', '192.0.2.1', false)).toBe(1)
  expect(passes(meter, vhost, '192.0.2.2')).toBe(true)
  time.pass(1000)
  expect(passed(100, () => passes(meter, vhost))).toBe(10)
  time.pass(60_000)
  expect(passed(100, () => passes(meter, vhost))).toBe(20)
})

test('says when to come again', () => {
  const meter = new RequestMeter({ nowMs: clock().nowMs })
  const vhost = site([limit({ requests: 2, per_secs: 60, burst: 1 })])
  expect(passes(meter, vhost)).toBe(true)
  expect(meter.take(vhost, '/x', '192.0.2.1', false)).toBe(30)
})

test('a request is within all limits of its path, and what is refused does not count', () => {
  const time = clock()
  const meter = new RequestMeter({ nowMs: time.nowMs })
  const vhost = site([limit(), limit({ path: '/login', requests: 1, burst: 2 })])
  const login = () => passes(meter, vhost, '192.0.2.1', '/login/x')
  expect(passed(50, login)).toBe(2)
  expect(passed(50, () => passes(meter, vhost, '192.0.2.1', '/loginx'))).toBe(18)
  time.pass(1000)
  expect(passed(50, login)).toBe(1)
})

test('an IPv6 customer is one address, whatever of his /64 he takes', () => {
  const meter = new RequestMeter({ nowMs: clock().nowMs })
  const vhost = site([limit()])
  let next = 0
  const ask = () => passes(meter, vhost, `2001:db8:0:7::${(++next).toString(16)}`)
  expect(passed(100, ask)).toBe(20)
  expect(passes(meter, vhost, '2001:db8:0:8::1')).toBe(true)
})

test('allowed addresses, and what is ready where that is free, neither count nor are refused', () => {
  const meter = new RequestMeter({ nowMs: clock().nowMs })
  const vhost = site([limit({ burst: 1, count_hits: false })], ['198.51.100.0/24'])
  expect(passed(50, () => passes(meter, vhost, '198.51.100.9'))).toBe(50)
  for (let n = 0; n < 50; n++)
    expect(meter.take(vhost, '/x', '192.0.2.1', true)).not.toBeTypeOf('number')
  const counted = meter.take(vhost, '/x', '192.0.2.1', false)
  if (typeof counted === 'number') throw new Error('it was to be let through')
  expect(passes(meter, vhost)).toBe(false)
  meter.wasHit(counted)
  expect(passes(meter, vhost)).toBe(true)
})

test('another configuration with the same limits goes on counting, with others it begins', () => {
  const meter = new RequestMeter({ nowMs: clock().nowMs })
  passed(100, () => passes(meter, site([limit()])))
  expect(passes(meter, site([limit()]))).toBe(false)
  expect(passes(meter, site([limit({ burst: 21 })]))).toBe(true)
})

/** Workers that hear of each other after `delay` rounds of requests. */
const cluster = (workers: number, vhost: VirtualHostConfig, delay: number) => {
  const time = clock()
  const mail: { due: number; from: number; used: UsedBySites }[] = []
  let round = 0
  const meters = Array.from({ length: workers }, (_, from) => {
    const tell = (used: UsedBySites) => mail.push({ due: round + delay, from, used })
    return new RequestMeter({ workers, nowMs: time.nowMs, tell })
  })
  return {
    meters,
    time,
    turn: async () => {
      await Promise.resolve()
      round++
      while (mail[0] !== undefined && mail[0].due <= round) {
        const one = mail.shift()
        for (const [at, meter] of meters.entries())
          if (one !== undefined && at !== one.from) meter.hear(one.used, () => vhost)
      }
    },
  }
}

test.each([2, 4, 8])(
  '%i workers let no more through than the limit and the stated part',
  async (workers) => {
    const vhost = site([limit({ requests: 100, per_secs: 1, burst: 160 })])
    const { meters, time, turn } = cluster(workers, vhost, 1)
    let sum = 0
    const rounds = 2000
    for (let n = 0; n < rounds; n++) {
      for (const meter of meters) if (passes(meter, vhost)) sum++
      await turn()
      time.pass(5)
    }
    const seconds = (rounds * 5) / 1000
    const step = Math.max(1, Math.floor(160 / 8 / workers))
    const bound = 160 + 100 * seconds + (workers - 1) * (step + 2)
    expect(sum).toBeLessThanOrEqual(bound)
    // And an honest share of it.
    expect(sum).toBeGreaterThan(0.9 * (100 * seconds))
  },
)

test('requests too few to be told of cannot add up over time', async () => {
  const vhost = site([limit({ requests: 1, per_secs: 1, burst: 3 })])
  const { meters, time, turn } = cluster(4, vhost, 1)
  let sum = 0
  for (let n = 0; n < 1000; n++) {
    for (const meter of meters) if (passes(meter, vhost)) sum++
    await turn()
    time.pass(1000)
  }
  expect(sum).toBeLessThanOrEqual(3 + 1000 + 3 * 2)
})

test('a blast at all workers at once gets the burst of each, once', async () => {
  const vhost = site([limit({ burst: 20 })])
  const { meters, turn } = cluster(4, vhost, 1)
  let sum = 0
  for (const meter of meters) sum += passed(1000, () => passes(meter, vhost))
  expect(sum).toBe(80)
  await turn()
  await turn()
  expect(meters.map((meter) => passes(meter, vhost))).toEqual([false, false, false, false])
})

test('a million addresses take bounded room and the same time each', () => {
  const meter = new RequestMeter()
  const vhost = site([limit()])
  const busy = site([limit({ per_secs: 86_400 })], [], 'b.example')
  passed(20, () => passes(meter, busy))
  const flood = (from: number, count: number): number => {
    const begun = performance.now()
    for (let n = from; n < from + count; n++)
      meter.take(vhost, '/x', `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`, false)
    return performance.now() - begun
  }
  const first = flood(0, 250_000)
  const rest = flood(250_000, 750_000)
  expect(meter.size).toBeLessThanOrEqual(20_100)
  expect(rest).toBeLessThan(12 * first + 500)
  // What another site has counted is not forgotten over it.
  expect(passes(meter, busy)).toBe(false)
})

test('floods at many sites share the room, and a site that is not asked often keeps what it knows', () => {
  const meter = new RequestMeter()
  const quiet = site([limit({ per_secs: 86_400 })], [], 'quiet.example')
  passed(20, () => passes(meter, quiet))
  const sites = Array.from({ length: 40 }, (_, n) => site([limit()], [], `s${n}.example`))
  for (let n = 0; n < 6000; n++)
    for (const one of sites) meter.take(one, '/x', `10.0.${n >> 8}.${n & 255}`, false)
  expect(meter.size).toBeLessThanOrEqual(200_001)
  expect(passes(meter, quiet)).toBe(false)
})
