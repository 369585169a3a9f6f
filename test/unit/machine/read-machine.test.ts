import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createClockWatch } from '#adapters/node/agent/machine/clock-watch.ts'
import { measureTree } from '#adapters/node/agent/machine/measure-tree.ts'
import { mountOf, parseMounts } from '#adapters/node/machine/mounts.ts'
import { childrenOf } from '#adapters/node/agent/machine/read-children.ts'
import { fromChrony, fromTimedatectl } from '#adapters/node/agent/machine/read-clock.ts'
import { openFilesLimitOf, threadsOf } from '#adapters/node/agent/machine/read-limits.ts'
import { killedOf, memoryOf, stalledPercentOf } from '#adapters/node/agent/machine/read-memory.ts'
import {
  createPackageReader,
  parseInstalled,
  parsePolicy,
} from '#adapters/node/agent/machine/read-packages.ts'
import { look } from '#adapters/node/agent/machine/seen.ts'

describe('mounts', () => {
  const mounts = parseMounts(
    [
      '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '28 27 254:1 / /home rw,nosuid shared:1 master:2 - xfs /dev/vdb rw',
      '29 27 0:40 / /mnt/with\\040blank ro - tmpfs tmpfs rw',
      '30 27 0:41 / /home rw - tmpfs over rw',
      '31 27 254:0 /srv /srv rw - ext4 /dev/vda rw',
      '32 27 254:0 /var /var ro - ext4 /dev/vda rw',
      '33 27 254:2 / /broken rw - ext4 /dev/vdc ro,errors=remount-ro',
      'no mount at all',
      '',
    ].join('\n'),
  )
  test('the later of two at one place counts, and names are read as they are', () => {
    expect(mounts.map(({ mount, type, readOnly }) => `${mount} ${type} ${readOnly}`)).toEqual([
      '/ ext4 false',
      '/mnt/with blank tmpfs false',
      '/home tmpfs false',
      '/srv ext4 false',
      '/var ext4 false',
      '/broken ext4 true',
    ])
  })
  test.each([
    ['/home/alice', '/home'],
    ['/homes', '/'],
    ['/home', '/home'],
    // Bound where a service may write: it is the same disk.
    ['/srv/alice', '/'],
  ])('%s lies on %s', (path, expected) => expect(mountOf(path, mounts)?.mount).toBe(expected))
})

describe('memory', () => {
  const meminfo =
    'MemTotal:        8000 kB\nMemAvailable:    4000 kB\nSwapTotal:       100 kB\nSwapFree:         50 kB\nInactive(file):   10 kB\n'
  test('of the machine, and of a container within it', () => {
    expect(memoryOf(meminfo, null)).toEqual({
      totalBytes: 8_192_000,
      availableBytes: 4_096_000,
      swapTotalBytes: 102_400,
      swapFreeBytes: 51_200,
    })
    expect(memoryOf(meminfo, { limit: 1_000_000, used: 900_000 })).toMatchObject({
      totalBytes: 1_000_000,
      availableBytes: 100_000 + 10_240,
    })
  })
  test('pressure and kills', () => {
    expect(
      stalledPercentOf('some avg300=9.00\nfull avg10=0.00 avg60=1.00 avg300=12.60 total=5'),
    ).toBe(13)
    expect([stalledPercentOf(null), killedOf(null), killedOf('a 1\noom_kill 7\nb 2\n')]).toEqual([
      null,
      null,
      7,
    ])
  })
})

test('limits', () => {
  expect(openFilesLimitOf('Limit  Soft\nMax open files            1024   4096   files\n')).toBe(
    1024,
  )
  expect([openFilesLimitOf('Max open files  unlimited x'), openFilesLimitOf(null)]).toEqual([
    null,
    null,
  ])
  expect([threadsOf('0.1 0.2 0.3 2/345 99\n'), threadsOf('')]).toEqual([345, null])
})

describe('the clock', () => {
  test('what timedatectl and chrony say', () => {
    expect(fromTimedatectl('NTP=yes\nNTPSynchronized=yes\n')).toMatchObject({ synchronised: true })
    expect(fromTimedatectl('NTP=no\nNTPSynchronized=no\n')).toMatchObject({
      synchronised: false,
      source: expect.stringContaining('no time service is on'),
    })
    expect(fromTimedatectl('')).toBeNull()
    const line = 'C0,1.2.3.4,2,1.0,0,0,0,0,0,0,0,0,64.0'
    expect(fromChrony(`${line},Normal\n`)).toMatchObject({ synchronised: true })
    expect(fromChrony(`${line},Not synchronised\n`)).toMatchObject({ synchronised: false })
    expect(fromChrony('506 Cannot talk to daemon')).toBeNull()
  })
  test('jumps are noted with their size, a slow correction is not', () => {
    let [wall, even] = [1_000_000, 0]
    const watch = createClockWatch({ wallMs: () => wall, evenMs: () => even })
    const pass = (wallMs: number, evenMs = wallMs) => {
      wall += wallMs
      even += evenMs
      return watch.check()
    }
    try {
      expect(pass(30_000)).toEqual([])
      expect(pass(30_500, 30_000)).toEqual([])
      expect(pass(90_000, 30_000)).toEqual([{ atMs: wall, secs: 60 }])
      expect(pass(-3_570_000, 30_000)).toMatchObject([{ secs: 60 }, { secs: -3600 }])
    } finally {
      watch.stop()
    }
  })
})

