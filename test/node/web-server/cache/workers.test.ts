import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { get, KeptConnection } from '../support/get.ts'
import { phpHost } from '../support/php-site.ts'
import { eventually, isAlive } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'
import { shareWeb, web } from '../support/shared-web.ts'

sharePhpSite()
shareWeb(() => ({ workers: 2, more: phpHost(php, 'p.test', 'aliases = ["www.p.test"]') }))
beforeEach(async () => {
  php.resetRuns()
  writeFileSync(join(directory, 'site/version'), '1')
  writeFileSync(join(directory, 'site/wait'), '0')
  await eventually('two workers', () => web.workers().length === 2)
  // Answered when no worker has a page any more.
  expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
})

describe('the page cache over several workers', () => {
  it('runs the origin once for 30 parallel misses', async () => {
    writeFileSync(join(directory, 'site/wait'), '200')
    const groups = await connectionsPerWorker(web, 'p.test', 15)
    const answers = await Promise.all(groups.flat().map((one) => one.get('/')))
    expect(php.runs()).toBe(1)
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['version 1 path /']))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    // Afterwards every worker has it.
    for (const group of groups) expect((await group[0]?.get('/'))?.headers['x-cache']).toBe('HIT')
    expect(php.runs()).toBe(1)
    closeAll(groups)
  })

  it('finds in one worker what another has stored', async () => {
    const groups = await connectionsPerWorker(web, 'p.test', 1)
    const [a, b] = groups.flat()
    expect((await a?.get('/x'))?.headers['x-cache']).toBe('MISS')
    expect((await b?.get('/x'))?.headers['x-cache']).toBe('HIT')
    expect((await b?.get('/x'))?.headers['x-cache']).toBe('HIT')
    expect(php.runs()).toBe(1)
    closeAll(groups)
  })

  it('acknowledges a purge when no worker answers the old page any more', async () => {
    const groups = await connectionsPerWorker(web, 'p.test', 1)
    for (const [one] of groups) await one?.get('/')
    for (const query of ['', '?domain=p.test', '?domain=p.test&path=/', '?tag=front']) {
      const version = `v${query}`
      writeFileSync(join(directory, 'site/version'), version)
      const purged = await web.management('POST', `/api/v1/cache/purge${query}`)
      expect(purged).toMatchObject({ status: 200, body: { workers: 2 } })
      for (const [one] of groups) expect((await one?.get('/'))?.body).toContain(version)
    }
    closeAll(groups)
  })

  it('replaces a worker that does not acknowledge', async () => {
    await get(web.port, 'p.test')
    const [stuck = 0] = web.workers()
    process.kill(stuck, 'SIGSTOP')
    writeFileSync(join(directory, 'site/version'), '2')
    expect((await web.control('POST', '/purge', { domains: ['p.test'] })).status).toBe(200)
    expect(isAlive(stuck)).toBe(false)
    await eventually('two workers', () => web.workers().length === 2)
    for (let i = 0; i < 20; i++) expect((await get(web.port, 'p.test')).body).toContain('version 2')
  })

  it('releases those who wait for a worker that died', async () => {
    writeFileSync(join(directory, 'site/wait'), '1500')
    const [leader = 0] = web.workers()
    const groups = await connectionsPerWorker(web, 'p.test', 1)
    const [leading, following] = groups.flat()
    const broken = leading?.get('/').catch((error: unknown) => String(error))
    await eventually('the origin was asked', () => php.runs() === 1)
    const followed = following?.get('/')
    await new Promise((resolve) => setTimeout(resolve, 100))
    process.kill(leader, 'SIGKILL')
    expect(await broken).toContain('broke')
    expect(await followed).toMatchObject({ status: 200, body: 'version 1 path /' })
    expect(php.runs()).toBe(2)
    closeAll(groups)
  })

  it('keeps pages over a restart, and purges too', async () => {
    await get(web.port, 'p.test', '/kept')
    await get(web.port, 'p.test', '/purged')
    await web.management('POST', '/api/v1/cache/purge?domain=p.test&path=/purged')
    expect(await web.end()).toBe(0)
    await web.startAgain()
    expect((await get(web.port, 'p.test', '/kept')).headers['x-cache']).toBe('HIT')
    expect((await get(web.port, 'p.test', '/purged')).headers['x-cache']).toBe('MISS')
    expect(php.runs()).toBe(3)
    // What was purged before is deleted in small portions.
    await expect
      .poll(async () => (await web.management('GET', '/api/v1/cache/stats')).body)
      .toMatchObject({ hits: 1, misses: 1, l2: { entries: 2 } })
  })

  it('does not bring back pages of hosts that changed while it did not run', async () => {
    web.writeHosts('s', phpHost(php, 's.test'))
    await web.control('POST', '/reload')
    for (const host of ['s.test', 'p.test']) await get(web.port, host)
    await web.end()
    web.writeHosts('s', phpHost(php, 's.test', 'suspended = true'))
    await web.startAgain()
    expect((await get(web.port, 's.test')).status).toBe(503)
    await web.end()
    web.writeHosts('s', phpHost(php, 's.test'))
    await web.startAgain()
    expect((await get(web.port, 's.test')).headers['x-cache']).toBe('MISS')
    expect((await get(web.port, 'p.test')).headers['x-cache']).toBe('HIT')
  })

  it('closes a suspended host on open connections and forgets its pages', async () => {
    web.writeHosts('s', phpHost(php, 's.test'))
    await web.control('POST', '/reload')
    const kept = new KeptConnection(web.port, 's.test')
    await kept.get('/')
    expect((await kept.get('/')).headers['x-cache']).toBe('HIT')
    web.writeHosts('s', phpHost(php, 's.test', 'suspended = true'))
    expect((await web.control('POST', '/reload')).status).toBe(200)
    expect((await kept.get('/')).status).toBe(503)
    web.writeHosts('s', phpHost(php, 's.test'))
    await web.control('POST', '/reload')
    expect((await kept.get('/')).headers['x-cache']).toBe('MISS')
    web.removeHosts('s')
    await web.control('POST', '/reload')
    expect((await kept.get('/')).status).toBe(404)
    kept.close()
  })
})
