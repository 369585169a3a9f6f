import { describe, expect, test } from 'vitest'
import {
  accountTargetProblem,
  checkProxyTargets,
} from '#handlers/domain/config/proxy/proxy-target-rules.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import { parseIncludedFile, parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { renderVirtualHost } from '#handlers/domain/domains/vhost-config.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

const proxied = (proxy: string, host = ''): ReturnType<typeof parseIncludedFile> =>
  parseIncludedFile(
    '/v/a.toml',
    `[[virtualhost]]\ndomain = "a.test"\n${host}\n[virtualhost.proxy]\n${proxy}\n`,
  )
const texts = (proxy: string, host = ''): string[] =>
  proxied(proxy, host).problems.map(({ line, key, message }) => `${line} ${key}: ${message}`)
const UPSTREAM = 'upstream = "http://127.0.0.1:3000"'

describe('[virtualhost.proxy]', () => {
  test('has defaults, and needs no root where it takes every path', () => {
    const { hosts, problems } = proxied(UPSTREAM)
    expect(problems).toEqual([])
    expect(hosts[0]?.host.proxy).toEqual({
      upstream: 'http://127.0.0.1:3000',
      paths: null,
      connect_timeout_secs: 5,
      timeout_secs: 60,
      keepalive_connections: 32,
      preserve_host: true,
      websocket: true,
      websocket_idle_secs: 600,
      verify_tls: true,
    })
  })

  test('takes what is written', () => {
    const { hosts, problems } = proxied(
      'upstream = "unix:/run/a.sock"\npaths = ["/api", "/日本/"]\nconnect_timeout_secs = 1\ntimeout_secs = 2\nkeepalive_connections = 0\npreserve_host = false\nwebsocket = false\nwebsocket_idle_secs = 3\nverify_tls = false',
      'root = "/srv/a"',
    )
    expect(problems).toEqual([])
    expect(hosts[0]?.host.proxy).toEqual({
      upstream: 'unix:/run/a.sock',
      paths: ['/api', '/日本/'],
      connect_timeout_secs: 1,
      timeout_secs: 2,
      keepalive_connections: 0,
      preserve_host: false,
      websocket: false,
      websocket_idle_secs: 3,
      verify_tls: false,
    })
  })

  test.each([
    ['', 'proxy.upstream: is missing'],
    [UPSTREAM.replace('http:', 'ftp:'), 'is not an address'],
    ['upstream = "127.0.0.1:3000"', 'is not an address'],
    ['upstream = "http://a.test:99999"', 'is not an address'],
    ['upstream = "http://a.test:0"', 'names no port'],
    ['upstream = "http://a.test/app"', 'must end after the port'],
    ['upstream = "http://a.test?x"', 'must end after the port'],
    ['upstream = "http://me:secret@a.test"', 'must not hold a user name'],
    ['upstream = "unix:run/a.sock"', 'is not the absolute path'],
    ['upstream = "unix:/run/../a.sock"', 'is not the absolute path'],
    [`upstream = "unix:/${'a'.repeat(120)}"`, 'is too long'],
    [`${UPSTREAM}\npaths = ["api"]`, 'is not a path'],
    [`${UPSTREAM}\npaths = ["/a/../b"]`, 'is not a path'],
    [`${UPSTREAM}\npaths = ["/a*"]`, 'is not a path'],
    [`${UPSTREAM}\npaths = ["/a%20b"]`, 'is not a path'],
    [`${UPSTREAM}\npaths = ["//a"]`, 'is not a path'],
    [`${UPSTREAM}\npaths = []`, 'must not be empty'],
    [`${UPSTREAM}\nupstreams = [{ upstream = "http://127.0.0.1:1" }]`, 'stands beside upstream'],
    ['upstreams = []', 'must not be empty'],
    ['upstreams = [{ upstream = "127.0.0.1:3000" }]', 'is not an address'],
    ['upstreams = [{ upstream = "http://a.test", weight = 0 }]', 'must be at least 1'],
    ['upstreams = [{ upstream = "http://a.test", weigth = 2 }]', 'Did you mean "weight"?'],
    ['upstreams = [{ upstream = "http://a.test" }, { upstream = "http://a.test" }]', 'twice'],
    ['upstreams = [{ upstream = "http://a.test" }]\nhealth_path = "//x"', 'is not a path'],
    [`${UPSTREAM}\nhealth_path = "/health"`, 'is for several upstreams'],
    [`${UPSTREAM}\ntimeout_secs = 0`, 'must be at least 1'],
    [`${UPSTREAM}\ntimeout_sec = 5`, 'Did you mean "timeout_secs"?'],
  ])('refuses %j: %s', (proxy, message) => {
    expect(texts(proxy, 'root = "/srv/a"').join('\n')).toContain(message)
  })

  test('with paths, or without a proxy, a root is needed', () => {
    expect(texts(`${UPSTREAM}\npaths = ["/api"]`)).toEqual([
      '1 virtualhost[0].root: is missing. Add it.',
    ])
    const { problems } = parseIncludedFile('/v/a.toml', '[[virtualhost]]\ndomain = "a.test"\n')
    expect(problems.map(({ key }) => key)).toEqual(['virtualhost[0].root'])
  })

  test('is generated for an account, and reads back', () => {
    const proxy = { upstream: 'http://127.0.0.1:3000', paths: ['/a"b', '/c'], websocket: false }
    const text = renderVirtualHost({
      ...siteSpec('a.test', 'alice', { proxy }),
      uid: 1001,
      home: '/home/alice',
    })
    const { hosts, problems } = parseIncludedFile('/v/a.toml', text)
    expect(problems).toEqual([])
    expect(hosts[0]?.host.proxy).toMatchObject(proxy)
  })
})

