import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandResult } from '#adapters/node/process/run-command.ts'
import { WHOLE } from '#test/support/sampled.ts'
import { hostingLayer, nodeLayer } from './support/layers.ts'
import { startMachine, type Machine } from './support/machine.ts'
import { copySources } from './support/product-tree.ts'

/** npm's packages are fetched and the panel is built. */
const START_MS = 600_000
const CLONE = '/root/berth'
/** What a start says that installs packages, builds the panel or writes a configuration. */
const SETTING_UP = /^(Installing|Building|Wrote) /m
/** The README's second instance. */
const BESIDE = `[paths]
state_dir = "/srv/berth2/state"
home_base = "/srv/berth2/home"
run_dir = "/run/berth2"
log_dir = "/srv/berth2/log"
[panel]
listen = "0.0.0.0:7080"
database_tool_port = 7081
[server]
listen = "0.0.0.0:8080"
listen_ssl = "0.0.0.0:8443"
[api]
listen = "127.0.0.1:8091"
`

let machine: Machine

/** A Debian with Node and npm, and what their first command installs besides. */
beforeAll(async () => {
  machine = await startMachine('bookworm', [await nodeLayer(), await hostingLayer('bookworm')])
  await copySources(machine.path(CLONE))
}, 1_200_000)
afterAll(async () => {
  await machine?.destroy()
}, 120_000)

/** A README command that keeps running: what it said, and how it ends. */
interface Command {
  output(): Promise<string>
  /** Ctrl+C. */
  interrupt(): Promise<void>
  ended: Promise<CommandResult>
}
const begin = (name: string, command: string): Command => {
  const script = `echo $$ >/run/${name}.pid; cd ${CLONE}; exec ${command} >/run/${name}.log 2>&1`
  const ended = machine.run('sh', ['-c', script], 4 * START_MS)
  ended.catch(() => undefined)
  return {
    ended,
    output: () => readFile(machine.path(`/run/${name}.log`), 'utf8').catch(() => ''),
    interrupt: async () => {
      const pid = (await readFile(machine.path(`/run/${name}.pid`), 'utf8')).trim()
      await machine.run('sh', ['-c', 'kill -INT "$1"', 'sh', pid])
    },
  }
}

const status = async (port: number): Promise<number | null> => {
  const answer = await fetch(`http://${machine.address}:${port}/`).catch(() => null)
  await answer?.arrayBuffer()
  return answer?.status ?? null
}

/** Waits until panel and sites answer; tells what the command said if it ends instead. */
const untilServing = async (command: Command, panel: number, web: number): Promise<void> => {
  let ended = false
  void command.ended.finally(() => (ended = true)).catch(() => undefined)
  const until = Date.now() + START_MS
  while ((await status(panel)) !== 200 || (await status(web)) === null) {
    if (ended || Date.now() > until)
      throw new Error(`it does not serve: ${(await command.output()).slice(-4000)}`)
    await delay(200)
  }
}

const processes = async (): Promise<string[]> =>
  (await machine.run('ps', ['-eo', 'user:20=,args='])).stdout
    .split('\n')
    .filter((line) => /adapters\/node\/bin\//.test(line))

describe('in a fresh clone under /root of a machine with Node and npm', () => {
  test('npm start sets everything up, a second instance runs beside it, the next start has nothing to set up', async () => {
    await mkdir(machine.path('/srv/berth2'), { recursive: true })
    await writeFile(machine.path('/srv/berth2/berth.toml'), BESIDE)
    const first = begin('first', 'npm start')
    await untilServing(first, 7070, 80)
    for (const said of [/^Installing the packages named in/m, /^Building/m, /^Wrote \/etc\/berth/m])
      expect(await first.output()).toMatch(said)
    const beside = begin('beside', 'npm start -- --config /srv/berth2/berth.toml')
    await untilServing(beside, 7080, 8080)
    expect(await beside.output()).not.toMatch(SETTING_UP)

    // Unprivileged processes cannot read the clone: they run from the installed copy.
    const running = await processes()
    expect(running.some((line) => /^berth\s.*\/opt\/.*panel\.ts/.test(line))).toBe(true)
    expect(running.some((line) => /^berth-web\s.*\/opt\/.*web\.ts/.test(line))).toBe(true)

    await first.interrupt()
    expect((await first.ended).code, await first.output()).toBe(0)
    expect(await status(7070)).toBeNull()
    expect(await status(7080)).toBe(200)

    const again = begin('again', 'npm start')
    await untilServing(again, 7070, 80)
    expect(await again.output()).not.toMatch(SETTING_UP)
    for (const command of [again, beside]) {
      await command.interrupt()
      expect((await command.ended).code, await command.output()).toBe(0)
    }
    expect(await processes()).toEqual([])
  }, 1_800_000)

  test('npm test starts on this Node, and knows its own words', async () => {
    // Linking its modules is what an older Node stumbles over, before there is the pinned one.
    const run = begin('words', 'npm test -- no-such-project')
    const { code } = await run.ended
    expect([code, await run.output()]).toEqual([2, expect.stringMatching(/no-such-project/)])
  })

  test('npm test: what it installs can be had, and has the programs that tests start', async () => {
    const script = `const { HOSTING_PACKAGES, TEST_PACKAGES } = await import('${CLONE}/scripts/debian-packages.mjs')
      console.log([...HOSTING_PACKAGES, ...TEST_PACKAGES].map(({ name }) => name).join(' '))`
    const named = await machine.run('node', ['--input-type=module', '-e', script])
    expect(named).toMatchObject({ code: 0 })
    const wanted = named.stdout.trim().split(' ')
    const args = ['install', '--simulate', '--no-install-recommends', '--', ...wanted]
    const { code, stdout, stderr } = await machine.run('apt-get', args)
    expect(code, stderr).toBe(0)
    const there = await machine.run('dpkg-query', ['-W', '-f', '${Package}\n'])
    const added = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name)
    const packages = new Set([...there.stdout.split('\n'), ...added])
    expect(PROVIDERS.filter((name) => !packages.has(name))).toEqual([])
  })

  // Installs a browser, a compiler and two web servers, and lints and checks everything: minutes.
  test(
    'npm test installs what it needs and ends with the counts',
    async (context) => {
      context.skip(!WHOLE, 'takes minutes: part of npm run test:all')
      const run = begin('test', 'npm test -- unit')
      const { code } = await run.ended
      const output = await run.output()
      expect(output.trim().split('\n').at(-1), output.slice(-4000)).toMatch(
        /^[1-9]\d* passed, 0 failed\b/,
      )
      expect(code).toBe(0)
      expect(existsSync(machine.path('/usr/bin/chromium'))).toBe(true)
    },
    4 * START_MS,
  )
})

/** Packages of programs that tests start by name and that only other packages ask for, in Debian 12. */
const PROVIDERS = [
  'bsdutils',
  'bzip2',
  'coreutils',
  'debianutils',
  'dpkg-dev',
  'findutils',
  'git',
  'groff-base',
  'hostname',
  'iproute2',
  'libc-bin',
  'make',
  'mariadb-client',
  'mount',
  'openssh-client',
  'openssh-server',
  'passwd',
  'perl',
  'postgresql-client-15',
  'psmisc',
  'procps',
  'python3',
  'redis-tools',
  'tar',
  'util-linux',
  'wget',
  'xz-utils',
]
