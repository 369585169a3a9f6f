import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createPurgeMarks,
  createRedisFillTurns,
  createRedisMarks,
  createRedisStore,
  createSharedFills,
  createSingleFlight,
  editionOf,
  type FillCoordinator,
  MARKS_KEY,
  parsePublished,
  purgeAll,
  purgeDomain,
  purgeTag,
} from '#edge-cache/index.ts'
import {
  openRedis,
  type RedisConnection,
} from '#adapters/node/web-server/cache/redis/redis-connection.ts'
import { openRedisOutbox } from '#adapters/node/web-server/cache/redis/redis-outbox.ts'
import { parseRedisUrl } from '#handlers/domain/config/redis-url.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

let redis: RedisServer
let connection: RedisConnection
const nowMs = (): number => 2_000
const none = { epoch: '', sequence: 0 }

beforeAll(async () => {
  redis = await startRedis()
  const address = parseRedisUrl(redis.url)
  if (typeof address === 'string') throw new Error(address)
  connection = openRedis(address)
  await eventually('the client is connected', () =>
    connection.send('x', ['PING']).then(
      () => true,
      () => false,
    ),
  )
})
afterAll(async () => {
  connection.close()
  await redis.remove()
})
beforeEach(() => redis.cli('flushall'))

const marksWith = (maxMarks?: number) =>
  createRedisMarks(connection, {
    channel: 'berth:test',
    nowMs,
    ...(maxMarks === undefined ? {} : { maxMarks }),
  })

describe('shared marks', () => {
  it('keep what instances report of themselves, and forget whose report is an old one alone', async () => {
    const shared = marksWith()
    await shared.read('one', none)
    const report = (front: string, count: number) => ({ front, epoch: 'one', sequence: 7, count })
    expect(await shared.glance(report('a', 1))).toEqual({ epoch: 'one', sequence: 0 })
    await shared.glance(report('b', 1))
    await shared.glance(report('b', 2))
    await redis.cli('hset', `${MARKS_KEY}:seen`, 'c', 'no report')
    const nothing = { front: 'c', epoch: '', sequence: 0, count: 0 }
    expect(await shared.fronts()).toEqual([report('a', 1), report('b', 2), nothing])
    await shared.forget([report('a', 1), report('b', 1)])
    expect(await shared.fronts()).toEqual([report('b', 2), nothing])
  })

  it('number purges of all instances in one order and give all of them back', async () => {
    const shared = marksWith()
    await shared.read('one', none)
    expect(await shared.purge('one', purgeTag('a'), 0)).toBe(1)
    expect(await shared.purge('one', purgeDomain('b.test'), 0)).toBe(2)
    expect(await shared.purge('one', [{ kind: 'tag', tag: 'c', soft: true }], 0)).toBe(3)
    const { epoch, sequence, purges } = await shared.read('two', none)
    expect({ epoch, sequence }).toEqual({ epoch: 'one', sequence: 3 })
    expect(purges.map(({ sequence: number, scopes }) => [number, scopes])).toEqual([
      [1, purgeTag('a')],
      [2, purgeDomain('b.test')],
      [3, [{ kind: 'tag', tag: 'c', soft: true }]],
    ])
  })

  it('continue above what an instance knew, and refuse another history', async () => {
    const shared = marksWith()
    expect(await shared.read('one', { epoch: 'zero', sequence: 7 })).toMatchObject({
      sequence: 7,
      start: 7,
      before: 'zero',
    })
    expect(await shared.purge('one', purgeTag('a'), 12.5)).toBe(13)
    expect(await shared.purge('other', purgeTag('a'), 0)).toBeNull()
  })

  it('begin a history that continues none when the server is another one now', async () => {
    const shared = marksWith()
    await shared.read('one', none)
    await shared.purge('one', purgeTag('a'), 0)
    expect(await shared.glance()).toEqual({ epoch: 'one', sequence: 1 })
    // Promoted: it goes on with what it has, under another name.
    await redis.cli('replicaof', '127.0.0.1', '1')
    await redis.cli('replicaof', 'no', 'one')
    expect(await shared.glance()).toEqual({ epoch: '', sequence: 1 })
    expect(await shared.purge('one', purgeTag('b'), 0)).toBeNull()
    expect(await shared.read('two', { epoch: 'one', sequence: 5 })).toMatchObject({
      ...{ epoch: 'two', former: 'one', before: '', sequence: 6, start: 6, floor: 6 },
      purges: [{ sequence: 6, scopes: purgeAll() }],
    })
    expect(await shared.read('three', none)).toMatchObject({ epoch: 'two', sequence: 6 })
    expect(await shared.purge('two', purgeTag('b'), 0)).toBe(7)
  })

  it('forget what a purge of everything covers', async () => {
    const shared = marksWith()
    await shared.read('one', none)
    await shared.purge('one', purgeTag('a'), 0)
    await shared.purge('one', purgeAll(), 0)
    const { purges } = await shared.read('one', none)
    expect(purges.map(({ scopes }) => scopes)).toEqual([purgeAll()])
  })

  it('are bounded, and what a dropped mark killed stays dead', async () => {
    const shared = marksWith(20)
    await shared.read('one', none)
    for (let i = 1; i <= 60; i++) await shared.purge('one', purgeTag(`tag${i}`), 0)
    expect(Number(await redis.cli('hlen', MARKS_KEY))).toBeLessThan(30)
    const marks = createPurgeMarks()
    const { purges } = await shared.read('one', none)
    for (const purge of purges) marks.apply(purge.sequence, purge.scopes, purge.atMs)
    for (let i = 1; i <= 60; i++) {
      const entry = cacheEntry('a.test', '/', { tags: [`tag${i}`], sequence: i - 1 })
      expect(marks.isPurged(entry), `tag${i}`).toBe(true)
    }
    expect(marks.isPurged(cacheEntry('a.test', '/', { tags: ['new'], sequence: 60 }))).toBe(false)
  })

  it('reads only messages of its own form', () => {
    expect(parsePublished('one 5 [{"kind":"all"}]')).toEqual({
      epoch: 'one',
      sequence: 5,
      scopes: purgeAll(),
    })
    for (const text of ['', 'one', 'one x []', '{"kind":"all"}']) {
      expect(parsePublished(text)).toBeNull()
    }
  })
})

