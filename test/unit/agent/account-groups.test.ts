import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { groupHierarchies } from '#adapters/node/process/account-groups/group-mounts.ts'
import {
  createSystemdGroups,
  literalOptions,
} from '#adapters/node/process/account-groups/systemd-groups.ts'
import { bfqWeight, createV2Groups } from '#adapters/node/process/account-groups/v2-groups.ts'

const VALUES = { cpuWeight: 200, cpuPercent: 150, ioWeight: 50, memoryMb: 100, tasks: 30 }
const MEBI = 2 ** 20

let root: string
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'groups-'))))
afterEach(() => rmSync(root, { recursive: true }))

const file = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

describe('what is mounted', () => {
  const OLD = `33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
34 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 32 0:31 / /sys/fs/cgroup/with\\040blank rw - cgroup cgroup rw,pids
36 32 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate
37 32 0:30 / /elsewhere/memory rw - cgroup cgroup rw,memory
22 1 8:1 / / rw - ext4 /dev/sda1 rw`
  it('is found with the group of this process in each', () => {
    const found = groupHierarchies(OLD, '4:pids:/\n3:memory:/a/b\n2:cpu,cpuacct:/c:d\n0::/\n')
    expect(found).toEqual([
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        mount: '/sys/fs/cgroup/cpu,cpuacct',
        own: '/sys/fs/cgroup/cpu,cpuacct/c:d',
      },
      {
        version: 1,
        controllers: ['memory'],
        mount: '/sys/fs/cgroup/memory',
        own: '/sys/fs/cgroup/memory/a/b',
      },
      {
        version: 1,
        controllers: ['pids'],
        mount: '/sys/fs/cgroup/with blank',
        own: '/sys/fs/cgroup/with blank',
      },
      {
        version: 2,
        controllers: [],
        mount: '/sys/fs/cgroup/unified',
        own: '/sys/fs/cgroup/unified',
      },
    ])
  })
  it('is seen from a container, whose mount begins at its own group', () => {
    const mount = '50 1 0:30 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw'
    expect(groupHierarchies(mount, '0::/docker/x/service\n')[0]?.own).toBe('/sys/fs/cgroup/service')
    expect(groupHierarchies(mount, '0::/docker/x\n')[0]?.own).toBe('/sys/fs/cgroup')
  })
  it.each(['', 'what', 'a b c - cgroup', '1 2 3 / /x - cgroup2 c rw'])(
    'is nothing in %j',
    (text) => {
      expect(groupHierarchies(text, text)).toEqual([])
    },
  )
})

