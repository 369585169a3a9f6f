import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

let redis: RedisServer
let a: WebProcess
let b: WebProcess
/** A page that no test before has asked for: all use the same servers. */
let page: string
let tests = 0

const layerState = async (web: WebProcess): Promise<unknown> => {
  const { body } = await web.management('GET', '/api/v1/cache/stats')
  return (body as { l2_state: string }).l2_state
}
const reaches = (web: WebProcess, state: 'on' | 'off'): Promise<void> =>
  eventually(`Redis is ${state}`, async () => (await layerState(web)) === state)
/** Its log comes by another way than its answers, and perhaps later. */
const says = (web: WebProcess, text: string): Promise<void> =>
  eventually(`it says ${text}`, () => web.output().includes(text))
const start = async (cache = ''): Promise<WebProcess> => {
  const web = await startWeb({
    workers: 2,
    cache: `storage = "redis"\nredis_url = "${redis.url}"\n${cache}`,
    more: `${phpHost(php, 'p.test', 'aliases = ["www.p.test"]')}${phpHost(php, 'rfc.test')}
[virtualhost.cache]
mode = "http"
`,
  })
  return web
}
const version = (text: string): void => writeFileSync(join(directory, 'site/version'), text)
/** From every worker: each connection may reach another. */
const bodies = async (web: WebProcess, path = page): Promise<Set<string>> => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => get(web.port, 'p.test', path)))
  return new Set(answers.map(({ status, body }) => `${status} ${body}`))
}
/** Which worker answers is chance: asks until each of the two has the page in its memory. */
const everyWorkerHas = async (web: WebProcess): Promise<void> => {
  const inMemory = async (): Promise<number> => {
    const { body } = await web.management('GET', '/api/v1/cache/stats')
    return (body as { l1: { entries: number } }).l1.entries
  }
  const before = await inMemory()
  await eventually('both workers have the page', async () => {
    await get(web.port, 'p.test', page)
    return (await inMemory()) === before + 2
  })
}
const purge = async (web: WebProcess, query: string): Promise<void> => {
  expect((await web.management('POST', `/api/v1/cache/purge${query}`)).status).toBe(200)
}

sharePhpSite()
beforeAll(async () => {
  redis = await startRedis()
  ;[a, b] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([a.remove(), b.remove()])
  await redis.remove()
})
beforeEach(async () => {
  php.resetRuns()
  version('1')
  page = `/test${tests++}`
  await Promise.all([reaches(a, 'on'), reaches(b, 'on')])
})