test('several instances of an application are generated as its upstreams, and read back', () => {
  const application = { name: 'shop', paths: null, instances: 3, healthPath: '/health' }
  const text = renderVirtualHost({
    ...siteSpec('a.test', 'alice', { application }),
    uid: 1001,
    home: '/home/alice',
  })
  const { hosts, problems } = parseIncludedFile('/v/a.toml', text)
  expect(problems).toEqual([])
  const place = 'unix:/home/alice/.berth/apps/shop/socket'
  expect(hosts[0]?.host.proxy).toMatchObject({
    application: 'shop',
    health_path: '/health',
    upstreams: [place, `${place}-2`, `${place}-3`].map((upstream) => ({ upstream, weight: 1 })),
  })
})

describe('where a proxy may lead', () => {
  const owner = { username: 'alice', home: '/home/alice' }

  test.each([
    ['http://127.0.0.1:1024', null],
    ['http://127.9.9.9:3000', null],
    ['http://localhost:3000', null],
    ['https://[::1]:3000', null],
    ['unix:/home/alice/app.sock', null],
    ['http://127.0.0.1:1023', "the system's"],
    ['http://127.0.0.1', "the system's"],
    ['http://169.254.169.254:8080', 'on this machine'],
    ['http://0.0.0.0:8080', 'on this machine'],
    ['http://[::ffff:127.0.0.1]:8080', 'on this machine'],
    ['http://[::]:8080', 'on this machine'],
    ['http://app.internal:8080', 'on this machine'],
    ['unix:/run/berth/agent.sock', "inside the account's home"],
    ['unix:/home/alice2/app.sock', "inside the account's home"],
    ['nonsense', 'is not an address'],
  ])('an account: %s', (upstream, problem) => {
    const found = accountTargetProblem(upstream, owner)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toContain(problem)
  })

  test('a person may name anything but our own sockets and a circle', () => {
    expect(accountTargetProblem('http://10.0.0.1:80', { username: null, home: null })).toBeNull()
    const check = (upstream: string, host = ''): string[] => {
      const { config, hosts, problems } = parseServerConfig({
        file: '/etc/berth/berth.toml',
        text: `[panel]\nlisten = "0.0.0.0:7070"\n[[virtualhost]]\ndomain = "a.test"\n${host}\n[virtualhost.proxy]\nupstream = "${upstream}"\n`,
        root: true,
      })
      expect(problems).toEqual([])
      return checkProxyTargets(config, hosts).map(({ key }) => key)
    }
    const refused = ['virtualhost[0].proxy.upstream']
    expect(check('http://127.0.0.1:7070')).toEqual([])
    expect(check('http://10.0.0.1:80')).toEqual([])
    expect(check('http://127.0.0.1:80')).toEqual(refused)
    expect(check('https://localhost')).toEqual(refused)
    expect(check('unix:/run/berth/agent-web.sock')).toEqual(refused)
    const account = 'username = "alice"\nhome = "/home/alice"\nroot = "/home/alice"'
    expect(check('http://127.0.0.1:7070', account)).toEqual(refused)
    expect(check('http://127.0.0.1:8090', account)).toEqual(refused)
    expect(check('http://127.0.0.1:3000', account)).toEqual([])
  })

  test('the one spelling of an address counts', () => {
    const loopback = { kind: 'tcp', secure: false, host: '127.0.0.1', port: 3000, loopback: true }
    for (const host of ['0x7f000001', '2130706433', '127.1', '127.0.0.1'])
      expect(parseProxyUpstream(`http://${host}:3000`)).toEqual(loopback)
  })
})
