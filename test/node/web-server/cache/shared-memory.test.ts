import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryDirectories } from '#adapters/node/web-server/cache/disk/memory-directory.ts'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { get } from '../support/get.ts'
import { phpHost } from '../support/php-site.ts'
import { editConfig } from '../support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'

let web: WebProcess
sharePhpSite()
beforeEach(() => {
  php.resetRuns()
  write('version', '1')
})
afterEach(() => web.remove())

const write = (name: string, text: string): void =>
  writeFileSync(join(directory, 'site', name), text)
const start = async (cache = '', workers = 2): Promise<void> => {
  web = await startWeb({
    workers,
    cache: `storage = "memory"\n${cache}`,
    more: phpHost(php, 'p.test'),
  })
}
interface Layer {
  entries: number
  bytes: number
  limit_bytes: number
  evictions: number
}
interface Stats {
  l1: Layer | null
  l2: Layer | null
  l2_state: string
  l2_fault: string | null
}
const stats = async (): Promise<Stats> =>
  (await web.management('GET', '/api/v1/cache/stats')).body as Stats
const purge = async (query = ''): Promise<void> => {
  expect((await web.management('POST', `/api/v1/cache/purge${query}`)).status).toBe(200)
}
/** What lies below `state`, where pages go that find no room in memory, and in the places in memory. */
const places = (): string[] => [
  ...memoryDirectories({ run_dir: join(web.directory, 'run') }),
  join(web.directory, 'state/cache'),
]
const storeDirectory = (): string | undefined =>
  places().find((place) => existsSync(join(place, 'memory-pages.db')))
const filesOf = (place: string): string[] =>
  readdirSync(place).filter((name) => name.startsWith('memory-pages.db'))
const bytesOf = (place: string): number =>
  filesOf(place).reduce((sum, name) => {
    // A log that is cut may be gone by now.
    const found = statSync(join(place, name), { throwIfNoEntry: false })
    return sum + (found?.size ?? 0)
  }, 0)

