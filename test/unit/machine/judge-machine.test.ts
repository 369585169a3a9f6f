import { describe, expect, test } from 'vitest'
import type { MachineDisk, MachineFacts, Seen } from '#handlers/ports/host/machine.ts'
import type { MachineRecords } from '#handlers/services/doctor/machine/judge-machine.ts'
import { judgeMachine } from '#handlers/services/doctor/machine/judge-machine.ts'
import { soundFacts } from '#test/fakes/fake-machine.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const DAY_MS = 86_400_000
const MB = 1_000_000
const GB = 1000 * MB
const MIB = 2 ** 20
const GIB = 2 ** 30

const RECORDS: MachineRecords = {
  scheduled: true,
  overdue: new Set(),
  accounts: [],
  backups: [],
  snapshots: [],
  proofs: [],
  failed: [],
  certificates: [],
  uses: [],
  newestRecord: null,
}

type Part = keyof MachineFacts
type ValueOf<P extends Part> = MachineFacts[P] extends Seen<infer T> ? T : never

/** The sound machine with a part of it changed. */
const facts = <P extends Part>(part: P, change: (value: ValueOf<P>) => unknown): MachineFacts => {
  const all = soundFacts(NOW)
  const seen = all[part]
  if (!seen.seen) throw new Error('not seen')
  change(seen.value as ValueOf<P>)
  return all
}
const judge = (machine: MachineFacts, records: Partial<MachineRecords> = {}) =>
  judgeMachine(machine, [], { ...RECORDS, ...records }, NOW)

/** `level kind subject what` of every finding. */
const said = (machine: MachineFacts, records: Partial<MachineRecords> = {}): string[] =>
  judge(machine, records).findings.map(
    ({ level = 'fault', kind, subject, what }) => `${level} ${kind} ${subject} ${what}`,
  )

test('a sound machine: nothing is found, and nothing was left out', () => {
  expect(judge(soundFacts(NOW))).toEqual({ findings: [], skipped: [] })
})

test('what cannot be looked at is told with its reason, and hides nothing else', () => {
  const none: MachineFacts = { ...soundFacts(NOW) }
  for (const part of Object.keys(none) as Part[]) none[part] = { seen: false, reason: `no ${part}` }
  const { findings, skipped } = judge(none, { scheduled: false })
  expect(findings).toEqual([])
  expect(skipped.map(({ check, reason }) => `${check}: ${reason}`)).toEqual([
    'disk: no disks',
    'memory: no memory',
    'clock: no clock',
    'process: no children',
    'port: no ports',
    'database-server: no databaseServers',
    expect.stringContaining('backup: no backups are made by themselves'),
    'package: no packages',
    'limit: no limits',
  ])
})

describe('disks', () => {
  const disk = (change: Partial<MachineDisk>) =>
    facts('disks', ([one]) => Object.assign(one!, change))
  test.each<[string, Partial<MachineDisk>, string[]]>([
    ['half full', {}, []],
    ['just enough', { freeBytes: 10 * GB }, []],
    [
      'nearly full',
      { freeBytes: 10 * GB - MB },
      ['warning disk / is nearly full: 9999 MB of 214748 MB are free'],
    ],
    ['full', { freeBytes: 2 * MB }, ['fault disk / is full: 2 MB of 214748 MB are free']],
    [
      'many files',
      { freeFiles: 90_000 },
      ['warning disk / can soon hold no more files: 90000 of 9000000 are free'],
    ],
    [
      'no files',
      { freeFiles: 12 },
      ['fault disk / can hold no more files: 12 of 9000000 are free'],
    ],
    ['as many files as one likes', { totalFiles: 0, freeFiles: 0 }, []],
    ['small by its nature', { totalBytes: 16 * MB, freeBytes: 8 * MB }, []],
    [
      'small and full',
      { totalBytes: 16 * MB, freeBytes: 0 },
      ['fault disk / is full: 0 MB of 16 MB are free'],
    ],
    ['read-only', { readOnly: true, freeBytes: 0 }, ['fault disk / is mounted read-only']],
  ])('%s', (_name, change, expected) => expect(said(disk(change))).toEqual(expected))

  test('what fills it is named, largest first, homes by the records', () => {
    const machine = disk({ freeBytes: MB })
    if (machine.disks.seen)
      machine.disks.value.push({ ...machine.disks.value[0]!, mount: '/home', freeBytes: 150 * GB })
    const filler = { mount: '/', path: '/var/log', files: 3, complete: true }
    const { findings } = judgeMachine(
      machine,
      [
        { ...filler, what: 'logs', bytes: 5 * MB },
        { ...filler, what: 'backups', bytes: 9 * GB, path: '/b', complete: false },
        { ...filler, what: 'nothing', bytes: 10 },
      ],
      {
        ...RECORDS,
        uses: [
          { username: 'alice', home: '/srv/alice', usedMb: 700 },
          { username: 'bob', home: '/home/bob', usedMb: 70_000 },
        ],
      },
      NOW,
    )
    expect(findings).toHaveLength(1)
    expect(findings[0]?.fix).toContain(
      'Largest that is known: backups at least 9000 MB in 3 files (/b), home of alice 700 MB, logs 5 MB in 3 files (/var/log).',
    )
    expect(findings[0]?.fix).toContain("It holds: homes, the panel's records.")
  })
})

