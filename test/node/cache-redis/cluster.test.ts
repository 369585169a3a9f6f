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
    Array.from({ length: 3 }, () =>
      startRedis({ more: ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'] }),
    ),
  )
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const login = ['--no-auth-warning', '-a', PASSWORD]
  await mustRun('/usr/bin/redis-cli', [
    ...login,
    '--cluster',
    'create',
    ...addresses,
    '--cluster-yes',
  ])
  await eventually('the cluster is whole', async () => {
    const states = await Promise.all(nodes.map((node) => node.cli('cluster', 'info')))
    return states.every((state) => state.includes('cluster_state:ok'))
  })
  const url = `redis://:${encodeURIComponent(PASSWORD)}@${addresses.slice(0, 2).join(',')}`
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

describe('two web servers over a Redis cluster', () => {
  it('share pages on all nodes, and purges', async () => {
    writeFileSync(join(directory, 'site/version'), '1')
    await eventually('both use it', async () => (await isOn(a)) && (await isOn(b)))
    const paths = Array.from({ length: 24 }, (_, index) => `/page${index}`)
    for (const path of paths) await get(a.port, 'p.test', path)
    for (const path of paths) {
      expect((await get(b.port, 'p.test', path)).headers['x-cache'], path).toBe('HIT')
    }
    for (const node of nodes) expect(Number(await node.cli('dbsize'))).toBeGreaterThan(2)

    writeFileSync(join(directory, 'site/version'), '2')
    await a.management('POST', '/api/v1/cache/purge?tag=front')
    await eventually('the other has the purge', async () => {
      const answers = await Promise.all(paths.map((path) => get(b.port, 'p.test', path)))
      return answers.every(({ body }) => body.includes('version 2'))
    })
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
