import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForReading } from '#adapters/node/web-server/cache/disk/disk-file.ts'
import { openDisk, type Disk } from '#adapters/node/web-server/cache/disk/open-disk.ts'
import {
  cacheKey,
  createPurgeMarks,
  createSqliteReader,
  hostTag,
  purgeTag,
  serializeEntry,
  type SnapshotPurgeMarks,
} from '#edge-cache/index.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { eventually } from '../support/web-process.ts'

const LIMITS = { limitBytes: 2 ** 26 }

const page = (at: number, tag: string): Uint8Array =>
  serializeEntry(
    cacheEntry('a.test', `/${at}`, {
      key: cacheKey('a.test', `/${at}`, null),
      headers: [['content-type', 'text/html']],
      body: new Uint8Array(2000).fill(at % 256),
      tags: [hostTag('a.test'), tag],
      storedAtMs: Date.now(),
      expiresAtMs: Date.now() + 3_600_000,
    }),
  )

describe('disk layer in its thread', () => {
  let file: string
  let logged: string[]
  let files: number
  let disk: Disk | null
  const open = async (memory = false, marks = createPurgeMarks()): Promise<SnapshotPurgeMarks> => {
    const note = (message: string): unknown => logged.push(message)
    disk = await openDisk(file, {
      ...LIMITS,
      memory,
      marks,
      log: { info: note, warn: note, error: note },
      onFile: () => files++,
    })
    marks.restore(disk.loadMarks())
    return marks
  }
  const opened = (): Disk => {
    if (disk === null) throw new Error('the disk layer is not open')
    return disk
  }
  beforeEach(() => {
    makeDirectory()
    file = join(directory, 'pages.db')
    logged = []
    files = 0
    disk = null
  })
  afterEach(async () => {
    await disk?.close()
  })
  const entries = async (): Promise<number | undefined> => (await opened().state()).stats?.entries

  it('stores what readers in other processes find, and knows it after a restart', async () => {
    await open()
    await Promise.all([opened().put(page(1, 'old')), opened().put(page(2, 'young'))])
    await opened().saveMarks({ sequence: 7, scopes: purgeTag('old'), atMs: Date.now() })
    const reading = openForReading(file)
    const found = createSqliteReader(reading, LIMITS).get(cacheKey('a.test', '/2', null))
    expect((await found)?.body).toEqual(new Uint8Array(2000).fill(2))
    reading.close()
    expect(await opened().pagesToPurge(hostTag('a.test'), purgeTag('young'))).toEqual(
      new Set(['//a.test/2']),
    )
    expect((await opened().sites())?.[hostTag('a.test')]?.entries).toBeGreaterThan(0)
    await opened().close()
    const marks = await open()
    expect(marks.current()).toBe(7)
    expect(marks.snapshot().tags).toEqual([['old', 7]])
  })

  it('deletes the rows of a purge soon, though in small portions', async () => {
    await open()
    await Promise.all(Array.from({ length: 2000 }, (_, at) => opened().put(page(at, 'gone'))))
    await opened().put(page(5000, 'kept'))
    expect(await entries()).toBe(2001)
    await opened().saveMarks({ sequence: 1, scopes: purgeTag('gone'), atMs: Date.now() })
    await eventually('rows are deleted', async () => (await entries()) === 1)
  })

  it('begins anew on a file that is no database, and says so', async () => {
    writeFileSync(file, 'this is no database '.repeat(100))
    await open()
    expect(logged).toContain('the disk cache is damaged and is made anew')
    // Nobody had it open yet.
    expect(files).toBe(0)
    await opened().put(page(1, 'x'))
    expect(await entries()).toBe(1)
    expect((await opened().state()).fault).toBeNull()
  })

  it('tells readers of a new file, in which nothing older counts', async () => {
    const marks = await open()
    await opened().put(page(1, 'x'))
    await opened().saveMarks({ sequence: 3, scopes: purgeTag('x'), atMs: Date.now() })
    marks.apply(3, purgeTag('x'), Date.now())
    await opened().rebuild()
    await eventually('readers are told', () => files === 1)
    expect(await entries()).toBe(0)
    await opened().close()
    expect((await open()).snapshot()).toMatchObject({ sequence: 3, floor: 3 })
    expect(existsSync(file)).toBe(true)
  })

  it('in memory begins empty with the purges there are, and leaves nothing', async () => {
    await open()
    await opened().put(page(1, 'x'))
    await opened().close()
    const marks = createPurgeMarks()
    marks.apply(4, purgeTag('gone'), Date.now())
    await open(true, marks)
    expect(await entries()).toBe(0)
    // Filled before the purge.
    await opened().put(page(2, 'gone'))
    expect(await entries()).toBe(0)
    await opened().put(page(3, 'kept'))
    expect(await entries()).toBe(1)
    await opened().saveMarks({ sequence: 5, scopes: purgeTag('kept'), atMs: Date.now() })
    await eventually('the row is deleted', async () => (await entries()) === 0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await opened().close()
    expect(readdirSync(directory)).toEqual([])
  })
})
