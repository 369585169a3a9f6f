import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { get, KeptConnection } from '../support/get.ts'
import { phpHost } from '../support/php-site.ts'
import { editConfig } from '../support/static-web.ts'
import { eventually } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'
import { shareWeb, web } from '../support/shared-web.ts'

sharePhpSite()
shareWeb(() => ({
  workers: 2,
  cache: 'default_ttl = 3600\ngrace_secs = 60\nignore_query_params = ["utm_*"]',
  more: phpHost(php, 'p.test', 'aliases = ["www.p.test"]'),
}))
beforeEach(async () => {
  php.resetRuns()
  write('version', '1')
  write('wait', '0')
  await eventually('two workers, and none that drains', () => web.workers().length === 2)
  // Answered when no worker has a page any more.
  await purge('')
})

const write = (name: 'version' | 'wait', text: string): void =>
  writeFileSync(join(directory, 'site', name), text)
/** Replaces all workers by a change that they alone know of. */
let ttlSecs = 3600
const replaceWorkers = async (): Promise<void> => {
  editConfig(web, /default_ttl = \d+/, `default_ttl = ${--ttlSecs}`)
  expect((await web.control('POST', '/reload')).status).toBe(200)
}
const purge = async (query: string): Promise<unknown> => {
  const { status, body } = await web.management('POST', `/api/v1/cache/purge${query}`)
  expect(status).toBe(200)
  return body
}

describe('stale pages over several workers', () => {
  // First: nothing was counted before.
  it('counts by virtual host over all workers, those that are gone included', async () => {
    await get(web.port, 'p.test')
    await get(web.port, 'www.p.test')
    await get(web.port, 'www.p.test', '/?a')
    for (let visit = 0; visit < 6; visit++) await get(web.port, 'p.test')
    const counted = { hits: 6, stale_hits: 0, misses: 2, bypasses: { query: 1 }, stores: 2 }
    const stats = async () => (await web.management('GET', '/api/v1/cache/stats')).body
    expect(await stats()).toMatchObject({ ...counted, virtual_hosts: { 'p.test': counted } })
    const before = web.workers()
    await replaceWorkers()
    await eventually(
      'the old workers are gone',
      () => !web.workers().some((pid) => before.includes(pid)),
    )
    expect(await stats()).toMatchObject({ ...counted, virtual_hosts: { 'p.test': counted } })
  })

  it.each([
    '?soft=1',
    '?domain=p.test&soft=1',
    '?domain=p.test&path=/*&soft=1',
    '?tag=front&soft=1',
  ])('purge%s: every worker knows it, one refreshes, nobody waits', async (query) => {
    const groups = await connectionsPerWorker(web, 'p.test', 10)
    for (const [one] of groups) await one?.get('/')
    expect(php.runs()).toBe(1)
    write('version', '2')
    write('wait', '300')
    expect(await purge(query)).toMatchObject({ purged: true, soft: true, workers: 2 })
    const answers = await Promise.all(groups.flat().map((one) => one.get('/')))
    for (const { body, headers } of answers) {
      expect(body).toBe('version 1 path /')
      expect(headers['x-cache']).toBe('HIT')
      expect(headers['cache-status']).toMatch(/^berth; hit; ttl=\d+; detail=stale$/)
    }
    for (const [one] of groups) {
      await eventually(
        'the new page',
        async () => (await one?.get('/'))?.body.includes('2') === true,
      )
      const { headers } = (await one?.get('/')) ?? {}
      expect(headers?.['cache-status']).not.toContain('stale')
    }
    expect(php.runs()).toBe(2)
    closeAll(groups)
  })

  it('stores nothing of a refresh that a purge has overtaken', async () => {
    await get(web.port, 'p.test')
    await purge('?soft=1')
    write('wait', '400')
    expect((await get(web.port, 'p.test')).headers['cache-status']).toContain('stale')
    await eventually('the refresh runs', () => php.runs() === 2)
    await purge('?domain=p.test')
    const after = await get(web.port, 'p.test')
    expect(after.headers['x-cache']).toBe('MISS')
    expect(php.runs()).toBe(3)
  })

  it('stores nothing of a fill in a draining worker that a purge has overtaken', async () => {
    write('wait', '1000')
    const kept = new KeptConnection(web.port, 'p.test')
    const slow = kept.get('/')
    await eventually('the fill runs', () => php.runs() === 1)
    const before = web.workers()
    await replaceWorkers()
    const { workers } = (await purge('?domain=p.test')) as { workers: number }
    expect(workers).toBeGreaterThan(2)
    expect((await slow).body).toBe('version 1 path /')
    kept.close()
    await eventually(
      'the old workers are gone',
      () => !web.workers().some((pid) => before.includes(pid)),
    )
    write('wait', '0')
    expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('MISS')
    expect(php.runs()).toBe(2)
  })

  it('remembers soft purges and purges by prefix over a restart', async () => {
    for (const path of ['/blog/a', '/blog/b', '/kept']) await get(web.port, 'p.test', path)
    await purge('?domain=p.test&path=/blog/a*')
    await purge('?domain=p.test&path=/blog/b*&soft=1')
    expect(await web.end()).toBe(0)
    await web.startAgain()
    expect((await get(web.port, 'p.test', '/blog/a')).headers['x-cache']).toBe('MISS')
    expect((await get(web.port, 'p.test', '/blog/b')).headers['cache-status']).toContain('stale')
    expect((await get(web.port, 'p.test', '/kept')).headers['cache-status']).not.toContain('stale')
  })

  it('hides ignored query parameters from the script', async () => {
    const page = '/x?utm_source=news&utm_medium=mail'
    expect((await get(web.port, 'p.test', page)).body).toBe('version 1 path /x')
    expect((await get(web.port, 'p.test', '/x')).headers['x-cache']).toBe('HIT')
    expect((await get(web.port, 'p.test', `${page}&p=1`)).body).toBe(`version 1 path ${page}&p=1`)
  })
})
