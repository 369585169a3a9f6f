import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { accountTmp } from '../../../process/account-rooms.ts'
import { tenantLimits } from '../../../process/as-user.ts'
import { writeWhole } from '../../../layout/write-whole.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import type { JailRoom } from '../jail-room.ts'
import type { RoomMode } from './login-program.ts'
import { LIMITS_FILE, MODE_FILE, OWN_PLACE, PHP_PLACE, SHARED_PLACE } from './login-program.ts'
import { PARTS, SHARED_ETC, type SharedParts } from './shared-parts.ts'

/** Below the link, beside the jails. */
export const ROOMS = 'rooms'

export interface ShellRoomsDeps {
  room: () => JailRoom | null
  parts: SharedParts
  /** Holds the `/tmp` of each account, as its programs have it otherwise. */
  tmp: string
  /** Directories with sockets of database servers. */
  sockets: readonly string[]
  /** The binary of PHP on the command line; null: there is none. */
  phpBinary(version: string | null): Promise<string | null>
}

/** Directories of root in which accounts have what a shell needs, and of the machine nothing else. */
export interface ShellRooms {
  /** For this process; null: there is none. */
  pathOf(username: string): string | null
  open(account: RegisteredAccount, mode: RoomMode): Promise<void>
  /** From now on nobody gets in; what is there stays to be ended. Answers its path since; null: there was none. */
  shut(username: string): Promise<string | null>
  /** Takes away what `shut` left. */
  clear(shut: string): Promise<void>
  /** The account's limits and PHP, and the sockets of database servers, as they are now. */
  renew(account: RegisteredAccount): Promise<void>
  forgetAll(): void
}

interface OpenRoom {
  path: string
  /** In the order in which they were mounted. */
  mounted: string[]
  php: string | null | undefined
  limits: string
}

