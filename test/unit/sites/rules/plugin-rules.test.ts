import { describe, expect, it } from 'vitest'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { parseRules } from '#handlers/sites/htaccess/files/parse-rules.ts'
import { createSiteRules, type Judgement } from '#handlers/sites/htaccess/files/site-rules.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'
import { memoryFiles } from '../memory-site.ts'

const nothing = (): void => undefined
const context: SiteContext = {
  ...{ clientAddress: '192.0.2.1', clientPort: 1, serverAddress: '192.0.2.2', serverPort: 80 },
  ...{ secure: false, serverName: null, protocol: 'HTTP/1.1', rawTarget: '/' },
}
/** Judges requests for `/page` at a site with one `.htaccess`. */
const siteOf = (
  text: string,
  changes: Partial<VirtualHostConfig> = {},
  /** Takes what is complained of. */
  told: string[] = [],
) => {
  const rules = createSiteRules({
    files: memoryFiles({}),
    ruleFiles: {
      read: ({ path }) =>
        Promise.resolve(
          path === '/.htaccess' ? { kind: 'text', text, stamp: '1' } : { kind: 'missing' },
        ),
      verifyPassword: () => Promise.resolve(false),
    },
    log: { info: nothing, warn: (message) => void told.push(message), error: nothing },
    nowMs: () => 0,
  })
  const vhost = hostConfig('a.test', { htaccess: true, ...changes })
  const target = normalizeTarget('/page')
  if (target === null) throw new Error('no target')
  return {
    judge: (headers: Record<string, string> = {}): Promise<Judgement> =>
      rules.judge(new Request('http://a.test/page', { headers }), {
        ...{ vhost, host: vhost.domain, target, context },
      }),
    hot: () => rules.fastEdition(vhost, '/page'),
  }
}
const block = (lines: string): string =>
  `<IfModule LiteSpeed>\nRewriteEngine On\nCacheLookup on\n${lines}\n</IfModule>\n`

describe('rules that speak to the page cache', () => {
  it('leave the fast path where they ask for nothing of the client', async () => {
    const plain = 'RewriteRule .* - [E=Cache-Control:no-autoflush]'
    const site = siteOf(block(`${plain}\nRewriteRule .? - [E="Cache-Vary:,wp-postpass_1"]`))
    // The rules are read with the first.
    await site.judge()
    expect((await site.judge()).shared).toBe(true)
    expect(site.hot()).not.toBeNull()
    // That way does not know this cookie.
    const named = siteOf(block('RewriteRule .? - [E="Cache-Vary:my_own"]'))
    await named.judge()
    expect((await named.judge()).shared).toBe(true)
    expect(named.hot()).toBeNull()
    expect((await named.judge({ cookie: 'my_own=1' })).shared).toBe(false)
  })

  it('choose a variant by what differs between clients', async () => {
    const site = siteOf(
      block('RewriteCond %{HTTP_USER_AGENT} Mobile\nRewriteRule .* - [E=Cache-Control:vary=m]'),
    )
    await site.judge()
    const [desk, phone] = [await site.judge(), await site.judge({ 'user-agent': 'Mobile' })]
    expect([desk.shared, phone.shared]).toEqual([true, true])
    expect(phone.plan.edition).toBe(`${desk.plan.edition};m`)
    expect(site.hot()).toBeNull()
  })

  it('share nothing that differs by more than the variant', async () => {
    const site = siteOf(
      block(
        'RewriteCond %{HTTP_USER_AGENT} Mobile\nRewriteRule .* - [E=Cache-Control:vary=m,E=MORE:1]',
      ),
    )
    expect((await site.judge({ 'user-agent': 'Mobile' })).shared).toBe(false)
  })

  it('make variants of plain text only', async () => {
    const rule = 'RewriteRule .* - [E=Cache-Control:vary=%{HTTP_USER_AGENT}]'
    expect((await siteOf(block(rule)).judge({ 'user-agent': 'a b' })).shared).toBe(false)
  })

  it('close the cache, also from a rule of the virtual host', async () => {
    const closed = siteOf(block('RewriteRule .* - [E=cache-control:no-cache]'))
    expect((await closed.judge()).shared).toBe(false)
    const rewrites = [{ pattern: '.*', target: '-', flags: 'E=Cache-Control:no-cache' }]
    expect((await siteOf('', { rewrites }).judge()).shared).toBe(false)
    for (const line of [
      'CacheDisable on',
      'CacheDisable /pa',
      'CacheDisable public /',
      'CacheDisable',
    ])
      expect((await siteOf(line).judge()).shared, line).toBe(false)
    for (const line of ['CacheDisable /other', 'CacheDisable private /', 'CacheEnable public /'])
      expect((await siteOf(line).judge()).shared, line).toBe(true)
  })

  it.each(['E=Cache-Vary:', 'E=Cache-Control:', 'E=X:', 'CO=X:'])(
    'pay for the text of %s, however often they run',
    async (flag) => {
      const told: string[] = []
      const text = 'n,'.repeat(1000)
      const site = siteOf(block(`RewriteRule ^ - [N,"${flag}${text}"]`), {}, told)
      expect((await site.judge()).plan.answer?.status).toBe(500)
      // Beyond what patterns may cost, and not at the 20,000th rule.
      expect(told).toEqual(['rules take too many steps'])
      // Charged to the site, as patterns are.
      const more = async (): Promise<void> => {
        for (let n = 0; n < 50; n++) await site.judge()
      }
      await expect(more()).rejects.toThrow('cost too much')
    },
  )

  it('count for nothing where the cache is off', () => {
    const text = '<IfModule LiteSpeed>\nNoSuchDirective\n</IfModule>'
    expect(parseRules(text, '/').unknown).toEqual([])
    expect(parseRules(text, '/', false, true).unknown).toEqual(['nosuchdirective'])
    const negated = text.replace('LiteSpeed', '!litespeed')
    expect(parseRules(negated, '/').unknown).toEqual(['nosuchdirective'])
    expect(parseRules(negated, '/', false, true).unknown).toEqual([])
  })
})
