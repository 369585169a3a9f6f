import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { PASSWORD, startRedis, type RedisServer } from './support/redis-server.ts'

let nodes: RedisServer[] = []
let a: WebProcess
let b: WebProcess

sharePhpSite()
beforeAll(async () => {
  nodes = await Promise.all(
    Array.from({ length: 6 }, () =>
      startRedis({
        more: ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'].concat([
          ...['--cluster-node-timeout', '1000', '--masterauth', PASSWORD],
        ]),
      }),
    ),
  )
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const login = ['--no-auth-warning', '-a', PASSWORD]
  await mustRun('/usr/bin/redis-cli', [
    ...login,
    '--cluster',
    'create',
    ...addresses,
    ...['--cluster-replicas', '1', '--cluster-yes'],
  ])
  await eventually('the cluster is whole', async () => {
    const states = await Promise.all(nodes.map((node) => node.cli('cluster', 'info')))
    const roles = await Promise.all(nodes.map((node) => node.cli('role')))
    return (
      states.every((state) => state.includes('cluster_state:ok')) &&
      roles.filter((role) => role.startsWith('slave') && role.includes('connected')).length === 3
    )
  })
  const url = `redis://:${encodeURIComponent(PASSWORD)}@${addresses.join(',')}`
  const start = (): Promise<WebProcess> =>
    startWeb({
      workers: 2,
      cache: `storage = "redis"\nredis_url = "${url}"\n`,
      more: phpHost(php, 'p.test'),
    })
  ;[a, b] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([a.remove(), b.remove()])
  await Promise.all(nodes.map((node) => node.remove()))
})

const isOn = async (web: WebProcess): Promise<boolean> => {
  const { body } = await web.management('GET', '/api/v1/cache/stats')
  return (body as { l2_state: string }).l2_state === 'on'
}

/** The one that keeps the marks now. */
const nodeOfMarks = async (): Promise<RedisServer> => {
  for (const node of nodes) {
    const [role, there] = await Promise.all([
      node.cli('role').catch(() => ''),
      node.cli('exists', 'berth:{marks}').catch(() => ''),
    ])
    if (role.startsWith('master') && there === '1') return node
  }
  throw new Error('no node keeps the marks')
}

describe('two web servers over a Redis cluster', () => {
  it('share pages on all nodes, and purges', async () => {
    writeFileSync(join(directory, 'site/version'), '1')
    await eventually('both use it', async () => (await isOn(a)) && (await isOn(b)))
    const paths = Array.from({ length: 24 }, (_, index) => `/page${index}`)
    for (const path of paths) await get(a.port, 'p.test', path)
    for (const path of paths) {
      expect((await get(b.port, 'p.test', path)).headers['x-cache'], path).toBe('HIT')
    }
    for (const node of nodes) expect(Number(await node.cli('dbsize'))).toBeGreaterThan(4)

    writeFileSync(join(directory, 'site/version'), '2')
    await a.management('POST', '/api/v1/cache/purge?tag=front')
    await eventually('the other has the purge', async () => {
      const answers = await Promise.all(paths.map((path) => get(b.port, 'p.test', path)))
      return answers.every(({ body }) => body.includes('version 2'))
    })
  })

  it('miss no purge when the node of the purges is killed and its replica follows', async () => {
    writeFileSync(join(directory, 'site/version'), '2')
    for (const web of [a, b]) expect((await get(web.port, 'p.test', '/kept')).status).toBe(200)
    const killed = await nodeOfMarks()
    const before = await killed.cli('hget', 'berth:{marks}', 'epoch')
    await killed.stop()
    writeFileSync(join(directory, 'site/version'), '2b')
    await a.management('POST', '/api/v1/cache/purge?domain=p.test&path=/kept')
    await eventually('a replica took its place', async () =>
      nodeOfMarks().then(Boolean, () => false),
    )
    await eventually('both use it', async () => (await isOn(a)) && (await isOn(b)))
    const now = await nodeOfMarks()
    expect(await now.cli('hget', 'berth:{marks}', 'epoch')).not.toBe(before)
    await eventually('the purge came over', async () =>
      (await get(b.port, 'p.test', '/kept')).body.includes('version 2b'),
    )
    await get(a.port, 'p.test', '/later')
    expect((await get(b.port, 'p.test', '/later')).headers['x-cache']).toBe('HIT')
    await killed.start()
    await eventually('it is a replica', async () => (await killed.cli('role')).startsWith('slave'))
  })

  it('go on without the cluster and take it up again', async () => {
    for (const node of nodes) node.signal('SIGSTOP')
    try {
      await eventually('it is off', async () => !(await isOn(a)) && !(await isOn(b)))
      expect((await get(a.port, 'p.test', '/alone')).status).toBe(200)
      await a.management('POST', '/api/v1/cache/purge?domain=p.test&path=/page1')
      writeFileSync(join(directory, 'site/version'), '3')
    } finally {
      for (const node of nodes) node.signal('SIGCONT')
    }
    await eventually('both use it', async () => (await isOn(a)) && (await isOn(b)))
    await eventually('the purge came over', async () =>
      (await get(b.port, 'p.test', '/page1')).body.includes('version 3'),
    )
  })

  it('come back when all nodes were started anew without their data', async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await eventually('it is off', async () => !(await isOn(a)) && !(await isOn(b)))
    expect((await get(a.port, 'p.test', '/alone2')).status).toBe(200)
    await Promise.all(nodes.map((node) => node.start()))
    await eventually('both use it', async () => (await isOn(a)) && (await isOn(b)), 90_000)
    await get(a.port, 'p.test', '/anew')
    expect((await get(b.port, 'p.test', '/anew')).headers['x-cache']).toBe('HIT')
  })
})
