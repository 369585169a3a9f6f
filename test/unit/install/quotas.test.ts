import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addOptions, asksForQuotas, removeOptions } from '#adapters/node/machine/fstab.ts'
import {
  forgetQuotaRecord,
  readQuotaRecord,
  writeQuotaRecord,
} from '#adapters/node/install/quotas/quota-record.ts'
import { quotaWay } from '#adapters/node/install/quotas/quota-ways.ts'

const FSTAB = `# /home was on /dev/sdb1
UUID=0-1 /               ext4    errors=remount-ro 0       1
/dev/sdb1\t/home\txfs\tdefaults\t0 2
LABEL=x /srv/my\\040sites ext4 defaults
/dev/sdc1 none swap sw 0 0
`

test('options are added to the line of a mount point alone, once, and taken away again', () => {
  const added = addOptions(FSTAB, '/home', ['uquota'])
  expect(added).toBe(FSTAB.replace('xfs\tdefaults', 'xfs\tdefaults,uquota'))
  expect(addOptions(added ?? '', '/home', ['uquota'])).toBe(added)
  expect(removeOptions(added ?? '', '/home', ['uquota'])).toBe(FSTAB)
  expect(addOptions(FSTAB, '/srv/my sites', ['a', 'b'])).toContain(
    '/srv/my\\040sites ext4 defaults,a,b\n',
  )
  expect(removeOptions('/dev/x / ext4 uquota 0 1', '/', ['uquota'])).toBe(
    '/dev/x / ext4 defaults 0 1',
  )
})

test('where no line is about a mount point, nothing is', () => {
  expect(addOptions(FSTAB, '/var', ['uquota'])).toBeNull()
  expect(addOptions('', '/', ['uquota'])).toBeNull()
  expect(removeOptions('# /dev/x / ext4 uquota 0 1', '/', ['uquota'])).toBeNull()
})

test.each([
  ['uquota', true],
  ['defaults,usrquota', true],
  ['usrjquota=aquota.user,jqfmt=vfsv1', true],
  ['noquota,grpquota,usrjquota=,prjquota', false],
  ['defaults', false],
])('the options %s ask for quotas of users: %s', (options, asks) => {
  const fstab = `/dev/x /srv ext4 usrquota 0 0\n/dev/y /home xfs ${options} 0 0\n`
  expect(asksForQuotas(fstab, '/home')).toBe(asks)
  expect(asksForQuotas(fstab, '/var')).toBe(false)
})

const ROOT = { mount: '/', device: '8:1', type: 'ext4', root: '/', readOnly: false }
test.each([
  [{}, 'off', { now: true, file: 'aquota.user', remount: true }],
  [{}, 'counted', { now: true, file: null, options: ['usrquota'], remount: false }],
  [{ type: 'xfs', mount: '/home' }, 'off', { now: false, file: null, options: ['uquota'] }],
] as const)('%j, whose quotas are %s, can keep to them', (mount, state, way) => {
  expect(quotaWay({ ...ROOT, ...mount }, state)).toMatchObject(way)
})
test.each([
  [{ type: 'xfs' }, 'off', /rootflags=uquota/],
  [{ type: 'xfs', mount: '/home' }, 'counted', /uqnoenforce/],
  [{ type: 'btrfs' }, 'off', /btrfs at \/ keeps no user quotas/],
  [{ root: '/volumes/x' }, 'off', /container/],
  [{ readOnly: true }, 'off', /read-only/],
] as const)('of %j, whose quotas are %s, it is said why not', (mount, state, reason) => {
  expect(quotaWay({ ...ROOT, ...mount }, state)).toMatch(reason)
})

test('what was changed is noted until it is taken back; what nobody wrote says nothing', () => {
  const directory = mkdtempSync(join(tmpdir(), 'quotas-'))
  try {
    const made = { mount: '/', options: ['usrquota'], file: 'aquota.user', on: true }
    expect(readQuotaRecord(directory)).toBeNull()
    writeQuotaRecord(directory, made)
    expect(readQuotaRecord(directory)).toEqual(made)
    forgetQuotaRecord(directory)
    expect(readQuotaRecord(directory)).toBeNull()
    for (const text of ['', '{}', '[]', JSON.stringify({ ...made, file: '../x' })]) {
      writeFileSync(join(directory, 'quotas-of-install.json'), text)
      expect(readQuotaRecord(directory)).toBeNull()
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
})
