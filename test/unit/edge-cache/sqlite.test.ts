import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPurgeMarks,
  createSqliteReader,
  createSqliteWriter,
  isCorruptDatabase,
  NO_MARKS,
  purgeAll,
  purgeDomain,
  type PurgeMarks,
  purgePath,
  purgeTag,
} from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const OPTIONS = { limitBytes: 4 * 2 ** 20 }
const LIMIT = OPTIONS.limitBytes

describe('sqlite layer', () => {
  let file: string
  let open: Database.Database[]
  const connect = (options?: Database.Options): Database.Database => {
    const db = new Database(file, options)
    open.push(db)
    return db
  }
  const writer = (over: Partial<Parameters<typeof createSqliteWriter>[1]> = {}) =>
    createSqliteWriter(connect(), { ...OPTIONS, ...over })
  const reader = () => createSqliteReader(connect({ readonly: true }), OPTIONS)
  const closeAll = (): void => {
    for (const db of open) db.close()
    open = []
  }
  const diskBytes = (): number => statSync(file).size

  beforeEach(() => {
    makeDirectory()
    file = join(directory, 'cache.db')
    open = []
  })
  afterEach(() => {
    closeAll()
  })

  it('goes through a site without holding all of it, and can be left', async () => {
    const one = writer({ limitBytes: 200 * 2 ** 20 })
    const tags = Array.from({ length: 40 }, (_, at) => `${at}-${'x'.repeat(1000)}`)
    const pages = Array.from({ length: 1000 }, (_, at) =>
      one.put(cacheEntry('a.test', `/${at}`, { tags: ['host:a.test', ...tags] })),
    )
    await Promise.all(pages)
    const before = process.memoryUsage().heapUsed
    let most = 0
    let count = 0
    for (const { tags: own } of one.ofSite('host:a.test', 900)) {
      count++
      expect(own).toHaveLength(41)
      if (count === 1) most = process.memoryUsage().heapUsed - before
    }
    expect(count).toBe(900)
    expect(most).toBeLessThan(8 * 2 ** 20)
    const [left] = one.ofSite('host:a.test', 900)
    expect(left?.sequence).toBe(0)
    await one.put(cacheEntry('a.test', '/after'))
    expect(one.stats().entries).toBe(1001)
  })

  it('keeps pages and purge marks over a restart', async () => {
    const first = writer()
    await first.put(cacheEntry('a.test', '/'))
    first.saveMarks({ sequence: 1, scopes: purgeTag('post-1'), atMs: 5 })
    first.saveMarks({ sequence: 2, scopes: purgePath('a.test', '/x'), atMs: 6 })
    closeAll()
    const second = writer()
    expect(second.stats().entries).toBe(1)
    expect(reader().get(cacheEntry('a.test', '/').key)).toMatchObject({ sequence: 0 })
    const marks = createPurgeMarks({ snapshot: second.loadMarks() })
    expect(marks.current()).toBe(2)
    expect(marks.isPurged(cacheEntry('a.test', '/x', { sequence: 1 }))).toBe(true)
    second.saveMarks({ sequence: 3, scopes: purgeAll(), atMs: 7 })
    expect(second.loadMarks()).toEqual({ ...NO_MARKS, sequence: 3, floor: 3 })
  })

  it('keeps a purge although the process dies the next moment', () => {
    const dying = writer()
    dying.saveMarks({ sequence: 9, scopes: purgeDomain('a.test'), atMs: 0 })
    // Not closed: what a second connection sees is what is in the files.
    expect(writer().loadMarks()).toMatchObject({ sequence: 9, tags: [['host:a.test', 9]] })
  })

  it('bounds the marks; the floor covers what went', () => {
    const subject = writer({ maxMarks: 10 })
    for (let i = 1; i <= 40; i++) {
      subject.saveMarks({ sequence: i, scopes: purgeTag(`t${i}`), atMs: i })
    }
    const { floor, tags, sequence } = subject.loadMarks()
    expect(sequence).toBe(40)
    expect(tags.length).toBeLessThanOrEqual(10)
    expect(floor).toBe(40 - tags.length)
  })

  it('does not store what was purged on the way', async () => {
    const marks = createPurgeMarks()
    const subject = writer({ marks })
    const put = subject.put(cacheEntry('a.test', '/'))
    marks.apply(1, purgeDomain('a.test'), 0)
    await put
    expect(subject.stats().entries).toBe(0)
  })

  it('drops tables of another version, and a reader waits for its writer', async () => {
    const subject = writer()
    await subject.put(cacheEntry('a.test', '/'))
    connect().pragma('user_version = 99')
    closeAll()
    expect(() => reader()).toThrow(/version 99/)
    expect(writer().stats().entries).toBe(0)
    expect(reader().get(cacheEntry('a.test', '/').key)).toBeNull()
  })

  it('tells a damaged file from other faults', () => {
    writeFileSync(
      file,
      'this is no database, it is a text that is long enough to be read '.repeat(20),
    )
    let damage: unknown
    try {
      writer()
    } catch (error) {
      damage = error
    }
    expect(isCorruptDatabase(damage)).toBe(true)
    expect(isCorruptDatabase(new Error('other'))).toBe(false)
  })

  it('throws for a row that is not as it was written', async () => {
    await writer().put(cacheEntry('a.test', '/'))
    connect().exec("UPDATE entries SET body = x'00'")
    expect(() => reader().get(cacheEntry('a.test', '/').key)).toThrow(/damaged/)
  })

  it('holds the file near its limit however much passes through', async () => {
    const subject = writer()
    for (let round = 0; round < 30; round++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          subject.put(cacheEntry('a.test', `/${round}/${i}`, { body: new Uint8Array(30_000) })),
        ),
      )
    }
    const { bytes, evictions } = subject.stats()
    expect(bytes).toBeLessThanOrEqual(LIMIT)
    expect(evictions).toBeGreaterThan(400)
    subject.sweep(createPurgeMarks(), 0)
    expect(diskBytes()).toBeLessThan(LIMIT * 1.5)
  })

  it('holds file and log within the limit at every moment where both are in memory', async () => {
    const subject = writer({ memory: true })
    const all = (): number =>
      ['', '-wal', '-shm'].reduce(
        (sum, suffix) => sum + (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    const sizes = [500, 4_000, 30_000, 200_000, 390_000]
    let most = 0
    for (let round = 0; round < 60; round++) {
      const size = sizes[round % sizes.length] ?? 0
      const puts = Array.from({ length: 20 }, (_, i) =>
        subject
          .put(cacheEntry('a.test', `/${round}/${i}`, { body: new Uint8Array(size) }))
          .then(() => (most = Math.max(most, all()))),
      )
      await Promise.all(puts)
      if (round % 5 === 0) subject.sweep(createPurgeMarks(), 0)
      most = Math.max(most, all())
    }
    expect(most).toBeLessThanOrEqual(LIMIT)
    expect(most).toBeGreaterThan(LIMIT / 2)
    expect(subject.stats().evictions).toBeGreaterThan(200)
    expect(subject.stats().bytes).toBeLessThanOrEqual(subject.stats().limitBytes)
  })

  it('tells whether a page took the place of another one', async () => {
    const subject = writer()
    const page = cacheEntry('a.test', '/')
    // Those that wait are written together, and count for each other.
    expect(await Promise.all([subject.put(page), subject.put(page)])).toEqual([true, true])
    expect(await subject.put(cacheEntry('a.test', '/new'))).toBe(false)
    expect(await subject.put(page)).toBe(true)
    expect(await subject.delete(page.key)).toBe(true)
    expect(await subject.delete(page.key)).toBe(false)
  })

  it('gives room back after a purge of everything', async () => {
    const subject = writer()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        subject.put(cacheEntry('a.test', `/${i}`, { body: new Uint8Array(30_000) })),
      ),
    )
    const marks = createPurgeMarks()
    marks.apply(1, purgeAll(), 0)
    for (let i = 0; i < 20; i++) subject.sweep(marks, 0)
    connect().pragma('wal_checkpoint(TRUNCATE)')
    expect(subject.stats().entries).toBe(0)
    expect(diskBytes()).toBeLessThan(LIMIT / 4)
  })

  it('compares each page once with a mark, a few thousand tags in a round', async () => {
    const subject = writer()
    const tags = Array.from({ length: 3999 }, (_, at) => `t${at}`)
    for (let at = 0; at < 20; at++)
      await subject.put(cacheEntry('a.test', `/${at}`, { tags: ['host:a.test', ...tags] }))
    const marks = createPurgeMarks()
    marks.apply(1, purgeTag('nothing'), 0)
    let looked = 0
    const counting: PurgeMarks = {
      ...marks,
      isPurged(entry) {
        looked += entry.tags.length
        return marks.isPurged(entry)
      },
    }
    subject.sweep(counting, 0)
    expect(looked).toBeGreaterThan(0)
    expect(looked).toBeLessThan(25_000)
    expect(subject.hasMoreToSweep()).toBe(true)
    for (let round = 0; round < 20; round++) subject.sweep(counting, 0)
    expect(looked).toBe(20 * 4000)
    expect(subject.hasMoreToSweep()).toBe(false)
    marks.apply(2, purgeTag('t7'), 0)
    for (let round = 0; round < 20; round++) subject.sweep(counting, 0)
    expect(subject.stats().entries).toBe(0)
  })

  it('goes on through a site while its pages come and go', async () => {
    const subject = writer()
    for (let at = 0; at < 4; at++) await subject.put(cacheEntry('a.test', `/${at}`))
    const found: string[] = []
    for (const { key } of subject.ofSite('host:a.test', 10)) {
      found.push(key.id)
      if (found.length > 1) continue
      for (let at = 1; at < 4; at++) await subject.delete(cacheEntry('a.test', `/${at}`).key)
      await subject.put(cacheEntry('b.test', '/other'))
    }
    expect(found).toEqual([cacheEntry('a.test', '/0').key.id])
  })

  it('rejects what it cannot write and goes on afterwards', async () => {
    const db = connect()
    const subject = createSqliteWriter(db, OPTIONS)
    await subject.put(cacheEntry('a.test', '/'))
    const pages = db.pragma('page_count', { simple: true })
    db.pragma(`max_page_count = ${String(pages)}`)
    const big = cacheEntry('a.test', '/big', { body: new Uint8Array(400_000) })
    await expect(subject.put(big)).rejects.toThrow(/full/)
    expect(subject.stats().entries).toBe(1)
    db.pragma('max_page_count = 100000')
    await subject.put(big)
    expect(subject.stats().entries).toBe(2)
  })

  it('lets readers read while a write is open', async () => {
    const subject = writer()
    await subject.put(cacheEntry('a.test', '/'))
    const reading = reader()
    const other = connect()
    other.exec('BEGIN IMMEDIATE')
    other.exec('DELETE FROM entries')
    expect(reading.get(cacheEntry('a.test', '/').key)).not.toBeNull()
    other.exec('ROLLBACK')
  })

  it('empties at once, and keeps the marks', async () => {
    const subject = writer()
    await subject.put(cacheEntry('a.test', '/'))
    subject.saveMarks({ sequence: 4, scopes: purgeTag('x'), atMs: 0 })
    const waiting = subject.put(cacheEntry('a.test', '/late'))
    subject.clear()
    await waiting
    expect(subject.stats().entries).toBe(0)
    expect(subject.loadMarks().sequence).toBe(4)
  })
})
