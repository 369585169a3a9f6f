import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  accountRoomsState,
  configureAccountRooms,
  removeAccountRoom,
} from '#adapters/node/process/account-rooms.ts'
import { asUser, TENANT_OOM_SCORE } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const ALICE = 23_451
const BOBBY = 23_452
/** Its bit in the sets of capabilities. */
const CAP_SYS_RESOURCE = 24n

let directory: string
let log: ReturnType<typeof createRecordingLog>
beforeEach(() => {
  directory = mkdtempSync('/opt/brooms-')
  log = createRecordingLog()
})
afterEach(() => {
  configureAccountRooms(null)
  rmSync(directory, { recursive: true, force: true })
})

const configure = (needed: readonly string[] = []): void =>
  configureAccountRooms({ directory: join(directory, 'tmp'), needed, log })

const run = async (uid: number, program: string, ...args: string[]): Promise<string> => {
  const who = { uid, gid: uid, groups: 'none' } as const
  const command = asUser(who, program, args, { limited: true })
  return (await mustRun(command.program, command.args)).stdout
}

it('shows an account its own processes alone, as if there were no others', async () => {
  const host = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  expect(host.length).toBeGreaterThan(3)
  configure()
  const seen = (await run(ALICE, '/bin/ls', '/proc')).split('\n').filter((one) => /^\d+$/.test(one))
  expect(seen).toHaveLength(1)
  await expect(run(ALICE, '/bin/cat', '/proc/1/cmdline')).rejects.toThrow('No such file')
  await expect(run(ALICE, '/bin/ls', `/proc/${process.pid}`)).rejects.toThrow('No such file')
  expect(accountRoomsState()).toEqual({ works: true, shared: [], reason: null })
})

it.each(['/tmp', '/var/tmp'])('gives each account a %s of its own', async (place) => {
  configure()
  const foreign = join(place, `of-the-host-${process.pid}`)
  writeFileSync(foreign, 'secret')
  try {
    await run(ALICE, '/usr/bin/touch', `${place}/alices`)
    expect(await run(ALICE, '/bin/ls', place)).toBe('alices\n')
    expect(await run(BOBBY, '/bin/ls', place)).toBe('')
    expect(existsSync(`${place}/alices`)).toBe(false)
    // What is there stays for the next program, and goes with the account.
    configure()
    expect(await run(ALICE, '/bin/ls', place)).toBe('alices\n')
    await removeAccountRoom(ALICE)
    expect(readdirSync(join(directory, 'tmp'))).toEqual([String(BOBBY)])
  } finally {
    rmSync(foreign)
  }
})

it('keeps programs of one account in one room, and starts others in that of the host', async () => {
  configure()
  const namespaceOf = (uid: number) => run(uid, '/usr/bin/readlink', '/proc/self/ns/mnt')
  const own = `${readlinkSync('/proc/self/ns/mnt')}\n`
  const [first, second, other] = [
    await namespaceOf(ALICE),
    await namespaceOf(ALICE),
    await namespaceOf(BOBBY),
  ]
  expect(first).toBe(second)
  expect(new Set([first, other, own]).size).toBe(3)
  const free = asUser({ uid: ALICE, gid: ALICE, groups: 'none' }, '/usr/bin/readlink', [
    '/proc/self/ns/mnt',
  ])
  expect((await mustRun(free.program, free.args)).stdout).toBe(own)
})

it('takes no privilege, no descriptor and no way back into the room', async () => {
  configure()
  const status = await run(ALICE, '/bin/cat', '/proc/self/status')
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(status).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'))
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  expect(await run(ALICE, '/bin/ls', '-l', '/proc/self/fd')).not.toMatch(/mnt:|brooms/)
  await expect(run(ALICE, '/usr/bin/umount', '/proc')).rejects.toThrow()
  await expect(run(ALICE, '/usr/bin/umount', '--lazy', '/tmp')).rejects.toThrow()
})

it("is ended before the host's programs when memory is short", async () => {
  const score = '/proc/self/oom_score_adj'
  expect(await run(ALICE, '/bin/cat', score)).toBe(`${TENANT_OOM_SCORE}\n`)
  configure()
  expect(await run(ALICE, '/bin/cat', score)).toBe(`${TENANT_OOM_SCORE}\n`)
  const effective = /^CapEff:\s+(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  const mayRaiseBounds = (BigInt(`0x${effective ?? '0'}`) >> CAP_SYS_RESOURCE) & 1n
  const lowered = run(ALICE, '/usr/bin/choom', '--adjust=0', '--', '/bin/cat', score)
  // Containers often lack it, and then the kernel keeps no lower bound.
  if (mayRaiseBounds === 1n) await expect(lowered).rejects.toThrow('Permission denied')
  else expect(await lowered).toBe('0\n')
})

it('leaves a directory shared that Berth itself lies in, and says so', async () => {
  configure([`${tmpdir()}/berth/run`])
  expect((await run(ALICE, '/bin/ls', '/tmp')).split('\n')).toEqual(
    expect.arrayContaining(readdirSync('/tmp').slice(0, 1)),
  )
  expect(await run(ALICE, '/bin/ls', '/var/tmp')).toBe('')
  expect(accountRoomsState().shared).toEqual(['/tmp'])
  expect(log.lines.join('\n')).toContain('accounts share a directory')
})

it('starts programs all the same where the kernel grants none, and says so once', () => {
  const script = `
    import { accountRoomsState, configureAccountRooms } from '#adapters/node/process/account-rooms.ts'
    import { asUser, TENANT_OOM_SCORE } from '#adapters/node/process/as-user.ts'
    const said = []
    const log = { info() {}, warn() {}, error: (message) => said.push(message) }
    configureAccountRooms({ directory: ${JSON.stringify(join(directory, 'tmp'))}, needed: [], log })
    const who = { uid: ${ALICE}, gid: ${ALICE}, groups: 'none' }
    const commands = [1, 2].map(() => asUser(who, '/bin/true', [], { limited: true }).program)
    console.log(JSON.stringify({ commands, said, state: accountRoomsState() }))`
  const { stdout, stderr } = spawnSync(
    '/usr/bin/setpriv',
    ['--bounding-set=-sys_admin', '--', process.execPath, '--input-type=module', '-e', script],
    { cwd: join(import.meta.dirname, '../../..'), encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  const { commands, said, state } = JSON.parse(stdout) as {
    commands: string[]
    said: string[]
    state: unknown
  }
  expect(commands).toEqual(['/usr/bin/prlimit', '/usr/bin/prlimit'])
  expect(said).toHaveLength(1)
  expect(state).toMatchObject({ works: false, reason: expect.any(String) as unknown })
})
