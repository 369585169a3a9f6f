import { closeSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, rename, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { conflict } from '#handlers/errors.ts'
import { openPlace } from '../files/helper/at.ts'
import { deleteTree } from '../files/helper/delete-tree.ts'
import type { HostAccount } from './account-host.ts'

/** Homes as directories below `[paths] home_base`. The agent itself never works inside one. */
export interface HomeDirectories {
  pathOf(username: string): string
  /** 409 when something is there already. */
  assertFree(username: string): Promise<void>
  /** An empty directory in its final ownership, 0710. */
  create(account: HostAccount): Promise<void>
  /** Whether it is there and is this account's. */
  exists(account: HostAccount): Promise<boolean>
  /** Removes it with whatever the account's own helper could not; nothing if it is not this account's. */
  remove(account: HostAccount): Promise<void>
}

const TRASH = '.berth-trash'

const statOrNull = async (path: string) => {
  try {
    return await lstat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Parents of homes must be closed to tenants, or a home could be swapped for a link. */
const mustBeSafeBase = async (homeBase: string): Promise<void> => {
  const stat = await lstat(homeBase)
  const mine = stat.uid === 0 || stat.uid === process.getuid?.()
  if (!stat.isDirectory() || !mine || (stat.mode & 0o022) !== 0)
    throw new Error(
      `${homeBase} ([paths] home_base) must be a directory of root that nobody else can write to. Correct its owner and mode (0755).`,
    )
}

/** `webGid`: group that may enter homes; null leaves each to its account's own group. */
export const createHomeDirectories = (homeBase: string, webGid: number | null): HomeDirectories => {
  const asRoot = process.getuid?.() === 0
  const pathOf = (username: string): string => join(homeBase, username)
  const belongs = async (account: HostAccount): Promise<boolean> => {
    const stat = await statOrNull(account.home)
    return stat !== null && stat.isDirectory() && stat.uid === account.uid
  }
  const destroy = async (directory: string, name: string): Promise<void> => {
    const fd = openPlace(directory)
    try {
      await deleteTree(fd, name)
    } finally {
      closeSync(fd)
    }
  }
  return {
    pathOf,
    assertFree: async (username) => {
      await mkdir(homeBase, { recursive: true, mode: 0o755 })
      await mustBeSafeBase(homeBase)
      if ((await statOrNull(pathOf(username))) !== null)
        throw conflict(
          `A directory for "${username}" exists already and is not of this installation. Choose another username, or move that directory away.`,
          'username',
        )
    },
    create: async ({ home, uid, gid }) => {
      await mkdir(home, { mode: 0o700 })
      if (asRoot) await chown(home, uid, webGid ?? gid)
      await chmod(home, 0o710)
    },
    exists: belongs,
    remove: async (account) => {
      const trashed = `${basename(account.home)}-${account.uid}`
      // Of its own: one that removals share would vanish under the feet of the second.
      const trash = join(homeBase, `${TRASH}-${trashed}`)
      if (await belongs(account)) {
        // Out of everybody's reach before root works in it; and a half-removed home is no home.
        await mkdir(trash, { recursive: true, mode: 0o700 })
        await destroy(trash, trashed)
        await rename(account.home, join(trash, trashed))
      } else {
        // Made, but not yet handed over when a creation broke off: empty, or not ours.
        await rmdir(account.home).catch(() => undefined)
      }
      if ((await statOrNull(trash)) === null) return
      await destroy(trash, trashed)
      await rmdir(trash).catch(() => undefined)
    },
  }
}
