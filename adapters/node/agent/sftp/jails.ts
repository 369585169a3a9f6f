import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, rmdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { HostAccount } from '../accounts/account-host.ts'
import { makeJailRoom, type JailRoom } from './jail-room.ts'

/** Directories of root in which accounts see their home and nothing else. */
export interface Jails {
  /** Makes the place that they are in, unless it is there; true: it is a new one. Until then, and after `end`, there are none. */
  begin(): boolean
  /** The place itself, for further jails beside these; null: there is none. */
  room(): JailRoom | null
  /** Where it is, for this process; null: nowhere. */
  pathOf(username: string): string | null
  /** Makes it, or lets it be where it is as it should. */
  open(account: HostAccount): Promise<void>
  /** Takes the home out of it and removes what is then empty; none is no error. */
  close(account: Pick<HostAccount, 'username' | 'home'>): Promise<void>
  end(): void
}

type Owner = Pick<HostAccount, 'username' | 'home'>

/** Below the link. It also makes sure that what a number of a dead process leads to is no jail. */
export const JAILS = 'jails'

/**
 * Each as `<link>/jails/<username>`, for sshd. The home stands in its jail under its usual
 * path. It is mounted by that path: all above it belongs to root, so nobody can put a link
 * in its place; that it is the right directory is looked at again when it is mounted.
 */
export const createJails = (link: string): Jails => {
  let room: JailRoom | null = null
  const mounted = new Set<string>()
  const belowOf = ({ username, home }: Owner): string => join(JAILS, username, home)
  const isHomeThere = async (account: HostAccount, target: string): Promise<boolean> => {
    const [home, there] = await Promise.all([lstat(account.home), lstat(target)])
    return (
      home.dev === there.dev &&
      home.ino === there.ino &&
      there.uid === account.uid &&
      there.isDirectory()
    )
  }
  const unmount = async ({ unmount }: JailRoom, account: Owner): Promise<void> => {
    if (!mounted.has(account.username)) return
    await unmount(belowOf(account))
    mounted.delete(account.username)
  }
  /** The jail and what lies in it above the home, from the top. */
  const partsOf = ({ top }: JailRoom, account: Owner): string[] => {
    const jail = join(top, JAILS, account.username)
    const parts: string[] = []
    for (let part = join(top, belowOf(account)); part !== jail; part = dirname(part))
      parts.unshift(part)
    return [jail, ...parts]
  }

  return {
    begin() {
      if (room?.isLinked() === true) return false
      room?.close()
      mounted.clear()
      room = makeJailRoom(link)
      return true
    },
    room: () => room,
    pathOf: (username) => (room === null ? null : join(room.top, JAILS, username)),
    async open(account) {
      if (room === null) return
      const target = join(room.top, belowOf(account))
      const home = await lstat(account.home)
      if (!home.isDirectory() || home.uid !== account.uid)
        throw new Error(`${account.home} is not the home of ${account.username}`)
      if (mounted.has(account.username)) {
        if (await isHomeThere(account, target)) return
        await unmount(room, account)
      }
      const all = join(room.top, JAILS)
      await mkdir(all, { recursive: true, mode: 0o711 })
      await chmod(all, 0o711)
      for (const part of partsOf(room, account)) {
        const isJail = dirname(part) === all
        await mkdir(part, { mode: 0o755 }).catch((error: unknown) => {
          if (!existsSync(part)) throw error
        })
        await chown(part, 0, isJail ? account.gid : 0)
        await chmod(part, isJail ? 0o750 : 0o755)
      }
      await room.mount(account.home, belowOf(account))
      mounted.add(account.username)
      if (await isHomeThere(account, target)) return
      await unmount(room, account)
      throw new Error(`what was mounted at ${target} is not the home of ${account.username}`)
    },
    async close(account) {
      if (room === null) return
      await unmount(room, account)
      // One by one, and only what is empty.
      for (const part of partsOf(room, account).reverse()) {
        if (relative(room.top, part).startsWith('..')) return
        await rmdir(part).catch(() => undefined)
      }
    },
    end() {
      room?.close()
      room = null
      mounted.clear()
    },
  }
}
