import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { VirtualHostSpec, WebServerPort } from '#handlers/ports/host/web-server.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

/** A port with two accounts it knows. */
export interface WebServerPortSubject {
  webServer: WebServerPort
  account: { username: string; home: string }
  other: { username: string; home: string }
  /** Primary names of the hosts that are configured now, sorted. */
  configured(): Promise<string[]>
  dispose(): Promise<void>
}

/** What every implementation of `WebServerPort` keeps to. */
export const webServerPortContract = (
  label: string,
  create: () => Promise<WebServerPortSubject>,
): void => {
  describe(`WebServerPort: ${label}`, () => {
    let subject: WebServerPortSubject
    const spec = (domain: string, change: Partial<VirtualHostSpec> = {}): VirtualHostSpec =>
      siteSpec(domain, subject.account.username, {
        root: `${subject.account.home}/public_html`,
        php: { version: '8.2', mode: 'fpm' },
        cache: { enable: true, ttl: 600, exclude: ['/private/*', '/with "quotes"\\'] },
        ...change,
      })
    const put = (...hosts: VirtualHostSpec[]): Promise<void> =>
      subject.webServer.apply({ put: hosts, remove: [] })

    beforeAll(async () => {
      subject = await create()
    })
    beforeEach(async () => {
      await subject.webServer.regenerate({ hosts: [] })
    })
    afterAll(async () => {
      await subject.dispose()
    })

    it('puts, replaces and removes hosts', async () => {
      await put(
        spec('one.example.com', { aliases: ['www.one.example.com'] }),
        spec('two.example.com'),
      )
      expect(await subject.configured()).toEqual(['one.example.com', 'two.example.com'])
      await subject.webServer.apply({
        put: [spec('one.example.com', { suspended: true }), spec('three.example.com')],
        remove: ['two.example.com', 'never.example.com'],
      })
      expect(await subject.configured()).toEqual(['one.example.com', 'three.example.com'])
    })

    it('explains nothing of sites that it does not have', async () => {
      const test = {
        ...{ domain: 'none.example.com', method: 'GET', url: 'http://none.example.com/' },
        ...{ headers: {}, clientAddress: '192.0.2.1', draft: null },
      }
      await expect(subject.webServer.explain(test)).rejects.toMatchObject({ status: 404 })
    })

    it('knows no backends of sites that it does not have', async () => {
      const domain = 'none.example.com'
      expect(await subject.webServer.upstreams({ domain })).toEqual([])
    })

    it('regenerates the whole set and counts what it changed', async () => {
      await put(spec('old.example.com'), spec('same.example.com'))
      const hosts = [spec('same.example.com'), spec('new.example.com')]
      expect(await subject.webServer.regenerate({ hosts })).toEqual({ written: 1, removed: 1 })
      expect(await subject.webServer.regenerate({ hosts })).toEqual({ written: 0, removed: 0 })
      expect(await subject.configured()).toEqual(['new.example.com', 'same.example.com'])
    })

    it('leaves what was changed since an edition, and the accounts it is told to leave', async () => {
      const { username, home } = subject.other
      const others = { username, root: `${home}/public_html` }
      await put(spec('gone.example.com'), spec('left.example.com', others))
      await put(spec('early.example.com'))
      const since = await subject.webServer.edition()
      const read = [spec('gone.example.com'), spec('same.example.com')]
      await subject.webServer.apply({
        put: [spec('late.example.com')],
        remove: ['gone.example.com'],
      })
      const input = { hosts: read, since, leave: [username] }
      expect(await subject.webServer.regenerate(input)).toEqual({ written: 1, removed: 1 })
      expect(await subject.configured()).toEqual([
        'late.example.com',
        'left.example.com',
        'same.example.com',
      ])
      expect(await subject.webServer.edition()).not.toBe(since)
    })

    it('refuses an edition that it does not know', async () => {
      await put(spec('kept.example.com'))
      for (const since of ['', 'another-run.0', `${await subject.webServer.edition()}x`])
        await expect(subject.webServer.regenerate({ hosts: [], since })).rejects.toMatchObject({
          status: 409,
        })
      expect(await subject.configured()).toEqual(['kept.example.com'])
    })

    it('takes many changes at once', async () => {
      const names = Array.from({ length: 12 }, (_, index) => `n${index}.example.com`).sort()
      await Promise.all(names.map((name) => put(spec(name))))
      expect(await subject.configured()).toEqual(names)
    })

    it('refuses bad fields and changes nothing', async () => {
      await put(spec('kept.example.com'))
      const bad: Partial<VirtualHostSpec>[] = [
        { domain: '../../etc/passwd' },
        { domain: 'UPPER.example.com' },
        { domain: 'a b.example.com' },
        { domain: 'x.example.com\n[server]' },
        { domain: '*.*.example.com' },
        { domain: 'a*.example.com' },
        { aliases: ['bad"]\n.example.com'] },
        { root: '/etc' },
        { root: `${subject.account.home}/../x` },
        { root: `${subject.account.home}/public_html\nx` },
        { root: `${subject.other.home}/public_html` },
        { php: { version: '8.2"', mode: 'fpm' } },
        { ssl: { certificate: '/etc/shadow', key: '/etc/shadow' } },
      ]
      for (const change of bad)
        await expect(
          put(spec('fine.example.com'), spec('bad.example.com', change)),
          JSON.stringify(change),
        ).rejects.toMatchObject({ status: 400 })
      expect(await subject.configured()).toEqual(['kept.example.com'])
    })

    it('refuses unknown accounts, hosts of another account and names that are taken', async () => {
      await put(spec('mine.example.com', { aliases: ['www.mine.example.com'] }))
      const { username, home } = subject.other
      const others = { username, root: `${home}/public_html` }
      await expect(put(spec('x.example.com', { username: 'btnobody0' }))).rejects.toMatchObject({
        status: 404,
      })
      await expect(put(spec('mine.example.com', others))).rejects.toMatchObject({ status: 409 })
      await expect(put(spec('www.mine.example.com', others))).rejects.toMatchObject({ status: 409 })
      await expect(
        put(spec('z.example.com', { ...others, aliases: ['mine.example.com'] })),
      ).rejects.toMatchObject({ status: 409 })
      expect(await subject.configured()).toEqual(['mine.example.com'])
    })

    it('tells its status, reloads and purges', async () => {
      const status = await subject.webServer.status()
      expect(status).toMatchObject({ installed: true, running: true })
      expect(status.version).not.toBe('')
      expect(status.pid).toBeGreaterThan(0)
      const counters = await subject.webServer.counters()
      expect(counters).toEqual({
        run: expect.any(String),
        requests: expect.any(Number),
        hits: expect.any(Number),
        misses: expect.any(Number),
      })
      expect((await subject.webServer.counters())?.run).toBe(counters?.run)
      expect(await subject.webServer.reload()).toEqual({ restart_needed: [] })
      await subject.webServer.purge({ domains: ['one.example.com'] })
      await subject.webServer.purge({ domains: [] })
    })
  })
}