describe('memory', () => {
  test.each<[string, object, string[]]>([
    ['enough', {}, []],
    [
      'low',
      { availableBytes: 300 * MIB },
      ['warning memory memory is low: 300 MiB of 8192 MiB are left'],
    ],
    [
      'hardly any, with swap to go on',
      { availableBytes: 100 * MIB },
      ['warning memory memory is low: 100 MiB of 8192 MiB are left'],
    ],
    [
      'hardly any, and no swap',
      { availableBytes: 100 * MIB, swapTotalBytes: 0, swapFreeBytes: 0 },
      ['fault memory memory is used up: 100 MiB of 8192 MiB are left'],
    ],
    [
      'swap used up',
      { swapFreeBytes: 0 },
      ['warning memory swap is used up: 0 MiB of 1024 MiB are left'],
    ],
    [
      'small, without swap',
      { totalBytes: GIB, availableBytes: GIB / 2, swapTotalBytes: 0, swapFreeBytes: 0 },
      ['warning memory swap there is none, with 1024 MiB of memory'],
    ],
    ['large, without swap', { swapTotalBytes: 0, swapFreeBytes: 0 }, []],
    [
      'waiting',
      { stalledPercent: 30 },
      ['warning memory memory kept everything waiting 30 % of the last five minutes'],
    ],
    [
      'ended by the kernel',
      { killed: 1 },
      ['warning memory memory ran out: the kernel ended 1 process since the agent was started'],
    ],
    ['not counted by this kernel', { stalledPercent: null, killed: null }, []],
  ])('%s', (_name, change, expected) =>
    expect(said(facts('memory', (memory) => Object.assign(memory, change)))).toEqual(expected),
  )
})

describe('the clock', () => {
  const clock = (change: object) => facts('clock', (value) => Object.assign(value, change))
  test.each<[string, object, string | null, string[]]>([
    ['kept right', {}, '2026-06-15 11:59:59', []],
    [
      'not kept',
      { synchronised: false },
      null,
      ['warning clock clock is not kept right by a time service (a fake)'],
    ],
    ['jumped a little', { jumps: [{ atMs: NOW - 1000, secs: 5 }] }, null, []],
    ['jumped long ago', { jumps: [{ atMs: NOW - 2 * DAY_MS, secs: 500 }] }, null, []],
    [
      'jumped',
      {
        jumps: [
          { atMs: NOW - 5000, secs: 90 },
          { atMs: NOW - 1000, secs: -3600 },
        ],
      },
      null,
      ['warning clock clock jumped 2 times within a day, last by -3600 s at 2026-06-15 11:59:59'],
    ],
    [
      'behind its own records',
      {},
      '2026-06-15 13:00:00',
      [
        'fault clock clock stands at 2026-06-15 12:00:00, before what the panel wrote at 2026-06-15 13:00:00',
      ],
    ],
  ])('%s', (_name, change, newestRecord, expected) =>
    expect(said(clock(change), { newestRecord })).toEqual(expected),
  )
  test('nobody can be asked: told as left out', () => {
    expect(judge(clock({ synchronised: null, source: 'no systemd' }))).toEqual({
      findings: [],
      skipped: [{ check: 'clock', reason: 'no systemd' }],
    })
  })
})

