import { beforeEach, describe, expect, it } from 'vitest'
import type { PurgeScope } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { withPurgeMethod } from '#handlers/sites/page-cache/purge-method.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'

const context: SiteContext = {
  ...{ clientAddress: '127.0.0.1', clientPort: 1, serverAddress: '127.0.0.1', serverPort: 80 },
  ...{ secure: false, protocol: 'HTTP/1.1', rawTarget: '/page' },
}
let nowMs = 0
let purges: [string, readonly PurgeScope[]][] = []
let isOwner = true
/** Happens while it is found out who asks. */
let meanwhile = (): void => undefined
beforeEach(() => {
  nowMs = 0
  purges = []
  isOwner = true
  meanwhile = () => undefined
})

const siteOf = (changes: Partial<VirtualHostConfig> = {}) => {
  const table = createVirtualHostTable([
    vhostOf(changes),
    vhostOf({ domain: 'b.test', aliases: [] }),
  ])
  const site = withPurgeMethod(() => Promise.resolve(new Response('the site')), {
    hosts: () => table,
    rights: {
      isOwner: async () => {
        await Promise.resolve()
        meanwhile()
        return isOwner
      },
      isToken: (token) => Promise.resolve(token === 'secret'),
    },
    purgeSite: (domain, scopes) => {
      purges.push([domain, scopes])
      return Promise.resolve()
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    nowMs: () => nowMs,
  })
  return (
    rawTarget = '/page',
    headers: Record<string, string> = {},
    { method = 'PURGE', signal = null as AbortSignal | null } = {},
  ) => {
    const fields = { host: 'a.test', ...headers }
    const request = new Request('http://a.test/', { method, headers: fields, signal })
    return site(request, { ...context, rawTarget })
  }
}

describe('PURGE', () => {
  it('names what a response could name, whatever its path', async () => {
    const ask = siteOf()
    for (const order of ['only, post-7, /news/*', '*', 'only', ''])
      expect((await ask('/other', { 'x-cache-purge': order })).status).toBe(200)
    const [some, all, ...others] = purges.map(([, scopes]) => scopes)
    expect(some).toContainEqual({ kind: 'tag', tag: 'host:a.test post-7' })
    expect(some).toContainEqual({ kind: 'prefix', prefix: '//a.test/news/' })
    expect(JSON.stringify(some)).not.toContain('other')
    expect(all).toEqual([{ kind: 'tag', tag: 'host:a.test' }])
    expect(others).toEqual([])
  })

  it('names the page at all names of the site, or all of it', async () => {
    const ask = siteOf()
    for (const target of ['/page', '/page?x=y', '/p.*', '/.*', '/purgeall'])
      expect((await ask(target, { host: 'WWW.a.test:8080' })).status).toBe(200)
    expect(purges.map(([domain]) => domain)).toEqual(Array(5).fill('a.test'))
    const [page, query, prefix, all, every] = purges.map(([, scopes]) => scopes)
    expect(page).toContainEqual({ kind: 'key', id: 'https://www.a.test/page' })
    expect(page).toContainEqual({ kind: 'key', id: 'http://a.test/page' })
    expect(query).toEqual(page)
    expect(prefix).toContainEqual({ kind: 'prefix', prefix: '//a.test/p' })
    expect([all, every]).toEqual(Array(2).fill([{ kind: 'tag', tag: 'host:a.test' }]))
  })

  it('at a site of very many names takes all of it', async () => {
    const aliases = Array.from({ length: 200 }, (_, n) => `w${n}.a.test`)
    for (const target of ['/page', '/p.*']) await siteOf({ aliases })(target)
    expect(purges.map(([, scopes]) => scopes)).toEqual(
      Array(2).fill([{ kind: 'tag', tag: 'host:a.test' }]),
    )
    await siteOf({ aliases: aliases.slice(1) })('/page')
    expect(purges.at(-1)?.[1]).toContainEqual({ kind: 'key', id: 'https://w9.a.test/page' })
  })

  it('of one site is bounded in time, which another does not feel', async () => {
    const ask = siteOf()
    let status = 200
    for (let n = 0; n < 2000 && status === 200; n++) status = (await ask()).status
    expect(status).toBe(429)
    expect(purges.length).toBe(500)
    expect((await ask('/page', { host: 'b.test' })).status).toBe(200)
    nowMs += 1000
    expect((await ask()).status).toBe(200)
  })

  it('of others changes nothing, and takes nothing from what the owner may', async () => {
    const ask = siteOf()
    isOwner = false
    for (let n = 0; n < 2000; n++) await ask()
    const refused = await ask('/page', { authorization: 'Bearer wrong' })
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([405, 'no-store'])
    expect((await ask('/page', { authorization: 'Bearer secret' })).status).toBe(200)
    expect(purges.length).toBe(1)
    isOwner = true
    expect((await ask()).status).toBe(200)
    expect((await ask('/page', { via: '1.1 x' })).status).toBe(405)
  })

  it('over a connection that was reset is not judged by who has its port now', async () => {
    const ask = siteOf()
    const connection = new AbortController()
    meanwhile = () => connection.abort()
    expect((await ask('/page', {}, { signal: connection.signal })).status).toBe(405)
    expect(purges).toEqual([])
  })

  it('is the site handler’s where there is no such page cache, or no site to answer', async () => {
    const cache = { ...vhostOf().cache, enable: false }
    for (const changes of [{ cache }, { suspended: true }, { over_bandwidth: true }])
      expect(await (await siteOf(changes)()).text()).toBe('the site')
    const ask = siteOf()
    expect(await (await ask('/page', { host: 'c.test' })).text()).toBe('the site')
    expect(await (await ask('/%00')).text()).toBe('the site')
    expect(await (await ask('/page', {}, { method: 'GET' })).text()).toBe('the site')
    expect(purges).toEqual([])
  })
})
