import Database from 'better-sqlite3'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'

let web: WebProcess
let file: string

const stats = async (): Promise<{
  l2_state: string
  l2: { bytes: number; entries: number } | null
}> => (await web.management('GET', '/api/v1/cache/stats')).body as Awaited<ReturnType<typeof stats>>
const version = (text: string): void => writeFileSync(join(directory, 'site/version'), text)
const fill = async (count: number, prefix = 'page'): Promise<void> => {
  for (let i = 0; i < count; i++) {
    expect((await get(web.port, 'p.test', `/${prefix}${i}`)).status).toBe(200)
  }
}
const cached = async (path: string): Promise<string | undefined> =>
  (await get(web.port, 'p.test', path)).headers['x-cache']
/** Deleted files that a process still holds. */
const deletedFiles = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return /pages\.db.*\(deleted\)$/.test(target) ? [target] : []
    } catch {
      return []
    }
  })
const start = async (cache = ''): Promise<void> => {
  web = await startWeb({ workers: 2, cache, more: phpHost(php, 'p.test') })
  file = join(web.directory, 'state/cache/pages.db')
}

sharePhpSite()
beforeEach(() => {
  php.resetRuns()
  version('1')
})

/** Overwrites everything behind the first page. */
const scribble = (path: string): void => {
  const descriptor = openSync(path, 'r+')
  const noise = Buffer.alloc(64 * 1024, 0xa5)
  const { size } = statSync(path)
  for (let at = 0; at < size; at += noise.length) writeSync(descriptor, noise, 0, noise.length, at)
  closeSync(descriptor)
}

describe('the disk layer when its file breaks', () => {
  // Without L1 every request reads the file.
  beforeAll(() => start('l1_enabled = false'))
  beforeEach(async () => {
    await eventually('the layer is on', async () => (await stats()).l2_state === 'on')
    expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
  })
  afterAll(() => web.remove())

  it.each([
    ['overwritten', (): void => scribble(file)],
    ['truncated', (): void => truncateSync(file, 100)],
    ['emptied', (): void => truncateSync(file, 0)],
  ])('is made anew while it runs: %s', async (_name, damage) => {
    await fill(5)
    // Checkpointed, so that pages are read from the file.
    const other = new Database(file)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    damage()
    await eventually(
      'pages are stored again',
      async () => {
        expect((await get(web.port, 'p.test', '/page0')).status).toBe(200)
        return (await cached('/page0')) === 'HIT' && (await cached('/page1')) === 'HIT'
      },
      15_000,
    )
    expect((await stats()).l2_state).toBe('on')
    // Nobody reads the former file, whose space would not be given back.
    for (const pid of [web.pid, ...web.workers()]) expect(deletedFiles(pid)).toEqual([])
  })

  it.each([
    ['truncated', (): void => truncateSync(file, 5000)],
    [
      'no database',
      (): void => writeFileSync(file, 'this is no database, and long enough to be read'),
    ],
    [
      'of another version',
      (): void => {
        const other = new Database(file)
        other.pragma('user_version = 999')
        other.exec('DROP TABLE entries')
        other.close()
      },
    ],
  ])('starts with a file that is %s', async (_name, damage) => {
    await fill(3)
    await web.end()
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
    damage()
    await web.startAgain()
    expect(await cached('/page0')).toBe('MISS')
    expect(await cached('/page0')).toBe('HIT')
    expect((await stats()).l2_state).toBe('on')
  })

  it('keeps pages and purges over kill -9', async () => {
    await fill(4)
    version('2')
    const { status } = await web.management('POST', '/api/v1/cache/purge?domain=p.test&path=/page0')
    expect(status).toBe(200)
    await web.end('SIGKILL')
    await web.startAgain()
    expect((await get(web.port, 'p.test', '/page0')).body).toContain('version 2')
    for (const path of ['/page1', '/page2', '/page3']) expect(await cached(path)).toBe('HIT')
  })
})

describe('the disk layer on a small disk', () => {
  let mount: string
  beforeEach(async () => {
    mount = join(directory, 'small')
    mkdirSync(mount, { recursive: true })
    await mustRun('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', mount])
    web = await startWeb({
      workers: 2,
      cache: `storage = "disk"\ndisk_path = "${mount}/cache"\nl1_enabled = false\n`,
      more: phpHost(php, 'p.test'),
    })
    file = join(mount, 'cache/pages.db')
  })
  afterEach(async () => {
    await web.remove()
    await mustRun('/usr/bin/umount', [mount])
  })

  const fillDisk = (): void => {
    const ballast = openSync(join(mount, 'ballast'), 'a')
    try {
      for (;;) writeSync(ballast, Buffer.alloc(4096))
    } catch {
      // Full.
    } finally {
      closeSync(ballast)
    }
  }

  it('goes off when the disk is full, brings no purged page back, and returns', async () => {
    await fill(3)
    fillDisk()
    // Sites go on while the layer fails.
    await fill(40, 'more')
    await eventually('the layer is off', async () => {
      await get(web.port, 'p.test', `/try${Math.random()}`)
      return (await stats()).l2_state === 'off' || !existsSync(file)
    })
    version('2')
    const { status } = await web.management('POST', '/api/v1/cache/purge?domain=p.test')
    expect(status).toBe(200)
    // Full again, whatever the removed file gave back.
    fillDisk()
    await web.end('SIGKILL')
    await web.startAgain()
    expect((await get(web.port, 'p.test', '/page0')).body).toContain('version 2')
    await eventually('it says so', () => web.output().includes('the disk cache is'))
    rmSync(join(mount, 'ballast'))
    await eventually('the layer is back', async () => (await stats()).l2_state === 'on')
    await eventually('pages are stored', async () => (await cached('/page1')) === 'HIT')
    expect((await get(web.port, 'p.test', '/page1')).body).toContain('version 2')
  })
})

describe('the bound of the disk layer', () => {
  it('holds, with the newest pages kept', async () => {
    await start('l1_enabled = false\ndisk_limit = "400K"')
    try {
      writeFileSync(join(directory, 'site/version'), 'x'.repeat(10_000))
      await fill(120)
      expect(await cached('/page119')).toBe('HIT')
      expect(await cached('/page0')).toBe('MISS')
      await eventually('the file shrank to its bound', async () => {
        const { l2 } = await stats()
        return l2 !== null && l2.bytes <= 400 * 1024 && l2.entries > 10
      })
    } finally {
      await web.remove()
    }
  })
})