describe('processes and ports', () => {
  const end = (agoMs: number) => ({ atMs: NOW - agoMs, how: 'it was ended by SIGKILL' })
  test.each<[string, object, string[]]>([
    [
      'once',
      { ends: [end(7_200_000)] },
      [
        'warning process agent ended once within a day, last at 2026-06-15 10:00:00: it was ended by SIGKILL',
      ],
    ],
    [
      'again and again',
      { ends: [end(3000), end(2000), end(1000)] },
      [
        'fault process agent ended 3 times within a day, last at 2026-06-15 11:59:59: it was ended by SIGKILL',
      ],
    ],
    ['not there', { running: false }, ['fault process agent does not run']],
    [
      'not there again',
      { running: false, ends: [end(0)] },
      [
        'fault process agent ended once within a day, last at 2026-06-15 12:00:00: it was ended by SIGKILL; it does not run',
      ],
    ],
  ])('%s', (_name, change, expected) =>
    expect(said(facts('children', ([agent]) => Object.assign(agent!, change)))).toEqual(expected),
  )

  test.each([
    [
      'Port 80 (0.0.0.0:80) is held by nginx (process 812). Stop it, or choose another.',
      'fault port port 80 is held by nginx (process 812)',
      'Stop it, or choose another.',
    ],
    [
      '203.0.113.9:80 is not an address of this machine. Remove it.',
      'fault port a port of the sites 203.0.113.9:80 is not an address of this machine',
      'Remove it.',
    ],
    [
      '[::]:80 cannot be opened: EIO.',
      'fault port a port of the sites [::]:80 cannot be opened: EIO',
      'Free it',
    ],
  ])('%s', (problem, expected, fix) => {
    const machine = facts('ports', (ports) => ports.push(problem))
    expect(said(machine)).toEqual([expected])
    expect(judge(machine).findings[0]?.fix).toContain(fix)
  })
})

describe('database servers', () => {
  test.each<[string, object, string[]]>([
    [
      'away',
      { unreachable: 'no answer' },
      ['fault database-server MariaDB does not answer: no answer'],
    ],
    [
      'read-only',
      { readOnly: 'read_only is on' },
      ['fault database-server MariaDB takes no changes: read_only is on'],
    ],
    [
      'nearly full',
      { connections: { used: 140, limit: 150 } },
      ['warning database-server MariaDB has 140 of 150 connections in use'],
    ],
    [
      'full',
      { connections: { used: 150, limit: 150 } },
      ['fault database-server MariaDB has 150 of 150 connections in use'],
    ],
    [
      'damaged',
      { damaged: [{ name: 'shop.orders', what: 'marked as crashed' }] },
      ['fault database-server MariaDB shop.orders is damaged: marked as crashed'],
    ],
    [
      'never cleaned up',
      { engine: 'postgresql', oldestTransactions: 1_900_000_000 },
      ['fault database-server PostgreSQL has not cleaned up for 1900 million transactions'],
    ],
    [
      'not reached from elsewhere',
      { notReached: 'port 3306 was taken' },
      [
        'warning database-server MariaDB is not reached from other machines as the configuration says: port 3306 was taken',
      ],
    ],
    ['cleaned up', { engine: 'postgresql', oldestTransactions: 150_000_000 }, []],
  ])('%s', (_name, change, expected) =>
    expect(said(facts('databaseServers', ([one]) => Object.assign(one!, change)))).toEqual(
      expected,
    ),
  )
})

describe('packages', () => {
  const update = (name: string, security: boolean) => ({
    name,
    installed: '1',
    candidate: '2',
    security,
  })
  test.each<[string, object, string[]]>([
    [
      'a security update',
      { updates: [update('php8.2-fpm', true)], listedAtMs: NOW - DAY_MS },
      [
        'warning package security updates are pending for 1 of the packages that Berth needs: php8.2-fpm 2 (lists of 2026-06-14 12:00:00, 1 day old)',
      ],
    ],
    [
      'many others',
      { updates: [...'abcdefgh'].map((name) => update(name, false)) },
      [
        'warning package updates are pending for 8 of the packages that Berth needs: a 2, b 2, c 2, d 2, e 2, f 2 and 2 more (lists of 2026-06-15 12:00:00, 0 days old)',
      ],
    ],
    [
      'old lists',
      { listedAtMs: NOW - 8 * DAY_MS },
      ['warning package package lists are 8 days old (2026-06-07 12:00:00)'],
    ],
    [
      'no security archive',
      { securityListed: false },
      ['warning package package lists name no archive of security updates'],
    ],
  ])('%s', (_name, change, expected) =>
    expect(said(facts('packages', (value) => Object.assign(value, change)))).toEqual(expected),
  )
})

