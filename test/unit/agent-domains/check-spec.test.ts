import { expect, test } from 'vitest'
import type { Registry } from '#adapters/node/agent/registry/types.ts'
import { checkSpec } from '#adapters/node/agent/domains/check-spec.ts'
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
  proxy: { upstream: 'http://127.0.0.1:3000', paths: ['/app'], websocket: true },
}

test('every field of a host is recorded and written', () => {
  const { spec: recorded, text } = checkSpec(spec, registry, '/certs')
  // What is left out here would be asked for in the panel, never served, and drift for the doctor.
  expect(recorded).toEqual(spec)
  expect(text).toContain('hsts_max_age_secs = 15552000')
})

test('what is absent stays absent', () => {
  const { hstsMaxAgeSecs, proxy, ...less } = spec
  expect([hstsMaxAgeSecs, proxy?.paths]).toEqual([15_552_000, ['/app']])
  expect(checkSpec(less, registry, '/certs').spec).toEqual(less)
})