const ROOT_NAMES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
const READ_ONLY = ['ro', 'nosuid', 'nodev']
const HOME_FLAGS = ['nosuid', 'nodev']
const idOf = (path: string): string | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}
const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`)
/** What Berth makes in a room, where no home can be. */
const TAKEN = [
  ...['/tmp', '/var/tmp', '/var/run', '/usr', '/dev', '/proc', '/etc', OWN_PLACE],
  ...ROOT_NAMES.map((name) => `/${name}`),
]

/** Removes a tree of root's, and of what lies on another file system nothing. */
const removeTree = async (path: string, dev: number): Promise<void> => {
  const stat = await lstat(path)
  if (stat.dev !== dev) return
  if (!stat.isDirectory()) return unlink(path)
  for (const name of await readdir(path)) await removeTree(join(path, name), dev)
  await rmdir(path)
}

export const createShellRooms = (deps: ShellRoomsDeps): ShellRooms => {
  const open = new Map<string, OpenRoom>()
  let serial = 0

  const putPhp = async (one: OpenRoom, account: RegisteredAccount): Promise<void> => {
    if (one.php === account.phpVersion) return
    const link = join(one.path, PHP_PLACE, 'php')
    const binary = await deps.phpBinary(account.phpVersion)
    await rm(link, { force: true })
    if (binary !== null) await symlink(binary, link)
    one.php = account.phpVersion
  }
  const putLimits = (one: OpenRoom, account: RegisteredAccount): void => {
    const limits = tenantLimits(account.limits)
      .map((line) => `${line}\n`)
      .join('')
    if (limits === one.limits) return
    writeWhole(join(one.path, LIMITS_FILE), limits, { mode: 0o644 })
    one.limits = limits
  }
  const mountIn =
    (room: JailRoom, one: OpenRoom, below: string) =>
    async (source: string, target: string, how: Parameters<JailRoom['mount']>[2]) => {
      await mkdir(join(one.path, target), { recursive: true, mode: 0o755 })
      await room.mount(source, join(below, target), how)
      one.mounted.push(target)
    }
  /** A server that starts again may have made its directory anew. */
  const putSockets = async (room: JailRoom, one: OpenRoom, below: string): Promise<void> => {
    const mount = mountIn(room, one, below)
    for (const given of deps.sockets) {
      if (!existsSync(given)) continue
      const source = realpathSync(given)
      if (idOf(source) === idOf(join(one.path, source))) continue
      if (one.mounted.includes(source)) await room.unmount(join(below, source))
      one.mounted = one.mounted.filter((target) => target !== source)
      await mount(source, source, { flags: [...READ_ONLY, 'noexec'] })
    }
  }
  const fill = async (room: JailRoom, one: OpenRoom, account: RegisteredAccount, below: string) => {
    const { username, uid, gid, home } = account
    const at = (name: string): string => join(one.path, name)
    const part = (name: string): string => join(room.top, PARTS, name)
    const mount = mountIn(room, one, below)
    for (const name of ['etc', 'var', OWN_PLACE, PHP_PLACE])
      await mkdir(at(name), { recursive: true, mode: 0o755 })
    await symlink('../run', at('var/run'))
    await symlink('../tmp', at('var/tmp'))
    for (const name of ROOT_NAMES) {
      const own = `/${name}`
      if (!existsSync(own)) continue
      if (lstatSync(own).isSymbolicLink()) await symlink(readlinkSync(own), at(name))
      else await mount(own, own, { flags: READ_ONLY })
    }
    for (const name of ['usr', 'dev']) await mount(part(name), name, { recursive: true })
    await mount('devpts', 'dev/pts', {
      type: 'devpts',
      flags: ['newinstance', 'ptmxmode=0666', 'mode=0620', `gid=${gid}`, 'nosuid', 'noexec'],
    })
    await mount(part('proc'), 'proc', { recursive: true })
    await mount(part('shared'), SHARED_PLACE, { recursive: true })
    await mount(accountTmp(deps.tmp, uid, gid), 'tmp', { flags: HOME_FLAGS })
    for (const name of SHARED_ETC) await symlink(`${SHARED_PLACE}/etc/${name}`, at(`etc/${name}`))
    await writeFile(at('etc/passwd'), `${username}:x:${uid}:${gid}::${home}:/bin/bash\n`)
    await writeFile(at('etc/group'), `${username}:x:${gid}:\n`)
    putLimits(one, account)
    await putPhp(one, account)
    await putSockets(room, one, below)
    await mount(home, home, { flags: HOME_FLAGS })
    const [own, there] = await Promise.all([lstat(home), lstat(at(home))])
    if (own.dev !== there.dev || own.ino !== there.ino || there.uid !== uid || !there.isDirectory())
      throw new Error(`what was mounted at ${at(home)} is not the home of ${username}`)
  }
  const belowOf = (room: JailRoom, path: string): string => path.slice(room.top.length + 1)
  /** What is mounted goes first; then what is left is root's and in memory. */
  const clearRoom = async (room: JailRoom, path: string, mounted: readonly string[]) => {
    // Nothing is removed through a mount that would not go: this throws then.
    for (const target of [...mounted].reverse())
      await room.unmount(join(belowOf(room, path), target))
    await removeTree(path, (await lstat(path)).dev)
  }
  const shutRooms = new Map<string, OpenRoom>()

  return {
    pathOf: (username) => open.get(username)?.path ?? null,
    async open(account, mode) {
      const { username, gid, home, uid } = account
      const room = deps.room()
      if (room === null || open.has(username)) return
      if (TAKEN.some((place) => isBelow(home, place)))
        throw new Error(`${home} lies where a room has something else, so there can be no shell.`)
      const stat = await lstat(home)
      if (!stat.isDirectory() || stat.uid !== uid)
        throw new Error(`${home} is not the home of ${username}`)
      await deps.parts.make(room)
      const below = join(ROOMS, username)
      const one: OpenRoom = { path: join(room.top, below), mounted: [], php: undefined, limits: '' }
      await mkdir(dirname(one.path), { recursive: true, mode: 0o711 })
      await chmod(dirname(one.path), 0o711)
      await mkdir(one.path, { mode: 0o700 })
      try {
        await fill(room, one, account, below)
        await writeFile(join(one.path, MODE_FILE), `${mode}\n`, { mode: 0o644 })
        await chown(one.path, 0, gid)
        await chmod(one.path, 0o750)
      } catch (error) {
        await clearRoom(room, one.path, one.mounted)
        throw error
      }
      open.set(username, one)
    },
    async shut(username) {
      const room = deps.room()
      const one = open.get(username)
      if (room === null || one === undefined) return null
      open.delete(username)
      const path = join(room.top, `${ROOMS}-shut-${(serial += 1)}`)
      await rename(one.path, path)
      shutRooms.set(path, { ...one, path })
      return path
    },
    async clear(path) {
      const room = deps.room()
      const one = shutRooms.get(path)
      if (room === null || one === undefined) return
      await clearRoom(room, path, one.mounted)
      shutRooms.delete(path)
    },
    async renew(account) {
      const room = deps.room()
      const one = open.get(account.username)
      if (room === null || one === undefined) return
      putLimits(one, account)
      await putPhp(one, account)
      await putSockets(room, one, belowOf(room, one.path))
    },
    forgetAll() {
      open.clear()
      shutRooms.clear()
      deps.parts.forget()
    },
  }
}
