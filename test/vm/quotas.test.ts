import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setUpQuotas } from '#adapters/node/install/quotas/set-up-quotas.ts'
import { undoQuotas } from '#adapters/node/install/quotas/undo-quotas.ts'
import { createFilesystemQuota } from '#adapters/node/machine/filesystem-quota.ts'
import { quotaState } from '#adapters/node/machine/quota-state.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'

const ALICE = 23_471
const MEGABYTE = 1_000_000
const FSTAB = '/etc/fstab'
const STATE = '/var/lib/berth-quotas'
const BEFORE = readFileSync(FSTAB, 'utf8')

/** A file system of its own, in a file. */
const disk = async (name: string, make: string, ...args: string[]): Promise<string> => {
  const [file, place] = [`/var/tmp/${name}.disk`, `/srv/${name}`]
  await mustRun('/usr/bin/truncate', ['--size=400M', '--', file])
  await mustRun(make, [...args, file])
  mkdirSync(place, { recursive: true })
  return place
}
const fileOf = (place: string): string => `/var/tmp/${place.split('/').at(-1)}.disk`
const mount = (place: string, options = 'loop'): Promise<unknown> =>
  mustRun('/usr/bin/mount', ['-o', options, '--', fileOf(place), place])
const unmount = (place: string): Promise<unknown> => mustRun('/usr/bin/umount', ['--', place])

/** How much of two megabytes a real user can write there, and what the kernel says then. */
const writeAs = async (place: string, uid = ALICE): Promise<{ bytes: number; said: string }> => {
  const home = `${place}/${uid}`
  mkdirSync(home, { recursive: true })
  chownSync(home, uid, uid)
  const { program, args } = asUser({ uid, gid: uid, groups: 'none' }, '/bin/dd', [
    ...['if=/dev/zero', `of=${home}/file`, 'bs=20000', 'count=100', 'conv=fsync'],
  ])
  const { stderr } = await runCommand(program, args)
  return { bytes: Number(/(\d+) bytes/.exec(stderr)?.[1]), said: stderr }
}
const expectHeld = async (place: string): Promise<void> => {
  const quota = createFilesystemQuota(place)
  expect(await quota.holds()).toBe(true)
  await quota.set(ALICE, 1)
  const { bytes, said } = await writeAs(place)
  // XFS counts in blocks of 4 KiB.
  expect(bytes).toBeLessThanOrEqual(MEGABYTE + 4096)
  expect(bytes).toBeGreaterThan(MEGABYTE / 2)
  expect(said).toMatch(/Disk quota exceeded/)
  expect((await writeAs(place, ALICE + 1)).bytes).toBe(2 * MEGABYTE)
  // Lifted: all of it.
  await quota.set(ALICE, 0)
  expect((await writeAs(place)).bytes).toBe(2 * MEGABYTE)
}
const expectNotHeld = async (place: string): Promise<void> => {
  expect(await createFilesystemQuota(place).holds()).toBe(false)
  expect((await writeAs(place)).bytes).toBe(2 * MEGABYTE)
}
const line = (place: string, type: string): void =>
  writeFileSync(FSTAB, `${BEFORE}${fileOf(place)} ${place} ${type} loop,nofail 0 0\n`)

beforeAll(() => {
  mkdirSync(STATE)
})
afterAll(() => writeFileSync(FSTAB, BEFORE))

describe('ext4 that counts by itself', () => {
  let place = ''
  beforeAll(async () => {
    const quota = ['-q', '-t', 'ext4', '-O', 'quota', '-E', 'quotatype=usrquota']
    place = await disk('counts', '/usr/sbin/mke2fs', ...quota)
    await mount(place)
  })
  afterAll(() => unmount(place))

  it('holds nobody until limits are switched on, though quotas are called on', async () => {
    const { stdout } = await runCommand('/usr/sbin/quotaon', ['-pu', place])
    expect(stdout).toContain('is on')
    expect(await quotaState(place)).toBe('counted')
    await mustRun('/usr/sbin/setquota', ['-u', '--', String(ALICE), '0', '100', '0', '0', place])
    await expectNotHeld(place)
  })

  it('holds when the installer has switched them on, also when it is mounted anew, until that is taken back', async () => {
    line(place, 'ext4')
    expect(await setUpQuotas(place, STATE)).toMatch(/keeps to disk quotas at \S+ from now on/)
    expect(readFileSync(FSTAB, 'utf8')).toContain(`${place} ext4 loop,nofail,usrquota`)
    await expectHeld(place)
    expect(await setUpQuotas(place, STATE)).toMatch(/keeps to disk quotas at \S+$/)
    await unmount(place)
    await mustRun('/usr/bin/mount', ['--', place])
    await expectHeld(place)
    expect(await undoQuotas(STATE)).toMatch(/no disk quotas/)
    expect(readFileSync(FSTAB, 'utf8')).not.toContain('usrquota')
    await expectNotHeld(place)
    expect(await undoQuotas(STATE)).toBeNull()
  })
})

describe('ext4 as an installation of Debian makes it', () => {
  let place = ''
  beforeAll(async () => {
    place = await disk('plain', '/usr/sbin/mke2fs', '-q', '-t', 'ext4', '-O', '^quota')
    await mount(place)
  })
  afterAll(() => unmount(place))

  it('holds nobody, also with the option alone', async () => {
    expect(await quotaState(place)).toBe('off')
    await mustRun('/usr/bin/mount', ['-o', 'remount,usrquota', '--', place])
    await expectNotHeld(place)
    await mustRun('/usr/bin/mount', ['-o', 'remount,noquota', '--', place])
  })

  it('is left as it is where its next start would not know', async () => {
    writeFileSync(FSTAB, BEFORE)
    expect(await setUpQuotas(place, STATE)).toMatch(/has no line for \/srv\/plain/)
    await expectNotHeld(place)
  })

  it('counts what is there, and holds from now on, while it is in use', async () => {
    line(place, 'ext4')
    await writeAs(place)
    expect(await setUpQuotas(place, STATE)).toMatch(/from now on \(usrjquota=aquota\.user/)
    const { stdout } = await runCommand('/usr/sbin/repquota', ['-un', place])
    // Two megabytes and a directory.
    expect(Number(new RegExp(`#${ALICE}\\s+\\S+\\s+(\\d+)`).exec(stdout)?.[1])).toBeGreaterThan(
      1900,
    )
    await expectHeld(place)
    expect(await undoQuotas(STATE)).toMatch(/no disk quotas/)
    expect(readFileSync(FSTAB, 'utf8')).not.toContain('quota')
    await expectNotHeld(place)
  })
})

describe('XFS', () => {
  let place = ''
  beforeAll(async () => {
    place = await disk('xfs', '/usr/sbin/mkfs.xfs', '-q')
  })
  afterAll(() => unmount(place))

  it('holds from the next mount on, and the installer says so', async () => {
    await mount(place)
    line(place, 'xfs')
    expect(await setUpQuotas(place, STATE)).toMatch(/when it is mounted anew/)
    await expectNotHeld(place)
    await unmount(place)
    await mustRun('/usr/bin/mount', ['--', place])
    await expectHeld(place)
    expect(await undoQuotas(STATE)).not.toBeNull()
    expect(readFileSync(FSTAB, 'utf8')).not.toContain('uquota')
  })

  it('that only counts holds nobody', async () => {
    await unmount(place)
    await mount(place, 'loop,uqnoenforce')
    expect(await quotaState(place)).toBe('counted')
    await expectNotHeld(place)
    expect(await setUpQuotas(place, STATE)).toMatch(/uqnoenforce/)
  })
})
