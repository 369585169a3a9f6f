import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { PASSWORD, startRedis, type RedisServer } from './support/redis-server.ts'
import { startRelay, type Relay } from '#test/support/servers/relay.ts'

/** Each instance reaches Redis by a way of its own, which can be cut. */
interface Front {
  web: WebProcess
  way: Relay
}
let redis: RedisServer
let a: Front
let b: Front
/** In every page that is made now. */
let version = 0
/** A page that no test before has asked for: all use the same servers. */
let page: string
let tests = 0

const start = async (whenAlone: string): Promise<Front> => {
  const way = await startRelay(redis.port)
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${way.port}`
  const cache = `storage = "redis"\nredis_url = "${url}"\nwhen_alone = "${whenAlone}"\n`
  const web = await startWeb({ workers: 2, cache, more: phpHost(php, 'p.test') })
  return { web, way }
}
const end = async ({ web, way }: Front): Promise<void> => {
  await web.remove()
  await way.close()
}
const change = (): number => {
  const file = join(directory, 'site/version')
  // As a whole: it is read all the time.
  writeFileSync(`${file}.new`, String(++version))
  renameSync(`${file}.new`, file)
  return version
}
/** What the answer says of the other web servers. */
const purge = async ({ web }: Front): Promise<unknown> => {
  const query = `domain=p.test&path=${page}`
  const { status, body } = await web.management('POST', `/api/v1/cache/purge?${query}`)
  expect(status).toBe(200)
  return (body as { others?: string }).others
}
/** On a busy machine Redis may seem to be away for a moment, which is no matter of these tests. */
const purgeEverywhere = (front: Front): Promise<void> =>
  eventually('all were told', async () => (await purge(front)) === 'told')
/** Each connection may reach another worker. */
const seen = async ({ web }: Front): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(web.port, 'p.test', page)))
  return answers.map(({ body }) => Number(body.split(' ')[1]))
}
const shows = async (front: Front): Promise<unknown> => {
  const { headers } = await get(front.web.port, 'p.test', page)
  return headers['x-cache']
}
const stored = (front: Front): Promise<void> =>
  eventually('a stored page is shown', async () => (await shows(front)) === 'HIT')

sharePhpSite()
beforeAll(async () => {
  redis = await startRedis()
  ;[a, b] = await Promise.all([start('strict'), start('strict')])
})
afterAll(async () => {
  await Promise.all([end(a), end(b)])
  await redis.remove()
})
beforeEach(async () => {
  page = `/strict${tests++}`
  change()
  await Promise.all([stored(a), stored(b)])
})

/** Ways to lose Redis, and how each ends. */
const FAULTS: readonly (readonly [string, (way: Relay) => void, (way: Relay) => void])[] = [
  ['whose connections end', (way) => way.lead(null), (way) => way.lead(redis.port)],
  ['whose packets are swallowed', (way) => way.swallow(true), (way) => way.swallow(false)],
]

describe('when_alone = "strict": a purge that is answered', () => {
  it('holds in every worker of every web server', async () => {
    for (let round = 0; round < 12; round++) {
      const [from, to] = round % 2 === 0 ? [a, b] : [b, a]
      await seen(to)
      const now = change()
      await purgeEverywhere(from)
      expect(new Set([...(await seen(to)), ...(await seen(from))])).toEqual(new Set([now]))
    }
    await stored(b)
  })

  it.each(FAULTS)(
    'holds at a web server %s from Redis, and stored pages come back',
    async (_, cut, mend) => {
      cut(b.way)
      const now = change()
      await purgeEverywhere(a)
      expect(new Set(await seen(b))).toEqual(new Set([now]))
      mend(b.way)
      await Promise.all([stored(a), stored(b)])
      expect(new Set([...(await seen(a)), ...(await seen(b))])).toEqual(new Set([now]))
    },
  )

  it('holds where the web server that is asked loses Redis while it waits', async () => {
    b.way.swallow(true)
    const now = change()
    const purged = purge(a)
    await eventually(
      'it has its number',
      async () => Number(await redis.cli('hget', 'berth:{marks}', 'seq')) > 0,
    )
    a.way.lead(null)
    await purged
    b.way.swallow(false)
    a.way.lead(redis.port)
    await Promise.all([stored(a), stored(b)])
    expect(new Set([...(await seen(a)), ...(await seen(b))])).toEqual(new Set([now]))
  })

  it('is answered as kept where the web server that is asked reaches no Redis, and follows', async () => {
    a.way.lead(null)
    const now = change()
    expect(await purge(a)).toBe('kept')
    a.way.lead(redis.port)
    await Promise.all([stored(a), stored(b)])
    await eventually('the other has it', async () =>
      (await seen(b)).every((shown) => shown === now),
    )
  })

  it('waits for one that ended without a word once, for who left in order never', async () => {
    const c = await start('strict')
    await stored(c)
    await eventually(
      'it reports',
      async () => (await redis.cli('hlen', 'berth:{marks}:seen')) === '3',
    )
    try {
      await c.web.end('SIGKILL')
      change()
      await purge(a)
      await eventually(
        'it is forgotten',
        async () => (await redis.cli('hlen', 'berth:{marks}:seen')) === '2',
      )
    } finally {
      await end(c)
    }
  })

  it('is never followed by an older page, whatever becomes of the ways to Redis', async () => {
    /** Version that an answered purge made the oldest that may be shown. */
    let acknowledged = version
    const tooOld: string[] = []
    let reads = 0
    let told = 0
    let over = false
    const changeAt = async (front: Front): Promise<void> => {
      const now = change()
      // Of who just lost Redis itself a purge is kept.
      if ((await purge(front)) !== 'told') return
      told++
      acknowledged = now
    }
    const reading = [a, b].map(async (front) => {
      while (!over) {
        const least = acknowledged
        for (const shown of await seen(front)) {
          reads++
          if (shown < least)
            tooOld.push(`${front === a ? 'a' : 'b'} showed ${shown} after ${least}`)
        }
      }
    })
    const turns = Array.from({ length: 12 }, (_, at) => at)
    for (const turn of sampled('losses of Redis beside purges', turns, { keep: 5 })) {
      const front = turn % 2 === 0 ? a : b
      const [, cut, mend] = FAULTS[Math.floor(turn / 2) % FAULTS.length]!
      cut(front.way)
      for (let more = 0; more < 2; more++) await changeAt(front === a ? b : a)
      mend(front.way)
      await changeAt(front === a ? b : a)
    }
    over = true
    await Promise.all(reading)
    expect(tooOld).toEqual([])
    expect(reads).toBeGreaterThan(100)
    expect(told).toBeGreaterThan(0)
  })
})

describe('when_alone = "serve"', () => {
  it('goes on with what is stored', async () => {
    const c = await start('serve')
    try {
      await stored(c)
      c.way.swallow(true)
      change()
      await purge(a)
      // Which the other tests would notice.
      expect(await seen(c)).toContain(version - 1)
    } finally {
      await end(c)
    }
  })
})
