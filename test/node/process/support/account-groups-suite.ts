import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { valuesOf } from '#adapters/node/agent/limits/account-holds.ts'
import { endProcesses } from '#adapters/node/agent/accounts/end-processes.ts'
import type {
  AccountGroups,
  GroupKind,
} from '#adapters/node/process/account-groups/account-groups.ts'
import {
  accountParts,
  configureAccountGroups,
} from '#adapters/node/process/account-groups/current-groups.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'

const ALICE = 23_461
const BOBBY = 23_462
const FREE = valuesOf(null, { memoryTotalMb: 0, cpuWeight: 100, cpuPercent: 0, ioWeight: 100 })
/** Takes what it can get of the processor until it is ended. */
const SPIN = 'for (;;);'
/** Twice what it may have. */
const HOG = 'const all = []; for (let i = 0; i < 300; i += 1) all.push(Buffer.alloc(2 ** 20, 1))'

const groupName = (kind: GroupKind): RegExp => new RegExp(`[/-]${ALICE}[/-]${kind}\\b`)

/** What each implementation of `AccountGroups` must do, with real processes; as root. */
export const accountGroupsSuite = (find: () => Promise<AccountGroups>): void => {
  let groups: AccountGroups
  const children: ChildProcess[] = []
  beforeAll(async () => {
    groups = await find()
  })
  beforeEach(() => configureAccountGroups(groups))
  afterEach(async () => {
    for (const child of children.splice(0)) {
      const ended = child.exitCode !== null || child.signalCode !== null || once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    configureAccountGroups(null)
    for (const uid of groups.uids()) {
      await endProcesses({ uid, gid: uid })
      await groups.remove(uid)
    }
    expect(groups.uids()).toEqual([])
  })

  const commandOf = (uid: number, program: string, args: string[], limited: true | 'own' = 'own') =>
    asUser({ uid, gid: uid, groups: 'none' }, program, args, { limited })
  const run = async (uid: number, program: string, ...args: string[]) => {
    const command = commandOf(uid, program, args)
    return runCommand(command.program, command.args, { env: { PERL5OPT: '-Mno::such' } })
  }
  const begin = (uid: number, program: string, args: string[], part?: string): ChildProcess => {
    const command = asUser({ uid, gid: uid, groups: 'none' }, program, args, {
      limited: 'own',
      part,
    })
    const child = spawn(command.program, command.args, { stdio: 'ignore', cwd: '/' })
    children.push(child)
    return child
  }

  it('starts programs of an account in its group, helpers in another, whatever their environment says to Perl', async () => {
    const { stdout } = await run(ALICE, '/bin/cat', '/proc/self/cgroup')
    expect(groups.isIn(ALICE, stdout)).toBe(true)
    expect(groups.isIn(BOBBY, stdout)).toBe(false)
    expect(groups.isIn(1, readFileSync('/proc/self/cgroup', 'utf8'))).toBe(false)
    expect(stdout).toMatch(groupName('programs'))
    const helper = commandOf(ALICE, '/bin/cat', ['/proc/self/cgroup'], true)
    const told = await runCommand(helper.program, helper.args)
    expect(told.stdout).toMatch(groupName('helpers'))
    expect(groups.uids()).toEqual([ALICE])
  })

  it('lets an account start no more than its processes, and tells how many there are', async () => {
    await groups.set(ALICE, { ...FREE, tasks: 5 })
    const many = await run(
      ALICE,
      '/bin/sh',
      '-c',
      'for i in 1 2 3 4 5 6; do sleep 20 >&- 2>&- & done',
    )
    expect(many.stderr).toContain('annot fork')
    expect(groups.use(ALICE)?.tasks).toBe(4)
    expect((await run(BOBBY, '/bin/sh', '-c', 'sleep 0 & wait')).code).toBe(0)
  })

  it('ends what takes more memory than the account has, and counts it; others go on', async () => {
    await groups.set(ALICE, { ...FREE, memoryMb: 128 })
    const other = begin(BOBBY, '/usr/bin/sleep', ['300'])
    expect(groups.use(ALICE)).toMatchObject({ memoryEnds: 0 })
    const hog = begin(ALICE, process.execPath, ['-e', HOG])
    const [, signal] = (await once(hog, 'exit')) as [number | null, string | null]
    expect(signal).toBe('SIGKILL')
    expect(groups.use(ALICE)?.memoryEnds).toBe(1)
    expect(groups.use(BOBBY)?.memoryEnds).toBe(0)
    expect(other.exitCode).toBeNull()
    // A larger plan holds at once.
    await groups.set(ALICE, { ...FREE, memoryMb: 600 })
    expect((await run(ALICE, process.execPath, '-e', HOG)).code).toBe(0)
  })

  it('gives no more of the processor than the quota, from now on too', async () => {
    await groups.set(ALICE, { ...FREE, cpuPercent: 20 })
    begin(ALICE, process.execPath, ['-e', SPIN])
    await expect.poll(() => groups.use(ALICE)?.cpuMs, { timeout: 5000 }).toBeGreaterThan(100)
    const before = groups.use(ALICE)?.cpuMs ?? 0
    const beganMs = performance.now()
    await delay(1000)
    const part = ((groups.use(ALICE)?.cpuMs ?? 0) - before) / (performance.now() - beganMs)
    expect(part).toBeLessThan(0.35)
    expect(part).toBeGreaterThan(0.02)
  })

  it('gives more of the processor to whom has a larger part of it', async () => {
    await groups.set(ALICE, { ...FREE, cpuWeight: 400 })
    await groups.set(BOBBY, FREE)
    // On one processor, of which there is too little for both.
    for (const uid of [ALICE, BOBBY])
      begin(uid, '/usr/bin/taskset', ['--cpu-list', '0', process.execPath, '-e', SPIN])
    const usedMs = (uid: number): number => groups.use(uid)?.cpuMs ?? 0
    await expect
      .poll(() => Math.min(usedMs(ALICE), usedMs(BOBBY)), { timeout: 60_000 })
      .toBeGreaterThan(500)
    const before = { alice: usedMs(ALICE), bobby: usedMs(BOBBY) }
    await expect.poll(() => usedMs(ALICE) - before.alice, { timeout: 60_000 }).toBeGreaterThan(1000)
    expect(usedMs(BOBBY) - before.bobby).toBeLessThan((usedMs(ALICE) - before.alice) / 2)
  })

  it('holds a part of the programs to less of the processor, and the others not', async () => {
    await accountParts.set(ALICE, 'shop', 5)
    const held = begin(ALICE, process.execPath, ['-e', SPIN], 'shop')
    const free = begin(ALICE, process.execPath, ['-e', SPIN])
    const ticksOf = ({ pid }: ChildProcess): number => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[11]) + Number(fields[12])
    }
    // What it takes until it is in its group is not held.
    await expect
      .poll(() => readFileSync(`/proc/${held.pid}/cgroup`, 'utf8'), { timeout: 20_000 })
      .toContain('shop')
    const start = { held: ticksOf(held), free: ticksOf(free) }
    const beganMs = performance.now()
    await expect.poll(() => ticksOf(free) - start.free, { timeout: 20_000 }).toBeGreaterThan(100)
    // Little, but something, also where there is one processor for all.
    await expect.poll(() => ticksOf(held) - start.held, { timeout: 20_000 }).toBeGreaterThan(0)
    const [heldTicks, freeTicks] = [ticksOf(held) - start.held, ticksOf(free) - start.free]
    // However much else the machine does, a hundredth of a second each.
    expect((heldTicks * 10) / (performance.now() - beganMs)).toBeLessThan(0.1)
    expect(heldTicks).toBeGreaterThan(0)
    expect(freeTicks).toBeGreaterThan(heldTicks)
    const lines = readFileSync(`/proc/${held.pid}/cgroup`, 'utf8')
    expect(groups.isIn(ALICE, lines)).toBe(true)
    expect(groups.use(ALICE)?.tasks).toBeGreaterThan(1)
  })

  it('removes a part whose programs have ended, and one that is not there', async () => {
    await accountParts.set(ALICE, 'shop', 20)
    expect((await run(ALICE, '/usr/bin/true')).code).toBe(0)
    await accountParts.remove(ALICE, 'shop')
    await accountParts.remove(ALICE, 'never')
  })

  it('takes in what others started, and leaves out what has ended', async () => {
    const child = spawn('/usr/bin/sleep', ['300'], { stdio: 'ignore' })
    children.push(child)
    const { pid } = child
    if (pid === undefined) throw new Error('sleep does not start')
    const ended = spawn('/usr/bin/true', { stdio: 'ignore' })
    await once(ended, 'exit')
    await groups.take(ALICE, 'programs', [pid, ended.pid ?? 0])
    expect(groups.isIn(ALICE, readFileSync(`/proc/${pid}/cgroup`, 'utf8'))).toBe(true)
  })

  it('does not start what cannot enter its group', async () => {
    // systemd makes it anew.
    if (groups.kind === 'systemd slices') return
    const [program = '', ...args] = groups.words(ALICE, 'programs')
    await groups.remove(ALICE)
    const { code, stderr } = await runCommand(program, [...args, '/bin/echo', 'started'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('cannot be entered')
  })

  it('says of an account without a group that nothing is known, and removes what is not there', async () => {
    expect(groups.use(BOBBY)).toBeNull()
    await groups.remove(BOBBY)
  })
}
