import { describe, expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE, type CacheRule } from '#edge-cache/config.ts'
import { resolveWarmUrl, type WarmHost, type WarmHosts, warmTargetId } from '#edge-cache/index.ts'
import { normalizePathText } from '#handlers/sites/paths/request-path.ts'

const host = (domain: string, change: Partial<WarmHost> & { rule?: Partial<CacheRule> } = {}) => {
  const { rule, ...more } = change
  return {
    domain,
    aliases: [`www.${domain}`],
    suspended: false,
    cache: { ...DEFAULT_CACHE_RULE, ...rule },
    schemes: 'http',
    mobileVariant: false,
    ...more,
  } satisfies WarmHost
}
const ALL: WarmHost[] = [
  host('a.test', { rule: { exclude: ['/cart', '/admin/*'] } }),
  host('b.test', { schemes: 'both' }),
  host('safe.test', { schemes: 'https' }),
  host('off.test', { rule: { enable: false } }),
  host('closed.test', { suspended: true }),
  host('mobile.test', { mobileVariant: true }),
  host('xn--bcher-kva.test'),
]
const hosts: WarmHosts = {
  find: (name) =>
    ALL.find(({ domain, aliases }) => domain === name || aliases.includes(name)) ?? null,
  all: () => ALL,
  normalizePath: normalizePathText,
  isOwnPort: (port) => port === 8080,
}
const resolve = (url: string, domain: string | null = null): string[] | string => {
  const found = resolveWarmUrl(url, domain, hosts)
  return 'reason' in found ? found.reason : found.targets.map(warmTargetId)
}

describe('accepted', () => {
  it.each<[string, string | null, string[]]>([
    ['http://a.test/x', null, ['http://a.test/x']],
    ['http://A.TEST', null, ['http://a.test/']],
    ['http://a.test./x', null, ['http://a.test/x']],
    ['http://www.a.test/x#top', null, ['http://www.a.test/x']],
    ['http://a.test:8080/x', null, ['http://a.test/x']],
    ['http://a.test:80/x', null, ['http://a.test/x']],
    ['/x', 'a.test', ['http://a.test/x']],
    ['/x', 'www.a.test', ['http://www.a.test/x']],
    ['/%E6%97%A5', 'a.test', ['http://a.test/日']],
    ['/日', 'a.test', ['http://a.test/日']],
    ['/a/./b/../c', 'a.test', ['http://a.test/a/c']],
    ['http://bücher.test/x', null, ['http://xn--bcher-kva.test/x']],
    // Stored once per scheme; a URL picks its own.
    ['/x', 'b.test', ['https://b.test/x', 'http://b.test/x']],
    ['http://b.test/x', null, ['http://b.test/x']],
    ['https://b.test/x', null, ['https://b.test/x']],
    // A site that redirects has its pages behind TLS only, one of files shares them.
    ['http://safe.test/x', null, ['https://safe.test/x']],
    ['https://a.test/x', null, ['http://a.test/x']],
    ['/x', 'mobile.test', ['http://mobile.test/x', 'http://mobile.test/x (mobile)']],
  ])('%s at %s', (url, domain, expected) => {
    expect(resolve(url, domain)).toEqual(expected)
  })

  it('a bare path goes to every virtual host that caches it', () => {
    expect(resolve('/cart')).toEqual([
      'https://b.test/cart',
      'http://b.test/cart',
      'https://safe.test/cart',
      'http://mobile.test/cart',
      'http://mobile.test/cart (mobile)',
      'http://xn--bcher-kva.test/cart',
    ])
  })
})

describe('rejected', () => {
  it.each<[string, string | null, string]>([
    ['', null, 'empty'],
    ['x', 'a.test', 'neither a path'],
    ['//evil.test/', 'a.test', 'neither a path'],
    ['http://evil.test/', 'a.test', 'evil.test is no virtual host'],
    ['http://127.0.0.1/', null, '127.0.0.1 is no virtual host'],
    ['http://2130706433/', null, '127.0.0.1 is no virtual host'],
    ['http://0x7f.1/', null, '127.0.0.1 is no virtual host'],
    ['http://localhost/', null, 'localhost is no virtual host'],
    ['http://[::1]/', null, '[::1] is no virtual host'],
    ['http://[::ffff:169.254.169.254]/', null, 'is no virtual host'],
    ['http://169.254.169.254/latest/meta-data/', null, '169.254.169.254 is no virtual host'],
    ['http://a.test.evil.test/', null, 'is no virtual host'],
    ['http://a.test@evil.test/', null, 'user name or password'],
    ['http://evil.test#@a.test/', null, 'evil.test is no virtual host'],
    ['http://a.test\\@evil.test/', null, 'backslash'],
    ['http://a.test/\r\nHost: evil', null, 'control character'],
    ['http://a.test:22/', null, 'does not listen on port 22'],
    ['file:///etc/passwd', null, 'only http and https'],
    ['gopher://a.test/', null, 'only http and https'],
    ['http://a.test/?a=b', null, 'query'],
    ['/x?', 'a.test', 'query'],
    ['/../etc/passwd', 'a.test', 'no path'],
    ['/%2e%2e/etc/passwd', 'a.test', 'no path'],
    ['http://a.test/%2e%2e/%2e%2e/x', null, 'no path'],
    ['/%00', 'a.test', 'no path'],
    ['/x', 'evil.test', 'evil.test is no virtual host'],
    ['/cart', 'a.test', 'excluded'],
    ['http://a.test/admin/x', null, 'excluded'],
    ['/x', 'off.test', 'page cache is off'],
    ['/x', 'closed.test', 'suspended'],
    [`/${'x'.repeat(9000)}`, 'a.test', 'longer than'],
  ])('%s at %s: %s', (url, domain, reason) => {
    expect(resolve(url, domain)).toContain(reason)
  })
})
