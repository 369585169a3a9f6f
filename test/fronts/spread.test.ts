import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '#test/cli/support/run-berth.ts'
import {
  PASSWORD,
  startRedis,
  type RedisServer,
} from '#test/node/cache-redis/support/redis-server.ts'
import { acmeSettings, startPebble, type Pebble } from '#test/support/authority/pebble.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

// Three whole installations: one host, whose panel commands two fronts. Nothing is done by hand at any of
// them but what makes a machine join.
let host: Instance
let fronts: Instance[] = []
let redis: RedisServer
let pebble: Pebble
let berth: Berth

const LEAN = { databases: 'mariadb = "off"' }
const PATIENT = { timeout: 60_000, interval: 250 }
const NAMES = ['front-a', 'front-b'] as const

const startFront = async (httpPort: number | undefined): Promise<Instance> => {
  const [port = 0] = await freePorts(1)
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis.port}`
  return startInstance({
    ...(httpPort === undefined ? {} : { httpPort }),
    settings: {
      ...{ ...LEAN, server: 'workers = 1' },
      cache: `storage = "redis"\nredis_url = "${url}"\nwhen_alone = "strict"`,
    },
    append: `[link]\nlisten = "127.0.0.1:${port}"\n`,
  })
}
const join_ = async (name: string, front: Instance): Promise<void> => {
  const there = new Berth('--config', front.config.file)
  try {
    const listen = front.config.link.listen[0] ?? ''
    const said = await berth.ok('hosts add', [name, listen, '--role', 'front'])
    await there.ok('agent join', [said.trim().split(' ').at(-1) ?? ''])
    await waitFor(async () => expect(await berth.ok('hosts open', [name])).toContain('is open'))
  } finally {
    there.remove()
  }
}

beforeAll(async () => {
  const [frontPort = 0, httpPort = 0] = await freePorts(2)
  ;[redis, pebble] = await Promise.all([startRedis(), startPebble({ httpPort })])
  const panel = acmeSettings(pebble)
  ;[host, ...fronts] = await Promise.all([
    startInstance({
      settings: {
        ...LEAN,
        panel,
        server: `workers = 1\nfront_listen = "127.0.0.1:${frontPort}"`,
      },
    }),
    // What asks for proofs comes by a front.
    startFront(httpPort),
    startFront(undefined),
  ])
  berth = new Berth('--config', host.config.file)
  for (const [at, front] of fronts.entries()) await join_(NAMES[at] ?? '', front)
})
afterAll(async () => {
  berth?.remove()
  await Promise.all([host?.stop(), ...fronts.map((front) => front.stop())])
  await Promise.all([redis?.remove(), pebble?.stop()])
})

const each = async (
  path: string,
  want: (answer: Awaited<ReturnType<Instance['site']>>) => void,
  init: Parameters<Instance['site']>[2] = {},
): Promise<void> => {
  for (const front of fronts) want(await front.site('yonder.example', path, init))
}
const pairsAt = ({ config }: Instance): string[] => {
  const directory = join(config.paths.state_dir, 'front-certs', 'yonder.example')
  return existsSync(directory) ? readdirSync(directory) : []
}

test('a site that is made is served by all fronts, as its host says it', async () => {
  const owner = ['--domain', 'yonder.example', '--email', 'a@mail.example']
  await berth.ok('accounts create', ['yonder', ...owner, '--generate-password'])
  const page = '<p>from yonder</p>'
  await berth.ok('files put', ['yonder', '-', 'public_html/index.html'], { input: page })
  await waitFor(
    () =>
      each('/', (answer) => {
        expect(answer.status).toBe(200)
        expect(answer.text).toBe(page)
      }),
    PATIENT,
  )
  const listed = (await berth.json('hosts list')) as { name: string; role: string; state: string }[]
  expect(listed.filter(({ role }) => role === 'front').map(({ state }) => state)).toEqual([
    'open',
    'open',
  ])
})

test('a certificate is proved through a front, and every front shows it then', async () => {
  await berth.ok('ssl issue', ['yonder.example', '--force'])
  const root = await pebble.issuedRoot()
  expect(root).toContain('CERTIFICATE')
  await waitFor(
    () =>
      each(
        '/',
        (answer) => {
          expect(answer.status).toBe(200)
          expect(answer.text).toContain('from yonder')
        },
        { secure: true },
      ),
    PATIENT,
  )
  for (const front of fronts) expect(pairsAt(front)).toHaveLength(1)
  // A second one takes the place of the first, of which nothing stays.
  const [before] = pairsAt(fronts[0] as Instance)
  await berth.ok('ssl issue', ['yonder.example', '--force'])
  await waitFor(() => {
    for (const front of fronts) {
      expect(pairsAt(front)).toHaveLength(1)
      expect(pairsAt(front)[0]).not.toBe(before)
    }
  }, PATIENT)
})

test('a file that was changed at a front by hand is told, and written anew', async () => {
  const [front] = fronts as [Instance, Instance]
  const file = join(front.config.paths.state_dir, 'front-sites', 'yonder.example.toml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, `${text}# changed\n`)
  // It ends with 1 where it finds a fault.
  const { stdout } = await berth.run('doctor', ['--json'])
  const { findings } = JSON.parse(stdout) as {
    findings: { host?: string; subject: string; what: string }[]
  }
  expect(findings.filter((one) => one.host === 'front-a')).toMatchObject([
    { subject: 'yonder.example', what: 'has a file there that was changed by hand' },
  ])
  await berth.run('doctor', ['--fix'])
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a suspended site is closed at all fronts with the answer, and a deleted one is gone', async () => {
  await berth.ok('accounts suspend', ['yonder'])
  await each('/', ({ status }) => expect(status).toBe(503))
  await berth.ok('accounts unsuspend', ['yonder'])
  await waitFor(() => each('/', ({ text }) => expect(text).toContain('from yonder')), PATIENT)
  await berth.ok('accounts delete', ['yonder', '--yes'])
  await each('/', ({ text }) => expect(text).not.toContain('from yonder'))
  for (const front of fronts) {
    expect(readdirSync(join(front.config.paths.state_dir, 'front-sites'))).toEqual([])
    expect(pairsAt(front)).toEqual([])
  }
})

test('a front that is forgotten is let in by no host any more', async () => {
  await berth.ok('hosts remove', ['front-b', '--yes'])
  const peers = join(host.config.paths.state_dir, 'web-channel', 'peers.json')
  await waitFor(() => {
    const { peers: left } = JSON.parse(readFileSync(peers, 'utf8')) as { peers: { id: string }[] }
    expect(left).toHaveLength(1)
  }, PATIENT)
})