describe('pages in memory, with several workers', () => {
  it('are one edition for all, over separate connections, and the second view is a hit', async () => {
    await start('', 3)
    for (let page = 0; page < 12; page++) {
      const path = `/page${page}`
      expect((await get(web.port, 'p.test', path)).headers['x-cache']).toBe('MISS')
      const answers = await Promise.all(
        Array.from({ length: 9 }, () => get(web.port, 'p.test', path)),
      )
      expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(Array(9).fill('HIT'))
      expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([`version 1 path ${path}`]))
    }
    expect(php.runs()).toBe(12)
    const { l2, l2_state: state } = await stats()
    expect(l2).toMatchObject({ entries: 12, evictions: 0 })
    expect(state).toBe('on')
  })

  it('are gone for all after a purge, a soft one leaves them while they are made', async () => {
    await start('grace_secs = 60')
    const groups = await connectionsPerWorker(web, 'p.test', 1)
    for (const [one] of groups) await one?.get('/')
    for (const query of ['', '?domain=p.test', '?domain=p.test&path=/', '?tag=front']) {
      write('version', `v${query}`)
      await purge(query)
      for (const [one] of groups) expect((await one?.get('/'))?.body).toContain(`v${query}`)
    }
    expect(php.runs()).toBe(5)
    write('version', 'soft')
    await purge('?tag=front&soft=1')
    await eventually('all have the new one', async () => {
      const answers = await Promise.all(groups.map(([one]) => one?.get('/')))
      return answers.every((answer) => answer?.body.includes('version soft') === true)
    })
    expect(php.runs()).toBe(6)
    closeAll(groups)
  })

  it('lie in a file of the web server alone, which is empty at the start and gone at the end', async () => {
    await start('memory_limit = "16M"')
    await get(web.port, 'p.test', '/kept')
    const place = storeDirectory() ?? ''
    expect(memoryDirectories({ run_dir: join(web.directory, 'run') })).toContain(place)
    expect(statSync(place).mode & 0o777).toBe(0o700)
    expect(filesOf(place).length).toBeGreaterThan(1)
    for (const name of filesOf(place)) expect(statSync(join(place, name)).mode & 0o777).toBe(0o600)
    expect(await web.end()).toBe(0)
    expect(storeDirectory()).toBeUndefined()
    await web.startAgain()
    expect((await get(web.port, 'p.test', '/kept')).headers['x-cache']).toBe('MISS')
    // Nobody could remove it.
    await web.end('SIGKILL')
    expect(storeDirectory()).toBeDefined()
    await web.startAgain()
    expect((await stats()).l2?.entries).toBe(0)
    expect((await get(web.port, 'p.test', '/kept')).headers['x-cache']).toBe('MISS')
    expect((await get(web.port, 'p.test', '/kept')).headers['x-cache']).toBe('HIT')
    // Nor does it stay when pages go elsewhere from then on.
    await web.end('SIGKILL')
    editConfig(web, /storage = "memory"/, 'storage = "memory"\nl2_enabled = false')
    await web.startAgain()
    expect(storeDirectory()).toBeUndefined()
  })

  it('take no more than memory_limit: all workers and the file together', async () => {
    await start('memory_limit = "6M"', 3)
    write('version', 'x'.repeat(30_000))
    const place = storeDirectory() ?? ''
    const limit = 6 * 2 ** 20
    let most = 0
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, at) => get(web.port, 'p.test', `/${round}-${at}`)),
      )
      most = Math.max(most, bytesOf(place))
    }
    const { l1, l2 } = await stats()
    expect(l1?.limit_bytes).toBeLessThanOrEqual(limit / 2)
    expect(l1?.bytes).toBeLessThanOrEqual(limit / 2)
    expect(most).toBeGreaterThan(limit / 8)
    expect(most).toBeLessThanOrEqual(limit / 2)
    expect(l2?.bytes).toBeLessThanOrEqual(l2?.limit_bytes ?? 0)
    expect(l2?.evictions).toBeGreaterThan(100)
    // The last ones are there for everybody.
    for (let n = 0; n < 6; n++)
      expect((await get(web.port, 'p.test', '/39-9')).headers['x-cache']).toBe('HIT')
    // Room comes back when everything is purged.
    await purge()
    await eventually('the file is small', () => bytesOf(place) < limit / 8)
  })

  it('are served from the store alone where l1_enabled is off, and from memory alone where l2_enabled is', async () => {
    await start('l1_enabled = false')
    expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('MISS')
    for (let n = 0; n < 6; n++)
      expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('HIT')
    expect(await stats()).toMatchObject({ l1: null, l2: { entries: 1 }, l2_state: 'on' })
    await web.remove()
    await start('l2_enabled = false')
    expect(await stats()).toMatchObject({ l1: { entries: 0 }, l2: null, l2_state: 'none' })
    expect(storeDirectory()).toBeUndefined()
  })

  it('follow the number of workers and the limit at a reload', async () => {
    await start('memory_limit = "8M"', 1)
    expect(await stats()).toMatchObject({ l1: { limit_bytes: 8 * 2 ** 20 }, l2: null })
    editConfig(web, /workers = 1/, 'workers = 2')
    await web.control('POST', '/reload')
    await eventually('two workers', () => web.workers().length === 2)
    const two = await stats()
    expect(two.l1?.limit_bytes).toBe(4 * 2 ** 20)
    await purge()
    expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('MISS')
    for (let n = 0; n < 6; n++)
      expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('HIT')
    editConfig(web, /memory_limit = "8M"/, 'memory_limit = "4M"')
    await web.control('POST', '/reload')
    const smaller = await stats()
    expect(smaller.l2?.limit_bytes).toBeLessThan(two.l2?.limit_bytes ?? 0)
    editConfig(web, /workers = 2/, 'workers = 1')
    await web.control('POST', '/reload')
    expect((await stats()).l2).toBeNull()
    expect(storeDirectory()).toBeUndefined()
  })

  it('go on without the store while it is broken, and take it up again', async () => {
    await start('l1_enabled = false')
    const place = storeDirectory() ?? ''
    await get(web.port, 'p.test')
    for (const name of filesOf(place))
      writeFileSync(join(place, name), 'this is no database, and long enough to be read')
    await eventually(
      'pages are stored again',
      async () => {
        expect((await get(web.port, 'p.test', '/a')).status).toBe(200)
        return (await get(web.port, 'p.test', '/a')).headers['x-cache'] === 'HIT'
      },
      15_000,
    )
    expect(await stats()).toMatchObject({ l2_state: 'on', l2_fault: null })
  })
})
