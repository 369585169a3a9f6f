import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOf } from '#adapters/node/agent/accounts/end-processes.ts'
import { createCronPort } from '#adapters/node/agent/cron/cron-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { detectPhp } from '#adapters/node/machine/find-php.ts'
import type { CronProgram, CronRunOrder, CronRunState } from '#handlers/ports/host/cron.ts'
import { cronPortContract, endOf } from '#test/contract/cron/cron-port.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

let host: HostFixture
let account: RegisteredAccount
let cron: ReturnType<typeof createCronPort>
let runs = 0

const portOf = (fixture: HostFixture) =>
  createCronPort({
    registry: fixture.registry,
    asRoot: true,
    runDir: fixture.runDir,
    phpVersions: async () =>
      (await detectPhp()).map(({ version, binaries }) => ({
        version,
        binary: binaries.cli ?? '',
        sapis: [],
        default: false,
      })),
    surroundings: (username, name) => {
      const home = fixture.registry.account(username)?.home ?? ''
      return { directory: `${home}/public_html`, env: { MODE: 'part' }, programs: [`/opt/${name}`] }
    },
    source: () => Promise.reject(new Error('no repositories here')),
    log: fixture.log,
    waitMs: 500,
  })
const run = async (
  program: CronProgram,
  change: Partial<CronRunOrder> = {},
): Promise<CronRunState> => {
  const runId = `run-${(runs += 1)}`
  await cron.start({
    runId,
    username: account.username,
    program,
    phpVersion: null,
    timeZone: 'UTC',
    timeLimitSecs: 30,
    ...change,
  })
  return endOf(cron, runId)
}
const line = (text: string, change?: Partial<CronRunOrder>): Promise<CronRunState> =>
  run({ kind: 'shell', line: text }, change)

beforeAll(async () => {
  host = await createHostFixture()
  account = await host.createAccount()
  cron = portOf(host)
})
afterAll(async () => {
  await cron?.stopAll()
  await host?.dispose()
})