describe('turns at making pages', () => {
  const { key } = cacheEntry('a.test', '/')
  const fillsOf = (name: string, epoch: string | null = 'one') =>
    createSharedFills(
      createSingleFlight(),
      createRedisFillTurns(connection, { epoch: () => epoch, name }),
      { waitMs: 300, lookMs: 10 },
    )
  const lead = async (fills: FillCoordinator) => {
    const joined = await fills.join(key)
    if (joined.role !== 'leader') throw new Error('It does not lead.')
    return joined
  }

  it('go to one server after the other', async () => {
    const first = await lead(fillsOf('a'))
    const seen: string[] = []
    const others = ['b', 'c'].map(async (name) => {
      const second = await lead(fillsOf(name))
      seen.push(name)
      second.settle({ kind: 'stored', entry: cacheEntry('a.test', '/') })
    })
    expect(seen).toEqual([])
    first.settle({ kind: 'stored', entry: cacheEntry('a.test', '/') })
    await Promise.all(others)
    expect(seen.toSorted()).toEqual(['b', 'c'])
    await eventually('all are given back', async () => (await redis.cli('keys', '*:f:*')) === '')
  })

  it('tell what they came to, where there is no page', async () => {
    for (const kind of ['uncacheable', 'failed'] as const) {
      const first = await lead(fillsOf('a'))
      const waiting = fillsOf('b').join(key)
      first.settle({ kind })
      expect(await waiting).toEqual({ role: 'follower', outcome: { kind } })
      await redis.cli('del', ...(await redis.cli('keys', '*:f:*')).split('\n'))
    }
  })

  it('are waited for a moment, and never given back by who lost them', async () => {
    const slow = await lead(fillsOf('a'))
    const fast = await lead(fillsOf('b'))
    fast.settle({ kind: 'stored', entry: cacheEntry('a.test', '/') })
    await redis.cli('del', await redis.cli('keys', '*:f:*'))
    const third = await lead(fillsOf('c'))
    const held = await redis.cli('keys', '*:f:*')
    slow.settle({ kind: 'uncacheable' })
    expect(await redis.cli('get', held)).toBe('c.1')
    third.settle({ kind: 'failed' })
  })

  it('are everybody’s where Redis is not in use, or does not answer', async () => {
    await lead(fillsOf('a'))
    await lead(fillsOf('b', null))
    redis.signal('SIGSTOP')
    try {
      await lead(fillsOf('c'))
    } finally {
      redis.signal('SIGCONT')
    }
  })
})

