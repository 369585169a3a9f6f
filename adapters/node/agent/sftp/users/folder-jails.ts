import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostAccount } from '../../accounts/account-host.ts'
import type { JailRoom } from '../jail-room.ts'
import { FOLDER_HOME } from '../../../sshd/folder-user-names.ts'
import { JAILS } from '../jails.ts'
import { holdFolder, type HeldFolder } from './hold-folder.ts'

/** Where a user sees the folder, in a jail that holds nothing else. */
export const FILES = FOLDER_HOME

/** Directories of root in which users see one folder of an account. */
export interface FolderJails {
  /** Makes it, or lets it be where it shows that folder. 404 where the folder is not there. */
  open(account: HostAccount, name: string, folder: string): Promise<void>
  /** None is no error. */
  close(name: string): Promise<void>
  /** Of all that are open, those whose folder was moved or removed since. */
  moved(): string[]
  /** They went with the room that they were in. */
  forgetAll(): void
}

/** In the room of the accounts' jails; `room` answers null where there is none. */
export const createFolderJails = (room: () => JailRoom | null): FolderJails => {
  const open = new Map<string, { held: HeldFolder; folder: string }>()
  const belowOf = (name: string): string => join(JAILS, name, FILES)
  const isThere = async ({ top }: JailRoom, name: string, held: HeldFolder): Promise<boolean> => {
    const { dev, ino } = await lstat(join(top, belowOf(name)))
    return dev === held.dev && ino === held.ino
  }
  const unmount = async (one: JailRoom, name: string): Promise<void> => {
    const entry = open.get(name)
    if (entry === undefined) return
    await one.unmount(belowOf(name))
    entry.held.close()
    open.delete(name)
  }
  return {
    async open(account, name, folder) {
      const one = room()
      if (one === null) return
      const before = open.get(name)
      if (before !== undefined) {
        const isSame = before.folder === folder && before.held.isInPlace()
        if (isSame && (await isThere(one, name, before.held))) return
        await unmount(one, name)
      }
      const held = await holdFolder(account, folder, one.namespace)
      try {
        const jail = join(one.top, JAILS, name)
        for (const [place, gid, mode] of [
          [join(one.top, JAILS), 0, 0o711],
          [jail, account.gid, 0o750],
          [join(jail, FILES), 0, 0o755],
        ] as const) {
          await mkdir(place, { mode }).catch((error: unknown) => {
            if (!existsSync(place)) throw error
          })
          await chown(place, 0, gid)
          await chmod(place, mode)
        }
        // By the descriptor: whatever happens to the path meanwhile, it is this folder.
        await one.mount(`/proc/${process.pid}/fd/${held.descriptor}`, belowOf(name))
      } catch (error) {
        held.close()
        throw error
      }
      open.set(name, { held, folder })
      if (await isThere(one, name, held)) return
      await unmount(one, name)
      throw new Error(`what was mounted for ${name} is not the folder ${folder}`)
    },
    async close(name) {
      const one = room()
      if (one === null) return
      await unmount(one, name)
      for (const place of [belowOf(name), join(JAILS, name)])
        await rmdir(join(one.top, place)).catch(() => undefined)
    },
    moved: () => [...open].filter(([, { held }]) => !held.isInPlace()).map(([name]) => name),
    forgetAll() {
      for (const { held } of open.values()) held.close()
      open.clear()
    },
  }
}
