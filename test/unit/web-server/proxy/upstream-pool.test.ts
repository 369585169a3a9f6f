import { describe, expect, test } from 'vitest'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import {
  UpstreamPool,
  type Upstream,
} from '#adapters/node/web-server/proxy/upstreams/upstream-pool.ts'
import { createUpstreamPools } from '#adapters/node/web-server/proxy/upstreams/upstream-pools.ts'

const hostOf = (weights: number[], more = ''): VirtualHostConfig => {
  const list = weights.map(
    (weight, at) => `{ upstream = "http://127.0.0.1:${3000 + at}", weight = ${weight} }`,
  )
  const text = `[[virtualhost]]\ndomain = "a.test"\n[virtualhost.proxy]\nupstreams = [${list.join(', ')}]\n${more}\n`
  const { hosts, problems } = parseIncludedFile('/v/a.toml', text)
  expect(problems).toEqual([])
  const [only] = hosts
  if (only === undefined) throw new Error('no host')
  return only.host
}

const poolOf = (weights: number[], more = '') => {
  const host = hostOf(weights, more)
  const clock = { ms: 1_000_000 }
  if (host.proxy === null) throw new Error('no proxy')
  return { pool: new UpstreamPool(host, host.proxy, () => clock.ms), clock }
}
const place = (pool: UpstreamPool, one: Upstream | null): number =>
  one === null ? -1 : pool.all.indexOf(one)

describe('UpstreamPool', () => {
  test('interleaves equals by weight, and follows what is under way', () => {
    const { pool } = poolOf([3, 1])
    const order = Array.from({ length: 8 }, () => {
      const one = pool.take([])
      if (one !== null) pool.settle(one)
      return place(pool, one)
    })
    expect(order).toEqual([0, 0, 1, 0, 0, 0, 1, 0])
    // Nothing ends: three for every one.
    const busy = Array.from({ length: 40 }, () => place(pool, pool.take([])))
    expect(busy.filter((at) => at === 1)).toHaveLength(10)
    expect(pool.all.map(({ active }) => active)).toEqual([30, 10])
  })

  test('leaves one alone for pauses that grow, and has one request try it', () => {
    const { pool, clock } = poolOf([1, 1], 'back_off_secs = 3')
    const [first, second] = pool.all
    if (first === undefined || second === undefined) throw new Error('two are wanted')
    const pauses: number[] = []
    for (let round = 0; round < 4; round++) {
      pool.failed(first, 'unreachable')
      // Others that were under way with it are the same failure.
      pool.failed(first, 'unreachable')
      pauses.push(first.outUntilMs - clock.ms)
      expect(place(pool, pool.take([]))).toBe(1)
      clock.ms = first.outUntilMs
      const tries = [pool.take([second]), pool.take([])]
      expect(tries.map((one) => place(pool, one))).toEqual([0, 1])
    }
    expect(pauses).toEqual([1000, 2000, 3000, 3000])
    pool.answered(first)
    expect(first.outUntilMs).toBe(0)
    pool.failed(first, 'unreachable')
    expect(first.outUntilMs - clock.ms).toBe(1000)
  })

  test('one that was tried is free for the next try, also when nothing was learned of it', () => {
    const { pool, clock } = poolOf([1, 1])
    const [first, second] = pool.all
    if (first === undefined || second === undefined) throw new Error('two are wanted')
    pool.failed(first, 'unreachable')
    clock.ms += 1000
    expect(place(pool, pool.take([second]))).toBe(0)
    pool.unknown(first)
    pool.settle(first)
    expect(place(pool, pool.take([second]))).toBe(0)
  })

  test('counts requests without an answer in a row', () => {
    const { pool } = poolOf([1, 1])
    const [first] = pool.all
    if (first === undefined) throw new Error('one is wanted')
    const faults = ['silent', 'broken', null, 'silent', 'silent'] as const
    for (const fault of faults)
      if (fault === null) pool.answered(first)
      else pool.failed(first, fault)
    expect(first.outUntilMs).toBe(0)
    pool.failed(first, 'broken')
    expect(first.outUntilMs).toBeGreaterThan(0)
  })

  test('asks the one that is back soonest where none is up, and nobody twice', () => {
    const { pool, clock } = poolOf([1, 1, 1])
    for (const one of pool.all) {
      pool.failed(one, 'unreachable')
      clock.ms -= 100
    }
    const tried: Upstream[] = []
    const order: number[] = []
    for (;;) {
      const one = pool.take(tried)
      if (one === null) break
      order.push(place(pool, one))
      tried.push(one)
    }
    expect(order).toEqual([2, 1, 0])
  })

  test('leaves out what fails two questions after its health, until it passes one', () => {
    const { pool } = poolOf([1, 1], 'health_path = "/health"')
    const [first] = pool.all
    if (first === undefined) throw new Error('one is wanted')
    pool.checked(first, false)
    expect(pool.states()[0]?.up).toBe(1)
    pool.checked(first, false)
    expect(pool.states()[0]?.up).toBe(0)
    expect(place(pool, pool.take([]))).toBe(1)
    pool.checked(first, true)
    expect(pool.states()[0]?.up).toBe(1)
  })
})

describe('upstream pools', () => {
  test('keep what they know over a change elsewhere, and forget what is configured no more', () => {
    const pools = createUpstreamPools()
    const host = hostOf([1, 1])
    pools.review([host])
    const [pool] = pools.all()
    const [one] = pool?.all ?? []
    if (pool === undefined || one === undefined || host.proxy === null) throw new Error('no pool')
    expect(pools.of(host, host.proxy)).toBe(pool)
    pool.failed(one, 'unreachable')
    const again = hostOf([1, 1])
    pools.review([again])
    expect(pools.states().map(({ up }) => up)).toEqual([0, 1])
    pools.review([hostOf([2, 1])])
    expect(pools.states().map(({ up }) => up)).toEqual([1, 1])
    pools.review([])
    expect(pools.states()).toEqual([])
  })
})
