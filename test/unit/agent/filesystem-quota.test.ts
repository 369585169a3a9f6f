import { expect, test } from 'vitest'
import { tellQuotas } from '#adapters/node/agent/limits/tell-quotas.ts'
import { createFilesystemQuota, setquotaArgs } from '#adapters/node/machine/filesystem-quota.ts'
import { parseMounts } from '#adapters/node/machine/mounts.ts'
import { quotaState, quotaStateOf } from '#adapters/node/machine/quota-state.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const MOUNTS = parseMounts(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,usrquota
30 22 8:2 / /home rw,relatime shared:2 - ext4 /dev/sda2 rw
31 22 8:3 / /disk rw - xfs /dev/sdb1 rw
32 22 8:3 /srv /srv rw - xfs /dev/sdb1 rw
`)

test.each([
  ['0', 'off'],
  ['1', 'counted'],
  ['3', 'held'],
  // Of groups and projects alone.
  ['60', 'off'],
  ['', 'off'],
])('flags %j mean %s', (flags, state) => {
  expect(quotaStateOf(flags)).toBe(state)
})

test('where the kernel knows nothing of quotas, and where nothing is, they are off', async () => {
  expect(await quotaState('/proc')).toBe('off')
  expect(await quotaState('/nowhere')).toBe('off')
})

test('the limit is hard, in KiB, by uid', () => {
  expect(setquotaArgs(20001, 500, '/home')).toEqual([
    '-u',
    '--',
    '20001',
    '0',
    '488282',
    '0',
    '0',
    '/home',
  ])
})

test('the kernel holds where the file system keeps quotas and the tool is there, else nobody is asked', async () => {
  const ran: string[][] = []
  let code = 0
  const quotaOf = (home: string, installed = true) =>
    createFilesystemQuota(home, {
      mounts: () => MOUNTS,
      state: async (directory) => (directory.startsWith('/var') ? 'counted' : 'held'),
      isInstalled: async () => installed,
      run: async (program, args) => {
        ran.push([program, ...args])
        return { code, stdout: '', stderr: 'no quota' }
      },
    })
  for (const none of [quotaOf('/var/lib'), quotaOf('/home', false)]) {
    expect(await none.holds()).toBe(false)
    await none.set(20001, 500)
  }
  expect(ran).toEqual([])
  expect(await quotaOf('/home').holds()).toBe(true)
  await quotaOf('/home').set(20001, 0)
  // The tool finds no device for a part of a file system.
  await quotaOf('/srv').set(20001, 0)
  expect(ran).toEqual(
    ['/home', '/disk'].map((mount) => [
      ...['/usr/sbin/setquota', '-u', '--', '20001', '0', '0', '0', '0', mount],
    ]),
  )
  code = 1
  await expect(quotaOf('/home').set(20001, 1)).rejects.toThrow('no quota')
})

test('the kernel is told the quotas of all accounts, those after one that it refuses too', async () => {
  const told: [number, number][] = []
  const log = createRecordingLog()
  const quota = (isThere: boolean) => ({
    holds: async () => isThere,
    set: async (uid: number, mb: number) => {
      if (uid === 1) throw new Error('refused')
      told.push([uid, mb])
    },
  })
  const accounts = [
    { username: 'alice', uid: 1, diskQuotaMb: 5 },
    { username: 'bobby', uid: 2, diskQuotaMb: 0 },
  ]
  await tellQuotas(accounts, quota(false), log)
  expect(told).toEqual([])
  await tellQuotas(accounts, quota(true), log)
  expect(told).toEqual([[2, 0]])
  expect(log.lines.join()).toContain('alice')
})