describe('packages', () => {
  const policy = `libc6:
  Installed: 2.36-9
  Candidate: 2.36-9
  Version table:
 *** 2.36-9 500
        500 http://deb.debian.org/debian bookworm/main amd64 Packages
        100 /var/lib/dpkg/status
php8.2-fpm:
  Installed: 8.2.1-1
  Candidate: 8.2.2-1+deb12u1
  Version table:
     8.2.2-1+deb12u1 500
        500 http://security.debian.org/debian-security bookworm-security/main amd64 Packages
     8.2.1-2 500
        500 http://deb.debian.org/debian bookworm/main amd64 Packages
 *** 8.2.1-1 100
        100 /var/lib/dpkg/status
logrotate:
  Installed: 3.21.0-1
  Candidate: 3.21.0-2
  Version table:
     3.21.0-2 500
        500 http://deb.debian.org/debian bookworm/main amd64 Packages
 *** 3.21.0-1 100
        100 /var/lib/dpkg/status
gone:
  Installed: (none)
  Candidate: 1
  Version table:
`
  test('what is pending, and whether it comes from an archive of security updates', () => {
    expect(parsePolicy(policy)).toEqual([
      { name: 'php8.2-fpm', installed: '8.2.1-1', candidate: '8.2.2-1+deb12u1', security: true },
      { name: 'logrotate', installed: '3.21.0-1', candidate: '3.21.0-2', security: false },
    ])
    expect(parsePolicy('')).toEqual([])
  })
  test('only what is installed and needed is asked about', () => {
    expect(
      parseInstalled(
        'php8.2-fpm installed\nphp8.2-gd config-files\nvim installed\nlibc6 installed\n',
      ),
    ).toEqual(['php8.2-fpm', 'libc6'])
  })
  test('one question is asked for all who wait, and a failure is forgotten', async () => {
    let asked = 0
    const answer = { listedAtMs: 1, securityListed: true, updates: [] }
    const read = createPackageReader(async () => {
      if (++asked === 1) throw new Error('apt is busy')
      return answer
    })
    await expect(Promise.all([read(), read()])).rejects.toThrow('apt is busy')
    expect(await Promise.all([read(), read()])).toEqual([answer, answer])
    expect(asked).toBe(2)
  })
})

test('what takes too long or fails is not seen, with the reason', async () => {
  expect(await look(() => new Promise(() => undefined), 1)).toEqual({
    seen: false,
    reason: 'no answer within 0.001 s',
  })
  expect(await look(() => Promise.reject(new Error('no such thing')))).toEqual({
    seen: false,
    reason: 'no such thing',
  })
})

test('ends of processes are forgotten after a day', () => {
  const now = 1_800_000_000_000
  const ends = [now - 86_400_001, now - 1].map((atMs) => ({ atMs, how: 'x' }))
  const state = { started: {}, ports: [], children: [{ name: 'web', running: true, ends }] }
  expect(childrenOf(state, now)[0]?.ends).toEqual(ends.slice(1))
  expect(() => childrenOf(null, now)).toThrow('no supervisor')
})

describe('counting a tree', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bmeasure-'))
    mkdirSync(join(directory, 'in/a'), { recursive: true })
    mkdirSync(join(directory, 'out'))
    writeFileSync(join(directory, 'in/a/file'), 'x'.repeat(100_000))
    writeFileSync(join(directory, 'out/secret'), 'x'.repeat(1_000_000))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))
  const budget = (files: number) => ({ files, untilMs: performance.now() + 5000 })

  test('links lead nowhere, at the root neither', async () => {
    symlinkSync('../out', join(directory, 'in/link'))
    const { bytes, files, complete } = await measureTree(join(directory, 'in'), budget(100))
    expect([files, complete]).toEqual([3, true])
    expect(bytes).toBeGreaterThanOrEqual(100_000)
    expect(bytes).toBeLessThan(500_000)
    symlinkSync('out', join(directory, 'root'))
    expect(await measureTree(join(directory, 'root'), budget(100))).toMatchObject({
      bytes: 0,
      files: 0,
    })
  })
  test('it ends where the budget does, and says so', async () => {
    for (let i = 0; i < 20; i++) writeFileSync(join(directory, `in/a/${i}`), '')
    expect(await measureTree(join(directory, 'in'), budget(5))).toMatchObject({
      files: 5,
      complete: false,
    })
    expect(await measureTree(join(directory, 'in'), { files: 100, untilMs: 0 })).toMatchObject({
      files: 0,
      complete: false,
    })
  })
  test('what is not there takes nothing', async () => {
    expect(await measureTree(join(directory, 'none'), budget(5))).toEqual({
      bytes: 0,
      files: 0,
      complete: true,
    })
  })
})
