import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { createSystemPort } from '#adapters/node/agent/host/system-port.ts'
import { createWebServerPort } from '#adapters/node/agent/domains/web-server-port.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import type { WebServerPort } from '#handlers/ports/host/web-server.ts'
import { systemPortContract } from '#test/contract/host/system-port.ts'
import { webServerPortContract } from '#test/contract/domains/web-server-port.ts'
import { createHostFixture, hostSpec, WEB_GID } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'
import { startWebStub } from './web-stub.ts'
import type { WebStub } from './web-stub.ts'

let host: HostFixture
let account: RegisteredAccount
let other: RegisteredAccount
let vhostsDir = ''
let socketPath = ''
let stub: WebStub
let port: WebServerPort

const createPort = (): Promise<WebServerPort> =>
  createWebServerPort({
    registry: host.registry,
    vhostsDir,
    socketPath,
    sslDirectory: `${host.stateDir}/certs`,
    web: { uid: 33, gid: WEB_GID },
    version: '0.0.0',
    ensureDirectory: host.ensureDirectory,
    log: host.log,
  })

const configured = async (): Promise<string[]> => {
  const files = (await readdir(vhostsDir)).filter((name) => name.endsWith('.toml'))
  const texts = await Promise.all(files.map((name) => readFile(path.join(vhostsDir, name), 'utf8')))
  const domains = texts.flatMap((text) =>
    parseIncludedFile('x', text).hosts.map(({ host: { domain } }) => domain),
  )
  const recorded = host.registry.vhosts().map(({ domain }) => domain)
  expect(domains.sort()).toEqual(recorded.sort())
  return domains
}

beforeAll(async () => {
  host = await createHostFixture()
  account = await host.createAccount()
  other = await host.createAccount()
  vhostsDir = `${host.stateDir}/vhosts.d`
  socketPath = `${host.runDir}/web.sock`
})
beforeEach(async () => {
  stub = await startWebStub(socketPath)
  port = await createPort()
  await port.regenerate({ hosts: [] })
})
afterEach(async () => {
  await stub.close()
})
afterAll(async () => {
  await host.dispose()
})

