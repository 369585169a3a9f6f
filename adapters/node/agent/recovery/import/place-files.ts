import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Member } from '#handlers/domain/recovery/export-manifest.ts'
import { parseMemberName, type Place } from '#handlers/domain/recovery/member-name.ts'
import { allOff } from '#handlers/domain/recovery/switch-off.ts'
import { recoveryDirectory } from '../../../layout/recovery-files.ts'
import { hooksOff } from '../../../layout/unconfirmed.ts'
import { isIncluded } from '../../../layout/hand-written.ts'
import type { ImportJournal } from './import-journal.ts'
import type { OwnerNames } from '../owner-names.ts'
import {
  frontCertificatesDirectory,
  frontSitesDirectory,
} from '../../../layout/front-directories.ts'
import { linkDirectory } from '../../../layout/link-directory.ts'
import { writeWhole } from '../../../layout/write-whole.ts'
import { channelDirectory } from '../../../web-channel/channel-files.ts'

/** Cron tables lie there until the machine is said to be the live one. */
export const heldCron = ({ paths }: Pick<ServerConfig, 'paths'>): string =>
  join(recoveryDirectory(paths), 'cron')

/** Files from outside of the configuration's directory that are put by hand. */
export const leftNamed = ({ paths }: Pick<ServerConfig, 'paths'>): string =>
  join(recoveryDirectory(paths), 'named')

/** Where files that the configuration names may lie besides its own directory. */
const NAMED_BELOW = ['/etc/ssl/', '/etc/berth/']

interface Room {
  directory: string
  mode: number
  group: 'root' | 'web'
}

/** Places with a directory of their own, which this makes with its owner. */
const roomsOf = (config: ServerConfig): Partial<Record<Place, Room>> => ({
  secrets: { directory: config.paths.secrets_dir, mode: 0o711, group: 'root' },
  certificates: { directory: config.ssl.directory, mode: 0o750, group: 'web' },
  agent: { directory: join(config.paths.state_dir, 'agent'), mode: 0o700, group: 'root' },
  hooks: { directory: hooksOff(config), mode: 0o755, group: 'root' },
  cron: { directory: heldCron(config), mode: 0o700, group: 'root' },
  config: { directory: dirname(config.file), mode: 0o755, group: 'root' },
})

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`)

/** What has its own way in: a file of the configuration's directory must not come past it. */
const guarded = ({ paths, hooks, ssl, file }: ServerConfig): string[] => [
  paths.secrets_dir,
  paths.vhosts_dir,
  paths.home_base,
  paths.install_dir,
  join(paths.state_dir, 'agent'),
  join(paths.state_dir, 'panel'),
  linkDirectory(paths),
  channelDirectory(paths.state_dir),
  frontSitesDirectory(paths),
  frontCertificatesDirectory(paths),
  ssl.directory,
  hooks.directory,
  file,
]

/**
 * Puts the files of an export into their places, each whole and with its owner, hosts
 * by hand off. The main configuration and the databases are not among them. May be
 * done again after a break.
 */
export const placeFiles = (
  journal: ImportJournal,
  config: ServerConfig,
  owners: OwnerNames,
): void => {
  const rooms = roomsOf(config)
  const closed = guarded(config)
  const isClosed = (path: string): boolean => closed.some((one) => isBelow(path, one))

  const makeParents = (file: string, { directory, mode, group }: Room): void => {
    const missing: string[] = []
    for (let path = dirname(file); isBelow(path, directory); path = dirname(path))
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) missing.unshift(path)
    for (const path of missing) {
      mkdirSync(path, { recursive: true, mode })
      chownSync(path, 0, owners.gid(group))
      chmodSync(path, mode)
    }
  }
  const write = (member: Member, target: string, room: Room, text: Uint8Array | string): void => {
    makeParents(target, room)
    const owner = { uid: owners.uid(member.user), gid: owners.gid(member.group) }
    writeWhole(target, text, { mode: member.mode, owner })
  }
  const leave = (member: Member, path: string, content: Uint8Array): void => {
    const directory = leftNamed(config)
    const kept = join(directory, basename(member.name))
    write(member, kept, { directory, mode: 0o700, group: 'root' }, content)
    journal.skip(`${path} was not written: put ${kept} there yourself if it is wanted`)
  }

  for (const member of journal.manifest.members) {
    const name = parseMemberName(member.name)
    const staged = journal.files.get(member.name)
    if (name === null || staged === undefined) continue
    const { place, path } = name
    if (place === 'named') {
      const target = member.path ?? ''
      const content = readFileSync(staged)
      const free = lstatSync(target, { throwIfNoEntry: false }) === undefined
      const allowed = [...NAMED_BELOW, `${dirname(config.file)}/`].some((one) =>
        target.startsWith(one),
      )
      if (!allowed || !free || isClosed(target)) leave(member, target, content)
      else
        write(member, target, { directory: dirname(target), mode: 0o755, group: 'root' }, content)
      continue
    }
    const room = rooms[place]
    if (room === undefined) continue
    const target = join(room.directory, path)
    if (place === 'config') {
      if (target === config.file) continue
      if (isClosed(target)) {
        journal.skip(`${target} was not written: it is no file of the configuration`)
        continue
      }
      const text = readFileSync(staged)
      write(member, target, room, isIncluded(config, target) ? allOff(text.toString()) : text)
    } else if (place === 'agent' && path.startsWith('registry.db')) continue
    else write(member, target, room, readFileSync(staged))
  }
}