describe('unified groups', () => {
  const FILES = {
    account: [
      'cpu.weight',
      'cpu.max',
      'io.weight',
      'io.bfq.weight',
      'cpu.stat',
      'memory.current',
      'memory.stat',
    ],
    kind: ['memory.high', 'memory.max', 'memory.swap.max', 'pids.max', 'cgroup.procs'],
  }
  const touch = (directory: string, names: readonly string[]): void => {
    mkdirSync(directory, { recursive: true })
    for (const name of names) writeFileSync(join(directory, name), '')
  }
  const make = (controllers = 'cpuset cpu io memory pids') => {
    writeFileSync(join(root, 'cgroup.controllers'), `${controllers}\n`)
    writeFileSync(join(root, 'cgroup.subtree_control'), `${controllers}\n`)
    // A plain directory keeps what was written last, where the kernel would add it up.
    const groups = createV2Groups(
      [{ version: 2, controllers: [], mount: root, own: join(root, 'own') }],
      'berth-x',
    )
    const account = join(root, 'berth-x', '1001')
    touch(account, [...FILES.account, 'memory.events', 'pids.current'])
    for (const kind of ['programs', 'helpers']) touch(join(account, kind), FILES.kind)
    return groups
  }
  it('are not used where no controller may be handed on', () => {
    expect(make('hugetlb')).toBeNull()
    expect(createV2Groups([], 'berth-x')).toBeNull()
  })
  it.each([
    [1, 1],
    [100, 100],
    [300, 118],
    [10_000, 1000],
  ])('weight %i at the disk is %i for BFQ', (ioWeight, weight) => {
    expect(bfqWeight(ioWeight)).toBe(weight)
  })
  it('hold values of the account and of each of its groups, high before the limit', async () => {
    const groups = make()
    expect(groups?.holds).toEqual(['cpu', 'memory', 'tasks', 'io'])
    expect(await groups?.set(1001, VALUES)).toBe(true)
    const account = ['berth-x', '1001']
    expect(file(...account, 'cpu.weight')).toBe('200')
    expect(file(...account, 'cpu.max')).toBe('150000 100000')
    expect(file(...account, 'io.weight')).toBe('default 50')
    expect(file(...account, 'io.bfq.weight')).toBe('50')
    expect(file(...account, 'programs', 'memory.high')).toBe(String(98 * MEBI))
    expect(file(...account, 'programs', 'memory.max')).toBe(String(100 * MEBI))
    expect(file(...account, 'programs', 'memory.swap.max')).toBe('0')
    expect(file(...account, 'programs', 'pids.max')).toBe('30')
    expect(file(...account, 'helpers', 'pids.max')).toBe('200')
    await groups?.set(1001, { ...VALUES, cpuPercent: null, memoryMb: null })
    expect(file(...account, 'cpu.max')).toBe('max 100000')
    expect(file(...account, 'programs', 'memory.max')).toBe('max')
  })
  it('are entered by their one file, and say what is used', async () => {
    const groups = make()
    const account = join(root, 'berth-x', '1001')
    expect(groups?.words(1001, 'programs').at(-1)).toBe(join(account, 'programs', 'cgroup.procs'))
    await groups?.take(1001, 'programs', [42])
    expect(file('berth-x', '1001', 'programs', 'cgroup.procs')).toBe('42')
    writeFileSync(join(account, 'cpu.stat'), 'usage_usec 2000\n')
    writeFileSync(join(account, 'memory.current'), '10\n')
    writeFileSync(join(account, 'memory.events'), 'oom_kill 3\n')
    writeFileSync(join(account, 'pids.current'), '4\n')
    expect(groups?.use(1001)).toEqual({ cpuMs: 2, memoryBytes: 10, tasks: 4, memoryEnds: 3 })
    expect(groups?.use(1002)).toBeNull()
    expect(groups?.isIn(1001, '0::/berth-x/1001/programs\n')).toBe(true)
    expect(groups?.isIn(100, '0::/berth-x/1001/programs\n')).toBe(false)
  })
  it('leave what looks like a variable in a command line to the program, whatever the version of systemd', async () => {
    const asked: string[][] = []
    const options = (known: boolean) =>
      literalOptions(async (program, args) => {
        asked.push([program, ...args])
        return known
      })
    expect(await options(false)).toEqual([])
    const literal = await options(true)
    expect(literal).toEqual(['--expand-environment=no'])
    expect(asked[0]).toEqual(['/usr/bin/systemd-run', ...literal, '--version'])
    const { run, yes } = { run: async () => undefined, yes: () => true }
    const groups = createSystemdGroups('berth-x', run, root, yes, yes, literal)
    expect(groups.words(1001, 'programs')).toContain('--expand-environment=no')
  })
  it('hold a part of the programs by themselves, as a group of threads', async () => {
    const groups = make()
    const part = ['berth-x', '1001', 'programs', 'part-my-shop']
    writeFileSync(join(root, 'berth-x', '1001', 'programs', 'cgroup.subtree_control'), '')
    await groups?.setPart(1001, 'my-shop', 50)
    expect(file(...part, 'cgroup.type')).toBe('threaded')
    expect(file('berth-x', '1001', 'programs', 'cgroup.subtree_control')).toBe('+cpu')
    expect(file(...part, 'cpu.max')).toBe('50000 100000')
    expect(groups?.words(1001, 'programs', 'my-shop').at(-1)).toBe(
      join(root, ...part, 'cgroup.procs'),
    )
    expect(groups?.words(1001, 'programs').at(-1)).toBe(
      join(root, 'berth-x', '1001', 'programs', 'cgroup.procs'),
    )
  })
})