describe('limits', () => {
  const filling = (used: number) => ({ filling: [{ name: 'kernel.pid_max', used, limit: 1000 }] })
  test.each<[string, object, string[]]>([
    ['far away', filling(799), []],
    ['near', filling(800), ['warning limit kernel.pid_max is nearly reached: 800 of 1000']],
    ['reached', filling(990), ['fault limit kernel.pid_max is nearly reached: 990 of 1000']],
    ['unbounded', { filling: [{ name: 'pids.max', used: 5, limit: 0 }] }, []],
    ['a short queue', { somaxconn: 128 }, ['warning limit net.core.somaxconn is 128']],
    ['promises kept strictly', { overcommit: 2 }, ['warning limit vm.overcommit_memory is 2']],
    ['not told', { somaxconn: null, overcommit: null }, []],
  ])('%s', (_name, change, expected) =>
    expect(said(facts('limits', (value) => Object.assign(value, change)))).toEqual(expected),
  )
})

describe('certificates', () => {
  const inDays = (days: number): string =>
    new Date(NOW + days * DAY_MS).toISOString().slice(0, 19).replace('T', ' ')
  test.each<[string, 'acme' | 'uploaded', number, string | null, string[]]>([
    ['new', 'acme', 80, null, []],
    ['just due', 'acme', 29, null, []],
    [
      'due for days',
      'acme',
      20,
      'No answer.',
      [
        'warning certificate a.example has a certificate that runs out in 20 days and is overdue for renewal; the last try: No answer',
      ],
    ],
    [
      'nearly out',
      'acme',
      3,
      null,
      [
        'fault certificate a.example has a certificate that runs out in 3 days and is overdue for renewal',
      ],
    ],
    [
      'uploaded',
      'uploaded',
      25,
      null,
      [
        'warning certificate a.example has a certificate that runs out in 25 days and was uploaded, so that it is not renewed by itself',
      ],
    ],
    [
      'run out',
      'uploaded',
      -1,
      null,
      ['fault certificate a.example has a certificate that ran out at 2026-06-14 12:00:00'],
    ],
  ])('%s', (_name, source, days, last_error, expected) =>
    expect(
      said(soundFacts(NOW), {
        certificates: [{ domain: 'a.example', source, expires_at: inDays(days), last_error }],
      }),
    ).toEqual(expected),
  )
})

describe('backups', () => {
  const alice = {
    id: 1,
    username: 'alice',
    status: 'active',
  } as const
  const made = (created_at: string, location = 'local') => ({ account_id: 1, location, created_at })
  const failed = (created_at: string, location = 'local') => ({
    created_at,
    data: { account_id: 1, location },
  })
  test.each<[string, Partial<MachineRecords>, string[]]>([
    ['made today', { backups: [made('2026-06-15 03:00:00')] }, []],
    [
      'overdue',
      { overdue: new Set([1]), backups: [made('2026-06-13 23:00:00')] },
      ['fault backup alice has a backup that is overdue; the newest is of 2026-06-13 23:00:00'],
    ],
    [
      'never made',
      { overdue: new Set([1]) },
      ['fault backup alice has a backup that is overdue; there is none'],
    ],
    [
      'of one that is being made',
      { overdue: new Set([1]), accounts: [{ ...alice, status: 'creating' }] },
      [],
    ],
    ['never meant to be', { scheduled: false }, []],
    [
      'failed',
      { backups: [made('2026-06-14 03:00:00')], failed: [failed('2026-06-15 03:00:00')] },
      [
        'fault backup alice has a backup that failed at 2026-06-15 03:00:00; the newest is of 2026-06-14 03:00:00',
      ],
    ],
    [
      'failed, then made',
      { backups: [made('2026-06-15 04:00:00')], failed: [failed('2026-06-15 03:00:00')] },
      [],
    ],
    [
      'made here, not there',
      {
        backups: [made('2026-06-15 03:00:00')],
        failed: [failed('2026-06-15 03:01:00', 'offsite')],
      },
      [
        'fault backup alice has a backup that failed at 2026-06-15 03:01:00 on its way to offsite; the newest is of 2026-06-15 03:00:00',
      ],
    ],
  ])('%s', (_name, records, expected) =>
    expect(said(soundFacts(NOW), { accounts: [alice], ...records })).toEqual(expected),
  )
})