describe('jobs of accounts', () => {
  it('run as the account, in its home, with nothing of ours in their environment', async () => {
    const { output } = await line(
      'id -u; id -Gn; pwd; env | sort; grep NoNewPrivs /proc/self/status',
    )
    const lines = output.split('\n')
    expect(lines[0]).toBe(String(account.uid))
    expect(lines[1]).toBe(account.username)
    expect(lines[2]).toBe(account.home)
    const names = lines.filter((one) => one.includes('=')).map((one) => one.split('=')[0])
    expect(names).toEqual(['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'TZ', 'USER'])
    expect(output).toMatch(/NoNewPrivs:\s+1/)
  })
  it('have the PHP of their account first in PATH', async () => {
    const [php] = await detectPhp()
    const version = php?.version ?? ''
    const { output } = await line('php -r "echo PHP_MAJOR_VERSION, \'.\', PHP_MINOR_VERSION;"', {
      phpVersion: version,
    })
    expect(output).toBe(version)
    const command = { kind: 'command' as const, argv: ['php', '-r', 'echo getenv("TZ");'] }
    expect(await run(command, { phpVersion: version, timeZone: 'Europe/Berlin' })).toMatchObject({
      output: 'Europe/Berlin',
      code: 0,
    })
  })
  it('get their arguments as they are', async () => {
    const argv = ['printf', '%s|', '; id', '$(id)', '--', '-x', "a'b", 'ü\n']
    expect((await run({ kind: 'command', argv })).output).toBe("; id|$(id)|--|-x|a'b|ü\n|")
    expect(await run({ kind: 'command', argv: ['no-such-program'] })).toMatchObject({ code: 127 })
    await expect(run({ kind: 'command', argv: ['A=B', 'id'] })).rejects.toMatchObject({
      status: 400,
    })
    await expect(run({ kind: 'command', argv: [] })).rejects.toMatchObject({ status: 400 })
  })
  it('leave nothing behind, also of what they sent to the background', async () => {
    expect(await line('sleep 300 & sleep 300 & echo gone')).toMatchObject({
      output: 'gone\n',
      code: 0,
    })
    expect(await line('sleep 300 & sleep 300', { timeLimitSecs: 1 })).toMatchObject({
      ended: 'timeout',
    })
    expect(await processesOf(account.uid)).toEqual([])
  })
  it('leave nothing behind that left their session or hides from whoever started it', async () => {
    const away = `setsid --fork sleep 300; (setsid nohup sh -c 'trap "" TERM HUP; sleep 300' &); env -i setsid --fork sleep 300`
    const { output, code } = await line(`${away}; kill -9 1; echo "$(ps -e -o pid= | wc -l)"`)
    expect([code, Number(output.trim().split('\n').at(-1))]).toEqual([0, expect.any(Number)])
    expect(await processesOf(account.uid)).toEqual([])
    expect(await line(`${away}; sleep 300`, { timeLimitSecs: 1 })).toMatchObject({
      ended: 'timeout',
    })
    expect(await processesOf(account.uid)).toEqual([])
  })
  it('are asked to end before they are made to', async () => {
    const polite = `trap 'echo bye; exit 3' TERM; sleep 300 & wait`
    expect(await line(polite, { timeLimitSecs: 1 })).toMatchObject({
      ended: 'timeout',
      output: 'bye\n',
    })
  })
  it('see the processes of their run alone, with a /proc that fits', async () => {
    const { output } = await line(
      'ls /proc | grep -c "^[0-9]"; readlink /proc/self/ns/pid; ps -o pid= -p $$',
    )
    const [count, , pid] = output.split('\n')
    expect(Number(count)).toBeLessThan(8)
    expect(Number(pid)).toBe(2)
  })
  it('are ended although they refuse to', async () => {
    const stubborn = `trap '' TERM; while true; do sleep 1; done`
    expect(await line(stubborn, { timeLimitSecs: 1 })).toMatchObject({ ended: 'timeout' })
    expect(await processesOf(account.uid)).toEqual([])
  })
  it('write as much as they like, of which the beginning and the end are kept', async () => {
    const { output } = await line(
      'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last',
    )
    expect(Buffer.byteLength(output)).toBeLessThan(65_700)
    expect(output.startsWith('first\nxxx')).toBe(true)
    expect(output.endsWith('xxx\nlast\n')).toBe(true)
    expect(output).toContain('bytes left out')
  })
  it('are forgotten when many others have ended, those first that somebody was told of', async () => {
    const untold = `run-${(runs += 1)}`
    await cron.start({
      runId: untold,
      username: account.username,
      program: { kind: 'command', argv: ['echo', 'untold'] },
      phpVersion: null,
      timeZone: 'UTC',
      timeLimitSecs: 30,
    })
    const first = `run-${runs + 1}`
    for (let n = 0; n < 202; n += 1) await run({ kind: 'command', argv: ['true'] })
    expect(await cron.wait({ runId: first })).toMatchObject({ state: 'unknown' })
    expect(await cron.wait({ runId: untold })).toMatchObject({ output: 'untold\n' })
  })
  it('cannot start more processes than any program of the account', async () => {
    const { output } = await line('cat /proc/self/limits')
    expect(output).toMatch(/Max processes\s+200 +200/)
    expect(output).toMatch(/Max open files\s+4096 +4096/)
  })
  it('stand in no other account and not in our directories', async () => {
    const other = await host.createAccount()
    const { output } = await line(
      `cat ${other.home}/public_html/x 2>&1; ls ${other.home} 2>&1; ls ${path.join(host.stateDir, 'agent')} 2>&1; touch ${host.runDir}/php-path/x 2>&1; true`,
    )
    expect(output.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(3)
  })
  it('end when the account is closed', async () => {
    await cron.start({
      runId: 'long',
      username: account.username,
      program: { kind: 'shell', line: 'echo ready; sleep 300' },
      phpVersion: null,
      timeZone: 'UTC',
      timeLimitSecs: 300,
    })
    while (!(await cron.wait({ runId: 'long' })).output.includes('ready'));
    expect((await processesOf(account.uid)).length).toBeGreaterThan(0)
    await cron.stop({ runId: 'long' })
    expect(await endOf(cron, 'long')).toMatchObject({ ended: 'stopped' })
    expect(await processesOf(account.uid)).toEqual([])
  })
})

cronPortContract('the agent', async () => {
  const fixture = await createHostFixture()
  const { username } = await fixture.createAccount()
  const port = portOf(fixture)
  return {
    cron: port,
    username,
    suspend: async () => fixture.registry.records.setSuspended(username, true, null),
    program: (output, code) => ({ kind: 'shell', line: `printf '${output}'; exit ${code}` }),
    lasting: { kind: 'command', argv: ['sleep', '300'] },
    async dispose() {
      await port.stopAll()
      await fixture.dispose()
    },
  }
})