describe('generated virtual hosts', () => {
  it('are files that only the web server reads, and say what was asked', async () => {
    const certs = `${host.stateDir}/certs/a.example.com/1`
    const spec = hostSpec(account, 'a.example.com', {
      aliases: ['www.a.example.com'],
      root: `${account.home}/sites/a`,
      php: { version: '8.2', mode: 'fpm' },
      ssl: { certificate: `${certs}/certificate.pem`, key: `${certs}/key.pem` },
      cache: { enable: false, ttl: 5, exclude: ['/"]\\x/*'] },
    })
    await port.apply({ put: [spec], remove: [] })
    const file = `${vhostsDir}/a.example.com.toml`
    const { uid, gid, mode } = await stat(file)
    expect([uid, gid, mode & 0o7777]).toEqual([0, WEB_GID, 0o640])
    expect((await stat(vhostsDir)).mode & 0o7777).toBe(0o750)
    expect((await stat(spec.root)).uid).toBe(account.uid)
    const { hosts, problems } = parseIncludedFile(file, await readFile(file, 'utf8'))
    expect(problems).toEqual([])
    expect(hosts[0]?.host).toMatchObject({
      domain: spec.domain,
      aliases: spec.aliases,
      root: spec.root,
      uid: account.uid,
      home: account.home,
      ssl_certificate: spec.ssl?.certificate,
      cache: { enable: false, ttl: 5, exclude: ['/"]\\x/*'] },
    })
    expect(await readdir(vhostsDir)).toEqual(['a.example.com.toml'])
  })

  it('share one reload when they change at the same time', async () => {
    let open = (): void => undefined
    stub.gate = new Promise((resolve) => (open = resolve))
    stub.reloads = 0
    const first = port.apply({ put: [hostSpec(account, 'first.example.com')], remove: [] })
    await expect.poll(() => stub.reloads).toBe(1)
    const rest = Array.from({ length: 20 }, (_, index) =>
      port.apply({ put: [hostSpec(account, `h${index}.example.com`)], remove: [] }),
    )
    open()
    await Promise.all([first, ...rest])
    expect(stub.reloads).toBeLessThanOrEqual(6)
    expect(await configured()).toHaveLength(21)
  })

  it('are put back when the web server refuses them, and others still go through', async () => {
    await port.apply({ put: [hostSpec(account, 'keep.example.com')], remove: [] })
    const before = await readFile(`${vhostsDir}/keep.example.com.toml`, 'utf8')
    // Refuses as long as the broken host is there, as the real one would.
    stub.judge = () =>
      host.registry.vhost('broken.example.com') ? '/etc/berth/berth.toml:3: server is wrong.' : null
    const changes = [
      port.apply({
        put: [
          hostSpec(account, 'broken.example.com'),
          hostSpec(account, 'keep.example.com', { suspended: true }),
        ],
        remove: [],
      }),
      port.apply({ put: [hostSpec(account, 'good.example.com')], remove: [] }),
    ]
    const [broken, good] = await Promise.allSettled(changes)
    expect(broken).toMatchObject({ status: 'rejected', reason: { status: 409 } })
    expect(String((broken as PromiseRejectedResult).reason)).toContain(
      'berth.toml:3: server is wrong',
    )
    expect(String((broken as PromiseRejectedResult).reason)).not.toContain('/etc')
    expect(good).toMatchObject({ status: 'fulfilled' })
    expect(await configured()).toEqual(['good.example.com', 'keep.example.com'])
    expect(await readFile(`${vhostsDir}/keep.example.com.toml`, 'utf8')).toBe(before)
  })

  it('are written while the web server is down, and purges wait for it', async () => {
    await stub.close()
    await port.apply({ put: [hostSpec(account, 'down.example.com')], remove: [] })
    expect(await configured()).toEqual(['down.example.com'])
    expect(await port.status()).toMatchObject({ running: false, pid: null, version: '0.0.0' })
    expect(await port.counters()).toBeNull()
    await port.purge({ domains: ['down.example.com'] })
    await expect(port.restart()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('does not run') as string,
    })
    // Another agent takes it up.
    await createPort()
    stub = await startWebStub(socketPath)
    await expect.poll(() => stub.purges).toContainEqual(['down.example.com'])
  })

  it('lose stray files when they are regenerated', async () => {
    await writeFile(`${vhostsDir}/stray.example.com.toml`, 'not = "ours"')
    const result = await port.regenerate({ hosts: [hostSpec(account, 'a.example.com')] })
    expect(result).toEqual({ written: 1, removed: 1 })
    expect(await readdir(vhostsDir)).toEqual(['a.example.com.toml'])
  })

  it('are touched only where something changed, however many there are', async () => {
    const names = Array.from({ length: 45 }, (_, at) => `n${at}.example.com`)
    const hosts = (ttl: number) =>
      names.map((name, at) =>
        hostSpec(account, name, {
          cache: { enable: true, ttl: at % 15 === 0 ? ttl : 600, exclude: [] },
        }),
      )
    const stamps = async (): Promise<Map<string, string>> => {
      const found = new Map<string, string>()
      for (const name of names) {
        const { ino, mtimeNs } = await stat(`${vhostsDir}/${name}.toml`, { bigint: true })
        found.set(name, `${ino} ${mtimeNs}`)
      }
      return found
    }
    expect(await port.regenerate({ hosts: hosts(60) })).toEqual({ written: 45, removed: 0 })
    const before = await stamps()
    expect(await port.regenerate({ hosts: hosts(61) })).toEqual({ written: 3, removed: 0 })
    const after = await stamps()
    expect(names.filter((name) => before.get(name) !== after.get(name))).toEqual([
      'n0.example.com',
      'n15.example.com',
      'n30.example.com',
    ])
    expect(await port.regenerate({ hosts: hosts(61) })).toEqual({ written: 0, removed: 0 })
    expect(await configured()).toHaveLength(45)
    // What was refused is put back, and nothing else is written.
    stub.judge = () => 'something is wrong'
    await expect(port.regenerate({ hosts: hosts(62) })).rejects.toThrow('something is wrong')
    const restored = await stamps()
    expect(names.filter((name) => restored.get(name) !== after.get(name))).toHaveLength(3)
    for (const name of names.slice(0, 2))
      expect(host.registry.vhost(name)?.cache.ttl).toBe(name === 'n0.example.com' ? 61 : 600)
    expect(await readFile(`${vhostsDir}/n0.example.com.toml`, 'utf8')).toMatch(/ttl = 61\b/)
  })

  it('take names up to the longest', async () => {
    const label = 'x'.repeat(60)
    const domain = `${label}.${label}.${label}.${label}.com`
    await port.apply({ put: [hostSpec(account, domain)], remove: [] })
    expect(await configured()).toEqual([domain])
    await port.apply({ put: [], remove: [domain] })
    expect(await configured()).toEqual([])
  })

  it('make no document root through a link out of the home', async () => {
    await mkdir(`${host.directory}/target`, { recursive: true })
    await symlink(`${host.directory}/target`, `${account.home}/link`)
    const spec = hostSpec(account, 'link.example.com', { root: `${account.home}/link/site` })
    await expect(port.apply({ put: [spec], remove: [] })).rejects.toThrow()
    expect(await readdir(`${host.directory}/target`)).toEqual([])
    await rm(`${account.home}/link`)
  })

  it('are served by new workers after a restart, unless the web server refuses', async () => {
    await port.restart()
    expect(stub.restarts).toBe(1)
    stub.judge = () => '/etc/berth/berth.toml:3: server is wrong.'
    await expect(port.restart()).rejects.toMatchObject({ status: 409 })
  })
})

webServerPortContract('the agent', async () => {
  return {
    webServer: {
      apply: (input) => port.apply(input),
      edition: () => port.edition(),
      regenerate: (input) => port.regenerate(input),
      reload: () => port.reload(),
      restart: () => port.restart(),
      status: () => port.status(),
      counters: () => port.counters(),
      takeTraffic: (input) => port.takeTraffic(input),
      takeFigures: (input) => port.takeFigures(input),
      explain: (input) => port.explain(input),
      upstreams: (input) => port.upstreams(input),
      purge: (input) => port.purge(input),
    },
    account,
    other,
    configured,
    dispose: async () => undefined,
  }
})
systemPortContract('the agent', async () =>
  createSystemPort({
    diskPath: '/',
    holds: () => ({ kind: null, holds: [], reason: 'Not asked.' }),
  }),
)
