import { MEGABYTE } from '../../../domain/text/megabyte.ts'
import type {
  MachineChild,
  MachineDatabaseServer,
  MachineDisk,
  MachineFacts,
  MachinePackages,
} from '../../../ports/host/machine.ts'
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

/** A process that ended so often within `RECENT_MS` fails still, whether it runs at the moment or not. */
const REPEATED = 3
const RECENT_MS = 10 * 60_000
/** It may just be started again. */
const RESTART_MS = 30_000

const childTrouble = ({ name, running, ends }: MachineChild, nowMs: number): Trouble[] => {
  const last = ends.at(-1)
  const recent = ends.filter(({ atMs }) => nowMs - atMs <= RECENT_MS).length
  const isDown = !running && (last === undefined || nowMs - last.atMs > RESTART_MS)
  if (!isDown && recent < REPEATED) return []
  const data = { name, why: last?.how ?? '' }
  return [{ key: `service:${name}`, message: 'machine.service', data, ...about }]
}

const ENGINES = { mariadb: 'MariaDB', mysql: 'MySQL', postgresql: 'PostgreSQL' } as const

const databaseTrouble = ({ engine, unreachable }: MachineDatabaseServer): Trouble[] => {
  if (unreachable === null) return []
  const data = { name: ENGINES[engine], why: unreachable }
  return [{ key: `database:${engine}`, message: 'machine.service', data, ...about }]
}

/** What is wrong with the machine; what could not be looked at this time stays as it was. */
export const findMachine = (
  { disks, packages, children, databaseServers }: MachineFacts,
  nowMs: number,
): Found => ({
  scopes: [
    ...(disks.seen ? ['disk:'] : []),
    ...(packages.seen ? ['update:'] : []),
    ...(children.seen ? ['service:'] : []),
    ...(databaseServers.seen ? ['database:'] : []),
  ],
  troubles: [
    ...(disks.seen ? disks.value.flatMap(diskTrouble) : []),
    ...(packages.seen ? updateTrouble(packages.value) : []),
    ...(children.seen ? children.value.flatMap((one) => childTrouble(one, nowMs)) : []),
    ...(databaseServers.seen ? databaseServers.value.flatMap(databaseTrouble) : []),
  ],
})