describe('slices of systemd', () => {
  const make = () => {
    const ran: string[][] = []
    const ended = new Set([6])
    /** Ends between the look and the call. */
    const gone = new Set([9])
    const groups = createSystemdGroups(
      'berth-x',
      async (program, args) => {
        ran.push([program, ...args])
        if (args.includes('9') && gone.delete(9)) {
          ended.add(9)
          throw new Error('Process with ID 9 does not exist.')
        }
      },
      root,
      (pid) => !ended.has(pid),
      () => true,
    )
    return { groups, ran }
  }
  const SYSTEMCTL = '/usr/bin/systemctl'

  it('hold values until the next start of the machine', async () => {
    const { groups, ran } = make()
    await groups.set(1001, VALUES)
    const set = [SYSTEMCTL, 'set-property', '--runtime', '--']
    expect(ran).toEqual([
      [...set, 'berth-x-1001.slice', 'CPUWeight=200', 'CPUQuota=150%', 'IOWeight=50'],
      [
        ...[...set, 'berth-x-1001-programs.slice', `MemoryHigh=${98 * MEBI}`],
        ...[`MemoryMax=${100 * MEBI}`, 'MemorySwapMax=0', 'TasksMax=30'],
      ],
      [
        ...[...set, 'berth-x-1001-helpers.slice', `MemoryHigh=${Math.floor(1024 * MEBI * 0.98)}`],
        ...[`MemoryMax=${1024 * MEBI}`, 'MemorySwapMax=0', 'TasksMax=200'],
      ],
    ])
    ran.length = 0
    await groups.set(1001, { ...VALUES, cpuPercent: null, memoryMb: null })
    expect(ran[0]).toContain('CPUQuota=')
    expect(ran[1]).toEqual(
      expect.arrayContaining([
        'MemoryHigh=infinity',
        'MemoryMax=infinity',
        'MemorySwapMax=infinity',
      ]),
    )
  })
  it('get programs as scopes, and running ones by a call of the bus', async () => {
    const { groups, ran } = make()
    expect(groups.words(1001, 'programs')).toEqual([
      ...['/usr/bin/systemd-run', '--scope', '--quiet', '--collect'],
      '--property=MemoryAccounting=no',
      ...['--slice=berth-x-1001-programs.slice', '--'],
    ])
    await groups.take(1001, 'programs', [7, 8])
    await groups.take(1001, 'programs', [])
    expect(ran).toHaveLength(1)
    expect(ran[0]?.slice(9, 17)).toEqual(['fail', '4', 'PIDs', 'au', '2', '7', '8', 'Slice'])
    const inside =
      '0::/berth.slice/berth-x.slice/berth-x-1001.slice/berth-x-1001-programs.slice/y.scope'
    expect([groups.isIn(1001, inside), groups.isIn(100, inside)]).toEqual([true, false])
  })
  it('hold a part of the programs by themselves, as one more slice', async () => {
    const { groups, ran } = make()
    await groups.setPart(1001, 'my-shop', 50)
    const slice = 'berth-x-1001-programs-my_shop.slice'
    expect(ran).toEqual([[SYSTEMCTL, 'set-property', '--runtime', '--', slice, 'CPUQuota=50%']])
    expect(groups.words(1001, 'programs', 'my-shop')).toContain(`--slice=${slice}`)
    await groups.removePart(1001, 'my-shop')
    expect(ran.slice(1)).toEqual([
      [SYSTEMCTL, 'stop', '--', slice],
      [SYSTEMCTL, 'revert', '--', slice],
    ])
  })
  it('take those that still run, though systemd takes all or none', async () => {
    const { groups, ran } = make()
    await groups.take(1001, 'programs', [6])
    expect(ran).toEqual([])
    await groups.take(1001, 'programs', [6, 7, 9])
    expect(ran.map((argv) => argv.slice(13, 16))).toEqual([
      ['2', '7', '9'],
      ['1', '7', 'Slice'],
    ])
    const broken = createSystemdGroups(
      'berth-x',
      () => Promise.reject(new Error('no bus')),
      root,
      () => true,
    )
    await expect(broken.take(1001, 'programs', [7])).rejects.toThrow(/no bus|message bus/)
  })
  it('tell what is used, and go with the account', async () => {
    const { groups, ran } = make()
    const slice = ['berth.slice', 'berth-x.slice', 'berth-x-1001.slice']
    mkdirSync(join(root, ...slice), { recursive: true })
    mkdirSync(join(root, 'berth.slice', 'berth-x.slice', 'other.slice'))
    const put = (name: string, text: string) => writeFileSync(join(root, ...slice, name), text)
    put('cpu.stat', 'usage_usec 1500000\nuser_usec 1\n')
    put('memory.current', '5000000\n')
    put('memory.stat', 'anon 1\ninactive_file 2000000\n')
    put('memory.events', 'low 0\nhigh 4\nmax 3\noom 2\noom_kill 1\n')
    expect(groups.use(1001)).toEqual({
      ...{ cpuMs: 1500, memoryBytes: 3_000_000, tasks: null, memoryEnds: 1 },
    })
    expect([groups.use(1002), groups.uids()]).toEqual([null, [1001]])
    await groups.remove(1001)
    expect(ran.map((argv) => argv.slice(0, 3))).toEqual([
      [SYSTEMCTL, 'stop', '--'],
      [SYSTEMCTL, 'revert', '--'],
    ])
  })
})
