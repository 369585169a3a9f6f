import { expect, test } from 'vitest'
import type { Registry } from '#adapters/node/agent/registry/types.ts'
import { checkNamesAreFree, checkSpec } from '#adapters/node/agent/domains/check-spec.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

const registry = {
  account: () => ({ username: 'alice', uid: 20_000, home: '/home/alice' }),
  vhost: () => null,
} as unknown as Registry

const spec: VirtualHostSpec = {
  domain: 'a.example',
  aliases: ['www.a.example'],
  username: 'alice',
  root: '/home/alice/public_html',
  suspended: true,
  overBandwidth: true,
  php: {
    version: '8.2',
    mode: 'cgi',
    pool: { maxChildren: 3, memoryLimit: '64M', ini: { 'date.timezone': 'UTC' } },
  },
  ssl: { certificate: '/certs/a.example/1/certificate.pem', key: '/certs/a.example/1/key.pem' },
  redirectHttps: true,
  hstsMaxAgeSecs: 15_552_000,
  cache: {
    enable: true,
    ttl: 60,
    exclude: ['/cart'],
    bypassCookies: ['session'],
    ignoreQueryParams: ['utm_*'],
    mobileVariant: true,
    fills: 'neutral',
    harmlessCookies: ['theme', 'ab[1]'],
    sessionCookies: ['member_*'],
    application: 'wordpress',
  },
  site: {
    www: 'without',
    redirects: [
      { from: '/a "b" = \u20ac', match: 'prefix', to: 'https://x.example/?a=b', status: 307 },
    ],
    headers: [{ name: 'X-Robots-Tag', value: 'a\t"b" \\ c' }],
    error_pages: { 404: '/errors/404.html', 503: '/soon.html' },
    index: ['start.html'],
    listing: 'on',
    php: { memory_limit: '64M', 'date.timezone': 'UTC' },
    maintenance: { enabled: true, retry_after_secs: 60, allow: ['192.0.2.0/24'] },
    allow: ['2001:db8::/32'],
    deny: ['10.0.0.0/8'],
    hotlink: { enabled: true, extensions: ['png'], allow: ['*.friend.example'] },
    rate_limits: {
      rules: [{ path: '/in "x"', requests: 5, per_secs: 60, burst: 10, count_hits: false }],
      allow: ['192.0.2.0/24'],
    },
    protected: [
      {
        path: '/in',
        realm: 'Inside',
        users: [{ name: 'ann "x" = ]', hash: `$2b$10$${'a'.repeat(53)}` }],
      },
    ],
    folders: [
      { path: '/media', folder: 'shared/me "x"' },
      { path: '/api/docs', folder: 'docs' },
    ],
    backends: [
      {
        ...{ path: '/api', replace_prefix: '/v1', application: null, internal: false },
        servers: [
          { url: 'https://a.example', weight: 3 },
          { url: 'http://9.9.9.9:8080', weight: 1 },
        ],
        ...{ health_path: '/health', preserve_host: true, websocket: false, verify_tls: false },
      },
      {
        ...{ path: '/in"x"', replace_prefix: null, application: null, internal: true },
        servers: [{ url: 'http://10.0.0.5:3000', weight: 1 }],
        ...{ health_path: null, preserve_host: false, websocket: true, verify_tls: true },
      },
      {
        ...{ path: '/shop', replace_prefix: '/', application: 'shop', internal: false },
        servers: [],
        ...{ health_path: null, preserve_host: true, websocket: true, verify_tls: true },
      },
    ],
  },
  instances: { shop: { instances: 3, healthPath: '/up' } },
  defaultHost: true,
  proxy: { upstream: 'http://127.0.0.1:3000', paths: ['/app'], websocket: true },
}

test('every field of a host is recorded and written', () => {
  const { spec: recorded, text } = checkSpec(spec, registry, '/certs')
  // What is left out here would be asked for in the panel, never served, and drift for the doctor.
  expect(recorded).toEqual(spec)
  expect(text).toContain('hsts_max_age_secs = 15552000')
})

test('what is absent stays absent', () => {
  const { hstsMaxAgeSecs, proxy, site, instances, ...less } = spec
  expect(site?.www).toBe('without')
  expect([hstsMaxAgeSecs, proxy?.paths]).toEqual([15_552_000, ['/app']])
  expect(Object.keys(instances ?? {})).toEqual(['shop'])
  expect(checkSpec(less, registry, '/certs').spec).toEqual(less)
})

test('a wildcard and the names of other accounts exclude each other', () => {
  const named = (domain: string, username: string, aliases: string[] = []) => ({
    ...spec,
    domain,
    username,
    aliases,
  })
  const wild = named('*.a.test', 'alice')
  for (const foreign of ['a.test', 'x.a.test', 'x.y.a.test', '*.x.a.test']) {
    const other = named('b.test', 'bobby', [foreign])
    expect(() => checkNamesAreFree([wild], [other]), foreign).toThrow(/another account/)
    expect(() => checkNamesAreFree([other], [wild]), foreign).toThrow(/another account/)
    expect(() => checkNamesAreFree([named('c.test', 'alice', [foreign])], [wild])).not.toThrow()
  }
  expect(() => checkNamesAreFree([wild], [named('ya.test', 'bobby')])).not.toThrow()
  const place = '/certs/_wildcard.a.test/1'
  const ssl = { certificate: `${place}/certificate.pem`, key: `${place}/key.pem` }
  expect(checkSpec({ ...spec, domain: '*.a.test', ssl }, registry, '/certs').text).toContain(
    '"*.a.test"',
  )
})

test.each(['1', 'd0c5.ssl', 'import:alice.1', '.1'])('a version may be called %s', (version) => {
  const place = `/certs/a.example/${version}`
  const ssl = { certificate: `${place}/certificate.pem`, key: `${place}/key.pem` }
  expect(checkSpec({ ...spec, ssl }, registry, '/certs').spec.ssl).toEqual(ssl)
})

test.each([
  ['of another site', '/certs/b.example/1/certificate.pem', '/certs/a.example/1/key.pem'],
  [
    'with a key of another site',
    '/certs/a.example/1/certificate.pem',
    '/certs/b.example/1/key.pem',
  ],
  [
    'through another site',
    '/certs/a.example/../b.example/1/certificate.pem',
    '/certs/a.example/1/key.pem',
  ],
  [
    'of a site that begins so',
    '/certs/a.example.org/1/certificate.pem',
    '/certs/a.example/1/key.pem',
  ],
  ['elsewhere', '/etc/shadow', '/etc/shadow'],
  ['that is another file', '/certs/a.example/1/key.pem', '/certs/a.example/1/key.pem'],
  ['of the directory above', '/certs/a.example/../certificate.pem', '/certs/a.example/../key.pem'],
  ['in no version', '/certs/a.example/certificate.pem', '/certs/a.example/key.pem'],
])('a certificate %s is refused', (_, certificate, key) => {
  expect(() => checkSpec({ ...spec, ssl: { certificate, key } }, registry, '/certs')).toThrow(
    /one of a\.example in the certificate directory/,
  )
})
