import { MEGABYTE } from '../../../domain/text/megabyte.ts'
import type { MachineDisk, MachineFacts, MachinePackages } from '../../../ports/host/machine.ts'
import { shortageOf } from '../../doctor/doctor.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

const NAMED_PACKAGES = 6
const about = { accountId: null, to: 'everybody' } as const

const diskTrouble = (disk: MachineDisk): Trouble[] => {
  const key = `disk:${disk.mount}`
  const data = {
    mount: disk.mount,
    free_mb: Math.floor(disk.freeBytes / MEGABYTE),
    total_mb: Math.floor(disk.totalBytes / MEGABYTE),
  }
  if (disk.readOnly) return [{ key, message: 'disk.read_only', data, ...about }]
  const shortage = shortageOf(disk)
  if (shortage === null) return []
  return [{ key, message: shortage.level === 'fault' ? 'disk.full' : 'disk.low', data, ...about }]
}

const updateTrouble = ({ updates }: MachinePackages): Trouble[] => {
  const security = updates.filter((one) => one.security)
  const told = security.length > 0 ? security : updates
  if (told.length === 0) return []
  const names = told.slice(0, NAMED_PACKAGES).map(({ name, candidate }) => `${name} ${candidate}`)
  const more = told.length > names.length ? ', …' : ''
  return [
    {
      key: 'update:packages',
      message: security.length > 0 ? 'update.security' : 'update.available',
      data: { count: told.length, names: `${names.join(', ')}${more}` },
      ...about,
    },
  ]
}

/** What is wrong with the machine; what could not be looked at this time stays as it was. */
export const findMachine = ({ disks, packages }: MachineFacts): Found => ({
  scopes: [...(disks.seen ? ['disk:'] : []), ...(packages.seen ? ['update:'] : [])],
  troubles: [
    ...(disks.seen ? disks.value.flatMap(diskTrouble) : []),
    ...(packages.seen ? updateTrouble(packages.value) : []),
  ],
})
