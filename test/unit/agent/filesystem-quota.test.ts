import { expect, test } from 'vitest'
import { tellQuotas } from '#adapters/node/agent/limits/tell-quotas.ts'
import {
  createFilesystemQuota,
  quotaMount,
  setquotaArgs,
} from '#adapters/node/machine/filesystem-quota.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
30 22 8:2 / /home rw,relatime shared:2 - ext4 /dev/sda2 rw,quota,usrquota
31 22 8:3 / /srv/my\\040sites rw - xfs /dev/sdb1 rw,attr2,usrquota
32 30 8:4 / /home/plain rw - ext4 /dev/sdc1 rw
33 22 8:5 / /srv/counted rw - xfs /dev/sdd1 rw,uqnoenforce
`

test.each([
  ['/home/bob', '/home'],
  ['/home', '/home'],
  ['/homes/bob', null],
  ['/var/lib', null],
  ['/home/plain/bob', null],
  ['/srv/my sites/bob', '/srv/my sites'],
  // XFS counts there, and holds nobody.
  ['/srv/counted/bob', null],
])('user quotas at %s are those of %s', (path, mount) => {
  expect(quotaMount(MOUNTS, path)).toBe(mount)
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
      mountinfo: async () => MOUNTS,
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
  expect(ran).toEqual([['/usr/sbin/setquota', '-u', '--', '20001', '0', '0', '0', '0', '/home']])
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
