import { expect, test } from 'vitest'
import { quotaMount, setquotaArgs } from '#adapters/node/machine/filesystem-quota.ts'

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
30 22 8:2 / /home rw,relatime shared:2 - ext4 /dev/sda2 rw,quota,usrquota
31 22 8:3 / /srv/my\\040sites rw - xfs /dev/sdb1 rw,attr2,usrquota
32 30 8:4 / /home/plain rw - ext4 /dev/sdc1 rw
`

test.each([
  ['/home/bob', '/home'],
  ['/home', '/home'],
  ['/homes/bob', null],
  ['/var/lib', null],
  ['/home/plain/bob', null],
  ['/srv/my sites/bob', '/srv/my sites'],
])('user quotas at %s are those of %s', (path, mount) => {
  expect(quotaMount(MOUNTS, path)).toBe(mount)
})

test('the limit is hard, in KiB, by uid', () => {
  expect(setquotaArgs(20001, 500, '/home')).toEqual([
    '-u',
    '--',
    '20001',
    '0',
    '512000',
    '0',
    '0',
    '/home',
  ])
})
