import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { commandsOf, sectionOf } from '#test/support/page-commands.ts'
import { startPostgres, type PostgresServer } from '#test/support/setups/postgres-server.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { ownMachine } from './support/own-machine.ts'

/** The README's section, typed as it stands there, but for addresses. */
const COMMANDS = commandsOf(
  sectionOf(
    readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8'),
    'One machine, several machines, the edge',
  ),
)
const LEAN = { server: 'workers = 1', databases: 'mariadb = "off"' }

let server: PostgresServer
let own: Instance
let second: Instance
let berth: Berth
let there: Berth
let address = ''

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  address = `127.0.0.1:${port}`
  ;[server, own, second] = await Promise.all([
    startPostgres(),
    startInstance({ settings: LEAN }),
    startInstance({
      settings: LEAN,
      append: `[link]\nlisten = "${address}"\n`,
      under: ownMachine,
    }),
  ])
  berth = new Berth('--config', own.config.file)
  there = new Berth('--config', second.config.file)
})
afterAll(async () => {
  berth?.remove()
  there?.remove()
  await Promise.all([own?.stop(), second?.stop()])
  await server?.stop()
})

/** The next command of the section, which must begin so; the words that it is followed by. */
const next = (begins: string): string[] => {
  const words = COMMANDS.shift() ?? []
  expect(words.join(' ')).toMatch(new RegExp(`^${begins}\\b`))
  return words.slice(begins.split(' ').length)
}
const said = async (begins: string, over: Record<string, string> = {}): Promise<string> => {
  const words = next(`npx berth ${begins}`).map((word) => over[word] ?? word)
  return berth.ok(begins, words)
}

test('a machine is added, and an account goes there', async () => {
  const line = await said('hosts add', { '192.0.2.10:7072': address })
  const typed = /^\s*berth agent join (\S+)$/m.exec(line)?.[1] ?? ''
  await there.ok('agent join', [typed])
  const open = next('npx berth hosts open')
  await waitFor(async () => expect(await berth.ok('hosts open', open)).toContain('is open'))

  const site = ['--domain', 'alice.example', '--email', 'alice@mail.example']
  await berth.ok('accounts create', ['alice', ...site, '--generate-password', '--host', 'local'])
  await berth.ok('files put', ['alice', '-', 'public_html/index.html'], { input: 'by alice' })
  expect((await own.site('alice.example', '/')).text).toBe('by alice')
  await said('accounts relocate')
  expect((await second.site('alice.example', '/')).text).toBe('by alice')
}, 240_000)

test('the records move into PostgreSQL, and everything is managed as before', async () => {
  const store = await server.newDatabase()
  const told = await said('panel move-store', {
    'postgres://berth@/berth?host=/run/postgresql': store,
  })
  expect(told).toContain('Berth runs again.')
  await own.untilReady()
  expect(await berth.json('accounts list')).toMatchObject([{ username: 'alice', host_id: 1 }])
  await waitFor(async () =>
    expect(await berth.ok('files get', ['alice', 'public_html/index.html', '-'])).toBe('by alice'),
  )
}, 240_000)

test('what is left is for the edge, which has tests of its own', () => {
  expect(COMMANDS).toEqual([['npm', 'run', 'edge']])
})
