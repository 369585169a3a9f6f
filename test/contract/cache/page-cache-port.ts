import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageCachePort, WarmProgress } from '#handlers/ports/host/cache/page-cache.ts'

/** A port with two sites of different accounts, each with the pages `/`, `/a`, `/b`, `/blog/x`. */
export interface PageCachePortSubject {
  pageCache: PageCachePort
  /** Primary names. */
  site: string
  other: string
  /** A further name of `site`, served from the same pages. */
  alias: string
  /** Asks for a page, so that it is stored; its tags are `shared` and its path without slashes. */
  visit(host: string, path: string): Promise<void>
  /** Has the site set cookies of these names. */
  setCookies(host: string, names: readonly string[]): Promise<void>
  /** Whether a visitor would get it from the cache. */
  isStored(host: string, path: string): Promise<boolean>
  dispose(): Promise<void>
}

/** What every implementation of `PageCachePort` keeps to. */
export const pageCachePortContract = (
  label: string,
  create: () => Promise<PageCachePortSubject>,
): void => {
  describe(`PageCachePort: ${label}`, () => {
    let subject: PageCachePortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject?.dispose()
    })
    beforeEach(async () => {
      for (const domain of [subject.site, subject.other])
        await subject.pageCache.purge({ domain, scope: { kind: 'all' } })
    })
    const stored = (host: string, ...paths: string[]): Promise<boolean[]> =>
      Promise.all(paths.map((path) => subject.isStored(host, path)))
    const visitAll = async (): Promise<void> => {
      for (const host of [subject.site, subject.other])
        for (const path of ['/a', '/b', '/blog/x']) await subject.visit(host, path)
    }
    /** Follows an order to its end. */
    const warmed = async (batch: string): Promise<WarmProgress> => {
      let last: WarmProgress | null = null
      await expect
        .poll(
          async () => {
            last = await subject.pageCache.warmProgress({ batch })
            return last !== null && !last.finding && last.done + last.skipped + last.failed
          },
          { timeout: 20_000 },
        )
        .toBe((await subject.pageCache.warmProgress({ batch }))?.queued)
      if (last === null) throw new Error('the order is not known')
      return last
    }

    it('purges by path, under all names, and says how many pages went', async () => {
      const { pageCache, site, other, alias } = subject
      await visitAll()
      const purge = (...paths: string[]) =>
        pageCache.purge({ domain: site, scope: { kind: 'paths', paths } })
      expect(await purge('/a')).toMatchObject({ pages: 1, at_least: false, widened: false })
      expect(await purge('/a')).toMatchObject({ pages: 0 })
      expect(await purge('/bl*')).toMatchObject({ pages: 1 })
      expect(await stored(other, '/a', '/b', '/blog/x')).toEqual([true, true, true])
      expect(await stored(site, '/b')).toEqual([true])
      await subject.visit(alias, '/a')
      expect(await purge('/a')).toMatchObject({ pages: 1 })
      expect(await stored(alias, '/a')).toEqual([false])
    })

    it('purges by tag within the site alone, though all sites have the tag', async () => {
      const { pageCache, site, other } = subject
      await visitAll()
      const purge = (...tags: string[]) =>
        pageCache.purge({ domain: site, scope: { kind: 'tags', tags } })
      expect(await purge('blogx', 'none')).toMatchObject({ pages: 1 })
      expect(await purge('SHARED')).toMatchObject({ pages: 2 })
      expect(await purge('shared')).toMatchObject({ pages: 0 })
      expect(await stored(other, '/a', '/b', '/blog/x')).toEqual([true, true, true])
      expect(await stored(site, '/a', '/b', '/blog/x')).toEqual([false, false, false])
    })

    it('purges a whole site and no other', async () => {
      const { pageCache, site, other } = subject
      await visitAll()
      expect(await pageCache.purge({ domain: site, scope: { kind: 'all' } })).toMatchObject({
        pages: 3,
      })
      expect(await stored(other, '/a', '/b')).toEqual([true, true])
      expect(await stored(site, '/a')).toEqual([false])
    })

    it('refuses what no page can have, and what reaches for other sites', async () => {
      const { pageCache, site, other } = subject
      await visitAll()
      for (const path of ['a', '/a?b', '/../a', '/a#b', '/a\nb', `//${other}/a`, '/%2e%2e/x'])
        await pageCache
          .purge({ domain: site, scope: { kind: 'paths', paths: [path] } })
          .catch((error: unknown) =>
            expect(error, path).toMatchObject({ status: 400, field: 'paths' }),
          )
      for (const tag of ['a b', `host:${other} shared`, 'a\nb', 'a,b'])
        await expect(
          pageCache.purge({ domain: site, scope: { kind: 'tags', tags: [tag] } }),
          tag,
        ).rejects.toMatchObject({ status: 400, field: 'tags' })
      await pageCache.purge({ domain: site, scope: { kind: 'tags', tags: [`host:${other}`] } })
      expect(await stored(other, '/a', '/b', '/blog/x')).toEqual([true, true, true])
      for (const domain of ['nobody.example', subject.alias])
        await expect(pageCache.purge({ domain, scope: { kind: 'all' } })).rejects.toMatchObject({
          status: 404,
        })
    })

    it('warms pages of the site and rejects those of others', async () => {
      const { pageCache, site, other, alias } = subject
      const order = { domain: site, batch: 'first', discover: false }
      const urls = ['/a', `http://${alias}/b`, `http://${other}/a`, 'http://169.254.169.254/']
      const accepted = await pageCache.warm({ ...order, urls })
      expect(accepted.queued).toBe(2)
      expect(accepted.rejected.map(({ url }) => url)).toEqual(urls.slice(2))
      expect(await warmed('first')).toMatchObject({ queued: 2, done: 2, skipped: 0, failed: 0 })
      expect(await stored(site, '/a')).toEqual([true])
      expect(await stored(other, '/a')).toEqual([false])
      await expect(
        pageCache.warm({ ...order, domain: 'nobody.example', urls: ['/'] }),
      ).rejects.toMatchObject({ status: 404 })
      expect(await pageCache.warmProgress({ batch: 'never' })).toBeNull()
    })

    it('finds pages to warm by itself', async () => {
      const { pageCache, site } = subject
      await pageCache.warm({ domain: site, batch: 'found', urls: [], discover: true })
      const progress = await warmed('found')
      expect(progress.done).toBeGreaterThan(0)
      expect(await stored(site, '/')).toEqual([true])
    })

    it('tells why visitors of a site were not served, and what purged it, of no other', async () => {
      const { pageCache, site, other } = subject
      await visitAll()
      await pageCache.purge({ domain: site, scope: { kind: 'all' }, cause: 'panel:lena' })
      const paths = ['/a', '/blog/*']
      await pageCache.purge({ domain: site, scope: { kind: 'paths', paths } })
      const insight = await pageCache.insight({ domain: site })
      expect(insight?.since_ms).toBeGreaterThanOrEqual(0)
      expect(insight?.click_ids).toContain('utm_*')
      expect(insight?.purges.slice(0, 2)).toMatchObject([
        { scope: 'paths', items: paths, count: 2, times: 1, cause: 'panel' },
        { scope: 'all', items: [], count: 1, cause: 'panel:lena' },
      ])
      const others = await pageCache.insight({ domain: other })
      expect(others?.purges.map(({ cause }) => cause)).not.toContain('panel:lena')
      for (const domain of ['nobody.example', subject.alias])
        await expect(pageCache.insight({ domain })).rejects.toMatchObject({ status: 404 })
    })

    it('forgets a cookie that a site was seen to set, and no other', async () => {
      const { pageCache, site, other } = subject
      const learned = async (domain: string) => {
        const report = await pageCache.report()
        return report?.sites[domain]?.learned_cookies.map(({ name }) => name)
      }
      for (const domain of [site, other]) await subject.setCookies(domain, ['member', 'theme'])
      expect(await learned(site)).toEqual(['member', 'theme'])
      const forget = (name: string | null) => pageCache.forgetCookie({ domain: site, name })
      expect(await forget('Theme')).toEqual({ forgotten: true })
      expect(await forget('theme')).toEqual({ forgotten: false })
      expect(await learned(site)).toEqual(['member'])
      expect(await forget(null)).toEqual({ forgotten: true })
      expect(await learned(site)).toEqual([])
      expect(await learned(other)).toEqual(['member', 'theme'])
      for (const domain of ['nobody.example', subject.alias])
        await expect(pageCache.forgetCookie({ domain, name: 'member' })).rejects.toMatchObject({
          status: 404,
        })
    })

    it('tells of each site what it has', async () => {
      const { pageCache, site, other } = subject
      await visitAll()
      const report = await pageCache.report()
      expect(report).toMatchObject({ enabled: true, warms: true, lower_fault: null })
      expect(Object.keys(report?.sites ?? {})).toEqual(expect.arrayContaining([site, other]))
      const usage = report?.sites[site]
      expect(Math.max(usage?.memory.entries ?? 0, usage?.disk?.entries ?? 0)).toBeGreaterThan(2)
      expect(usage?.memory.bytes).toBeGreaterThan(0)
    })
  })
}