describe('the store beside the marks', () => {
  const storeOf = (change: Partial<Parameters<typeof createRedisStore>[1]> = {}) =>
    createRedisStore(connection, {
      limitBytes: 2 ** 20,
      epoch: 'one',
      known: () => 0,
      onBehind: () => undefined,
      nowMs,
      ...change,
    })

  it('trusts no page while the server knows a purge that is not known here', async () => {
    const shared = marksWith()
    await shared.read('one', none)
    let known = 0
    let behind = 0
    const store = storeOf({ known: () => known, onBehind: () => behind++ })
    const entry = cacheEntry('a.test', '/')
    await store.put(entry)
    expect(await store.get(entry.key)).not.toBeNull()
    await shared.purge('one', purgeDomain('other.test'), 0)
    expect(await store.get(entry.key)).toBeNull()
    expect(behind).toBe(1)
    known = 1
    expect(await store.get(entry.key)).not.toBeNull()
    await redis.cli('del', MARKS_KEY)
    expect(await store.get(entry.key)).toBeNull()
  })

  it('counts what is there and what made room, also of others', async () => {
    await marksWith().read('one', none)
    // Of each bucket 8 KiB.
    const [one, other] = [storeOf({ limitBytes: 2 ** 21 }), storeOf({ limitBytes: 2 ** 21 })]
    expect(await other.count()).toMatchObject({ entries: 0, bytes: 0, evictions: 0 })
    const body = new Uint8Array(2000)
    for (let n = 0; n < 40; n++) await one.put(cacheEntry('a.test', `/${n}`, { body }))
    const few = await other.count()
    expect(few).toMatchObject({ entries: 40, evictions: 0, limitBytes: 2 ** 21 })
    expect(few.bytes).toBeGreaterThan(40 * 2000)
    for (let n = 0; n < 1000; n++) await one.put(cacheEntry('a.test', `/more${n}`, { body }))
    const { entries, bytes, evictions } = await other.count()
    expect(entries + evictions).toBe(1040)
    expect(evictions).toBeGreaterThan(100)
    expect(bytes).toBeLessThanOrEqual(2 ** 21)
    await one.delete(cacheEntry('a.test', '/more999').key)
    expect((await other.count()).entries).toBe(entries - 1)
  })

  it('tells whether a page took the place of another one', async () => {
    await marksWith().read('one', none)
    const told: unknown[] = []
    const store = storeOf({ onChanged: async (...change) => told.push(change) })
    const entry = cacheEntry('a.test', '/')
    await store.put(entry)
    await store.put(entry)
    await store.delete(entry.key)
    const { id } = entry.key
    expect(told).toEqual([
      [id, editionOf(entry), false],
      [id, editionOf(entry), true],
      [id, null, true],
    ])
  })

  it('leaves nothing of a bucket when its last page has expired', async () => {
    await marksWith().read('one', none)
    const store = storeOf()
    await store.put(cacheEntry('a.test', '/soon', { expiresAtMs: nowMs() + 300 }))
    await eventually('only the marks are left', async () => (await redis.cli('dbsize')) === '1')
  })

  it('lets pages expire in Redis itself', async () => {
    await marksWith().read('one', none)
    const store = storeOf()
    const entry = cacheEntry('a.test', '/soon', { expiresAtMs: nowMs() + 300 })
    await store.put(entry)
    expect(await store.get(entry.key)).not.toBeNull()
    await eventually('it is gone', async () => (await store.get(entry.key)) === null)
  })
})

describe('purges kept for Redis', () => {
  beforeEach(makeDirectory)

  it('outlive the process, and go when Redis has them', () => {
    const file = join(directory, 'sub/purges.jsonl')
    const log = createRecordingLog()
    const box = openRedisOutbox(file, log)
    box.add(purgeTag('a'))
    box.add(purgeDomain('b.test'))
    const again = openRedisOutbox(file, log)
    expect(again.waiting).toEqual([purgeTag('a'), purgeDomain('b.test')])
    const [first = []] = again.waiting
    again.done([first])
    expect(openRedisOutbox(file, log).waiting).toEqual([purgeDomain('b.test')])
    again.done(again.waiting)
    expect(existsSync(file)).toBe(false)
  })

  it('take a torn last line for unsaid and a broken one for a purge of everything', () => {
    const file = join(directory, 'purges.jsonl')
    const log = createRecordingLog()
    openRedisOutbox(file, log).add(purgeTag('a'))
    appendFileSync(file, 'garbage\n[{"kind":"tag","ta')
    const box = openRedisOutbox(file, log)
    expect(box.waiting).toEqual([purgeTag('a'), purgeAll()])
    // What is added next does not continue the torn line.
    box.add(purgeTag('b'))
    expect(openRedisOutbox(file, log).waiting).toEqual([purgeTag('a'), purgeAll(), purgeTag('b')])
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
  })
})