describe('two web servers over one Redis', () => {
  it('finds in one what the other has stored, also after a restart', async () => {
    expect((await get(a.port, 'p.test', '/x')).headers['x-cache']).toBe('MISS')
    expect((await get(b.port, 'p.test', '/x')).headers['x-cache']).toBe('HIT')
    expect(await b.end('SIGKILL')).toBe(null)
    await b.startAgain()
    await reaches(b, 'on')
    expect((await get(b.port, 'p.test', '/x')).headers['x-cache']).toBe('HIT')
    expect(php.runs()).toBe(1)
    const { body } = await a.management('GET', '/api/v1/cache/stats')
    expect(body).toMatchObject({ l2_state: 'on', l2_fault: null })
  })

  it('sees purges of the other, in every worker', async () => {
    const queries = [
      '',
      '?domain=p.test',
      `?domain=p.test&path=${page}`,
      '?tag=front',
      '?domain=p.test&path=/*',
    ]
    for (const [index, query] of queries.entries()) {
      await bodies(a)
      expect(await bodies(b)).toEqual(new Set([`200 version ${index + 1} path ${page}`]))
      version(`${index + 2}`)
      await purge(a, query)
      expect(await bodies(a)).toEqual(new Set([`200 version ${index + 2} path ${page}`]))
      await eventually('every worker of the other has the purge', async () => {
        const seen = await bodies(b)
        return seen.size === 1 && seen.has(`200 version ${index + 2} path ${page}`)
      })
    }
  })

  it('stores nothing that was asked for before a purge of the other', async () => {
    writeFileSync(join(directory, 'site/wait'), '700')
    try {
      const slow = get(a.port, 'p.test', '/slow')
      await eventually('the origin was asked', () => php.runs() === 1)
      await purge(b, '?domain=p.test')
      version('2')
      // The script reads the version at its end, so what it answers is not the point; the entry is.
      await slow
      const runs = php.runs()
      await get(b.port, 'p.test', '/slow')
      expect(php.runs()).toBe(runs + 1)
      expect((await get(a.port, 'p.test', '/slow')).body).toContain('version 2')
    } finally {
      writeFileSync(join(directory, 'site/wait'), '0')
    }
  })

  it('asks the origin once for what both are asked for at the same time', async () => {
    writeFileSync(join(directory, 'site/wait'), '700')
    try {
      const [first, second] = await Promise.all([bodies(a), bodies(b)])
      expect(first).toEqual(new Set([`200 version 1 path ${page}`]))
      expect(second).toEqual(first)
      expect(php.runs()).toBe(1)
      version('2')
      await purge(a, '?domain=p.test')
      await eventually('the other has the purge', async () => {
        const { body } = await b.management('GET', '/api/v1/cache/stats')
        return (body as { l1: { entries: number } }).l1.entries === 0
      })
      php.resetRuns()
      await Promise.all([bodies(b), bodies(a)])
      expect(php.runs()).toBe(1)
    } finally {
      writeFileSync(join(directory, 'site/wait'), '0')
    }
  })

  it('makes itself what a web server that died was to make', async () => {
    writeFileSync(join(directory, 'site/wait'), '60000')
    try {
      const lost = get(a.port, 'p.test', page).catch(() => 'lost')
      await eventually('the origin was asked', () => php.runs() === 1)
      writeFileSync(join(directory, 'site/wait'), '0')
      expect(await a.end('SIGKILL')).toBe(null)
      await lost
      expect((await get(b.port, 'p.test', page)).body).toBe(`version 1 path ${page}`)
    } finally {
      writeFileSync(join(directory, 'site/wait'), '0')
      await a.startAgain()
    }
  })

  it('lets go of copies in memory that the other has replaced', async () => {
    const path = '/kept.php'
    writeFileSync(
      join(php.root, 'kept.php'),
      `<?php header('Cache-Control: max-age=600'); echo 'version ', file_get_contents(__DIR__ . '/../version');`,
    )
    const asked = async (web: WebProcess): Promise<string> =>
      (await get(web.port, 'rfc.test', path)).body
    for (const web of [a, b])
      for (let n = 0; n < 10; n++) expect(await asked(web)).toBe('version 1')
    version('2')
    const newer = await get(a.port, 'rfc.test', path, 'Cache-Control: no-cache\r\n')
    expect(newer.body).toBe('version 2')
    for (let n = 0; n < 10; n++) expect(await asked(a)).toBe('version 2')
    await eventually('every worker of the other has it', async () => {
      for (let n = 0; n < 10; n++) if ((await asked(b)) !== 'version 2') return false
      return true
    })
  })

  it('goes on from memory while Redis is away and takes it up again', async () => {
    await bodies(a)
    await redis.stop()
    await reaches(a, 'off')
    // Which worker answers is chance; after both were asked both have it in memory.
    for (let i = 0; i < 20; i++) expect((await get(a.port, 'p.test', page)).status).toBe(200)
    expect(await bodies(a)).toEqual(new Set([`200 version 1 path ${page}`]))
    expect((await get(a.port, 'p.test', '/new')).headers['x-cache']).toBe('MISS')
    await says(a, 'the Redis cache is off for now')
    await redis.start()
    await Promise.all([reaches(a, 'on'), reaches(b, 'on')])
    await says(a, 'the Redis cache is back')
    // Each worker has a connection of its own, which comes back in its own time.
    let round = 0
    await eventually('pages are shared again', async () => {
      const path = `/again${round++}`
      await get(a.port, 'p.test', path)
      return (await get(b.port, 'p.test', path)).headers['x-cache'] === 'HIT'
    })
  })

  it('answers while Redis hangs', async () => {
    redis.signal('SIGSTOP')
    try {
      // It hangs until the end of this: whoever waited for it would get no answer.
      for (let i = 0; i < 5; i++)
        expect((await get(a.port, 'p.test', `/hang${i}`)).status).toBe(200)
      await reaches(a, 'off')
    } finally {
      redis.signal('SIGCONT')
    }
    await reaches(a, 'on')
  })

  it('carries purges made in an outage to the other, and nothing purged comes back', async () => {
    await get(a.port, 'p.test', '/y')
    await bodies(a)
    await bodies(b)
    // Redis keeps its pages, so the purged ones are still there when it answers again.
    redis.signal('SIGSTOP')
    try {
      await Promise.all([reaches(a, 'off'), reaches(b, 'off')])
      version('2')
      await purge(a, `?domain=p.test&path=${page}`)
      expect(await bodies(a)).toEqual(new Set([`200 version 2 path ${page}`]))
      expect(await bodies(b)).toEqual(new Set([`200 version 1 path ${page}`]))
      // The purge outlives the one who was told of it.
      await a.end('SIGKILL')
    } finally {
      redis.signal('SIGCONT')
    }
    await reaches(b, 'on')
    await a.startAgain()
    await reaches(a, 'on')
    expect(await bodies(a)).toEqual(new Set([`200 version 2 path ${page}`]))
    await eventually('the other has the purge', async () =>
      [...(await bodies(b))].every((body) => body.includes('version 2')),
    )
    expect((await get(b.port, 'p.test', '/y')).headers['x-cache']).toBe('HIT')
  })

  it('applies what was purged elsewhere while it was cut off, before it uses Redis again', async () => {
    await bodies(b)
    await redis.cli('config', 'set', 'requirepass', 'other')
    await redis.cli('-a', 'other', 'client', 'kill', 'type', 'normal')
    await redis.cli('-a', 'other', 'client', 'kill', 'type', 'pubsub')
    await Promise.all([reaches(a, 'off'), reaches(b, 'off')])
    version('2')
    await purge(a, '?tag=front')
    await redis.cli('-a', 'other', 'config', 'set', 'requirepass', 'pass/w@rd,1')
    await Promise.all([reaches(a, 'on'), reaches(b, 'on')])
    await eventually('the purge is there', async () =>
      [...(await bodies(b))].every((body) => body.includes('version 2')),
    )
  })

  it('makes pages anew when Redis lost its data but not when all instances knew the same', async () => {
    await purge(a, '?tag=none')
    await everyWorkerHas(a)
    const runs = php.runs()
    await redis.cli('flushall')
    await eventually(
      'a new history begins',
      async () => (await redis.cli('exists', 'berth:{marks}')) === '1',
    )
    await Promise.all([reaches(a, 'on'), reaches(b, 'on')])
    await bodies(a)
    expect(php.runs()).toBe(runs)
    version('2')
    await purge(b, '?tag=front')
    await eventually('the purge is known under the new history', async () =>
      [...(await bodies(a))].every((body) => body.includes('version 2')),
    )
  })
})
