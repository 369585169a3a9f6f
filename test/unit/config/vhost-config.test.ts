import { describe, expect, test } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import { parse as parseToml } from 'smol-toml'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { findDuplicates, parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { renderVirtualHost } from '#handlers/domain/domains/vhost-config.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

const SPEC: VirtualHostSpec & { uid: number; home: string } = {
  ...siteSpec('example.com', 'alice', {
    aliases: ['www.example.com', 'example.net'],
    php: { version: '8.2', mode: 'fpm' },
    ssl: { certificate: '/c/cert.pem', key: '/c/key.pem' },
    redirectHttps: true,
    cache: { enable: true, ttl: 60, exclude: ['/cart/*', '/me'] },
  }),
  uid: 1001,
  home: '/home/alice',
}
const readBack = (spec: typeof SPEC): ReturnType<typeof parseIncludedFile> =>
  parseIncludedFile('/v/example.com.toml', renderVirtualHost(spec))

describe('a rendered virtual host', () => {
  test('reads back as what it was made of', () => {
    const { hosts, problems } = readBack(SPEC)
    expect(problems).toEqual([])
    expect(hosts.map(({ host }) => host)).toEqual([
      {
        domain: 'example.com',
        aliases: ['www.example.com', 'example.net'],
        root: '/home/alice/public_html',
        index: ['index.php', 'index.html', 'index.htm'],
        username: 'alice',
        uid: 1001,
        home: '/home/alice',
        suspended: false,
        over_bandwidth: false,
        redirect_https: true,
        hsts_max_age_secs: 0,
        ssl_certificate: '/c/cert.pem',
        ssl_certificate_key: '/c/key.pem',
        error_pages: {},
        headers: {},
        rewrites: [],
        htaccess: true,
        htaccess_unknown: 'ignore',
        php: { enable: true, version: '8.2', mode: 'fpm', socket: null },
        proxy: null,
        cache: { ...DEFAULT_CACHE_RULE, ttl: 60, exclude: ['/cart/*', '/me'] },
      },
    ])
  })

  test('without PHP, certificate and ttl; suspended', () => {
    const { hosts, problems } = readBack({
      ...SPEC,
      php: null,
      ssl: null,
      suspended: true,
      cache: { enable: false, ttl: null, exclude: [] },
    })
    expect(problems).toEqual([])
    expect(hosts[0]?.host).toMatchObject({
      suspended: true,
      ssl_certificate: null,
      php: { enable: false },
      cache: { enable: false, ttl: null, exclude: [] },
    })
  })

  test.each([
    'a"b',
    "a'b",
    '"""',
    "'''",
    'a\\b',
    'a\\',
    'a\nroot = "/"\n[[virtualhost]]',
    'a\r\nb',
    '\u0000\u0001\u001f\u007f\u0085',
    '# not a comment',
    '[[virtualhost]]',
    '日本 🚢',
    '\u202e\u2028',
    '$(id) `id` ; | & > <',
    '',
  ])('gives hostile text back unchanged and adds no key: %j', (text) => {
    const rendered = renderVirtualHost({
      ...SPEC,
      domain: text,
      aliases: [text, text],
      username: text,
      root: text,
      home: text,
      php: { version: text, mode: 'fpm' },
      ssl: { certificate: text, key: text },
      cache: { enable: true, ttl: 1, exclude: [text] },
    })
    expect(parseToml(rendered)).toEqual({
      virtualhost: [
        {
          domain: text,
          aliases: [text, text],
          username: text,
          root: text,
          uid: 1001,
          home: text,
          suspended: false,
          over_bandwidth: false,
          redirect_https: true,
          ssl_certificate: text,
          ssl_certificate_key: text,
          php: { version: text, mode: 'fpm' },
          cache: { enable: true, ttl: 1, exclude: [text] },
        },
      ],
    })
  })

  test('a lone surrogate, which no file can hold, becomes the replacement character', () => {
    expect(parseToml(renderVirtualHost({ ...SPEC, root: 'a\ud800b' }))).toMatchObject({
      virtualhost: [{ root: 'a\ufffdb' }],
    })
  })

  test.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses uid %s', (uid) => {
    expect(() => renderVirtualHost({ ...SPEC, uid })).toThrow(TypeError)
  })
})

describe('an included file', () => {
  test('holds virtual hosts and nothing else', () => {
    const { problems } = parseIncludedFile('/v/x.toml', '[paths]\nstate_dir = "/"\nbogus = 1\n')
    expect(problems).toEqual([
      expect.objectContaining({ file: '/v/x.toml', line: 1, key: 'paths' }),
    ])
  })

  test('names claimed twice are reported at the second place, with the first', () => {
    const one = parseIncludedFile('/v/a.toml', renderVirtualHost(SPEC))
    const two = parseIncludedFile(
      '/v/b.toml',
      renderVirtualHost({ ...SPEC, domain: 'other.com', aliases: ['WWW.example.com'] }),
    )
    expect(findDuplicates([...one.hosts, ...two.hosts])).toEqual([
      {
        file: '/v/b.toml',
        line: 4,
        key: 'virtualhost[0].aliases',
        message:
          '"www.example.com" is already taken by the virtual host "example.com" (/v/a.toml:2). Remove one of them.',
      },
    ])
  })
})
