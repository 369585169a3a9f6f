import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { MODES } from '#test/node/php-modes/modes.ts'
import { switchMode } from '#test/node/php-modes/start-mode-site.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'

const HOST_FILE = `/tmp/of-the-host-${process.pid}`

let mallory: Tenant
let bella: Tenant
shareInstance({
  // In /tmp itself it would keep that for all.
  parent: '/opt',
  settings: {
    ...Object.assign({}, ...MODES.map(({ settings }) => settings)),
    server: 'workers = 1',
    databases: 'mariadb = "off"',
  },
})
beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  await bella.put('public_html/wait.php', '<?php usleep(3000000); echo "waited";')
  writeFileSync(HOST_FILE, 'of the host', { mode: 0o644 })
})
afterAll(async () => {
  rmSync(HOST_FILE, { force: true })
})

/** Standard output of a shell command that a script runs: `open_basedir` is PHP's own affair. */
const shell = async (tenant: Tenant, command: string): Promise<string> => {
  const code = `echo shell_exec(${JSON.stringify(command).replaceAll('$', '\\$')}) ?? '';`
  await tenant.put('public_html/probe.php', `<?php header('Cache-Control: no-store');\n${code}`)
  return (await instance.site(tenant.domain, '/probe.php', { timeoutMs: 20_000 })).text
}
const processesOf = (uid: number) => findProcesses((one) => one.uid === uid)
const roomsOf = ({ uid }: Tenant): string[] => [
  ...new Set(processesOf(uid).map(({ pid }) => readlinkSync(`/proc/${pid}/ns/mnt`))),
]

describe.each(MODES)("an account's PHP in mode $mode", (mode) => {
  beforeEach(async ({ skip }) => {
    if (mode.missing !== undefined) skip(mode.missing)
    await switchMode(panel, mallory, mode.mode)
  })

  test('sees no process of others, nor of the host', async () => {
    const waiting = instance.site(bella.domain, '/wait.php')
    await eventually('its PHP runs', () => processesOf(bella.uid).length > 0)
    const others = [
      1,
      ...processesOf(bella.uid).map(({ pid }) => pid),
      ...Object.values(await instance.pids()).flat(),
    ]
    expect(await shell(mallory, `ls -d ${others.map((pid) => `/proc/${pid}`).join(' ')}`)).toBe('')
    const owners = await shell(mallory, 'stat -c %u /proc/[0-9]*')
    expect([...new Set(owners.trim().split('\n'))]).toEqual([String(mallory.uid)])
    expect((await waiting).text).toBe('waited')
  })

  test('has a /tmp of its own, into which nobody puts anything, and neither does it', async () => {
    const name = `left-by-mallory-${mode.mode}`
    await shell(mallory, `echo x > /tmp/${name}; ln -s /etc /tmp/link-${mode.mode}`)
    const seen = (await shell(mallory, 'ls /tmp')).split('\n')
    expect(seen).toEqual(expect.arrayContaining([name, `link-${mode.mode}`]))
    expect(seen).not.toContain(basename(HOST_FILE))
    expect(await shell(bella, 'ls /tmp')).toBe('')
    for (const one of [name, `link-${mode.mode}`]) expect(existsSync(`/tmp/${one}`)).toBe(false)
  })
})

test('every program of an account is in its one room, the file helper among them', async () => {
  await mallory.put('public_html/again.txt', 'x')
  await shell(mallory, 'true')
  await shell(bella, 'true')
  const programs = processesOf(mallory.uid).map(({ commandLine }) => commandLine)
  expect(programs.some((one) => one.includes('files-helper'))).toBe(true)
  expect(programs.length).toBeGreaterThan(1)
  const [rooms, others] = [roomsOf(mallory), roomsOf(bella)]
  expect([rooms.length, others.length]).toEqual([1, 1])
  expect(new Set([...rooms, ...others, readlinkSync('/proc/self/ns/mnt')]).size).toBe(3)
  for (const { pid } of processesOf(mallory.uid))
    expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(
      / \/proc .*hidepid=(?:2|invisible)/,
    )
})

test('what an account left in its /tmp goes with it', async () => {
  const { state_dir } = instance.config.paths
  const own = `${state_dir}/account-tmp/${mallory.uid}`
  expect(existsSync(own)).toBe(true)
  await panel.data('DELETE', `/api/accounts/${mallory.id}`)
  expect(existsSync(own)).toBe(false)
})
