import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, readFile, rmdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { mustRun } from '../../process/run-command.ts'
import type { HostAccount } from '../accounts/account-host.ts'

/** Directories of root in which accounts see their home and nothing else. */
export interface Jails {
  /** Makes it, or lets it be where it is as it should. */
  open(account: HostAccount): Promise<void>
  /** Takes the home out of it and removes what is then empty; none is no error. */
  close(account: Pick<HostAccount, 'username' | 'home'>): Promise<void>
}

/** In mountinfo, proc(5). */
const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`)

/**
 * `process` tells in which mount namespace sshd runs: `self`, or a process id. The service's own
 * namespace hides from the machine what is mounted in it.
 *
 * The home stands in its jail under its usual path. It is mounted by that path: all above
 * it belongs to root, so nobody can put a link in its place; that it is the right directory
 * is looked at again when it is mounted.
 */
export const createJails = (directory: string, process: string): Jails => {
  const within = (program: string, ...args: string[]): Promise<{ stdout: string }> =>
    process === 'self'
      ? mustRun(program, args)
      : mustRun('/usr/bin/nsenter', [`--mount=/proc/${process}/ns/mnt`, '--', program, ...args])
  const targetOf = ({ username, home }: Pick<HostAccount, 'username' | 'home'>): string =>
    join(directory, username, home)
  const isMounted = async (target: string): Promise<boolean> =>
    (await readFile(`/proc/${process}/mountinfo`, 'utf8'))
      .split('\n')
      .some((line) => line.split(' ')[4] === escaped(target))
  /** Device, number, owner and kind of each. */
  const facts = async (...paths: string[]): Promise<string[]> => {
    const { stdout } = await within('/usr/bin/stat', '--format=%d:%i:%u:%F', '--', ...paths)
    return stdout.trim().split('\n')
  }
  const isHomeThere = async (account: HostAccount, target: string): Promise<boolean> => {
    const [home = '', there] = await facts(account.home, target)
    return home === there && home.endsWith(`:${account.uid}:directory`)
  }
  const unmount = async (target: string): Promise<void> => {
    while (await isMounted(target))
      // Lazily: where it is still in use nobody may find it any more all the same.
      await within('/usr/bin/umount', '--lazy', '--no-canonicalize', '--', target)
  }
  /** The jail and what lies in it above the home, from the top. */
  const partsOf = (account: Pick<HostAccount, 'username' | 'home'>): string[] => {
    const jail = join(directory, account.username)
    const parts: string[] = []
    for (let part = targetOf(account); part !== jail; part = dirname(part)) parts.unshift(part)
    return [jail, ...parts]
  }

  return {
    async open(account) {
      const target = targetOf(account)
      const home = await lstat(account.home)
      if (!home.isDirectory() || home.uid !== account.uid)
        throw new Error(`${account.home} is not the home of ${account.username}`)
      if (await isMounted(target)) {
        if (await isHomeThere(account, target)) return
        await unmount(target)
      }
      await mkdir(directory, { recursive: true, mode: 0o711 })
      await chmod(directory, 0o711)
      for (const part of partsOf(account)) {
        const isJail = part === join(directory, account.username)
        await mkdir(part, { mode: 0o755 }).catch((error: unknown) => {
          if (!existsSync(part)) throw error
        })
        const stat = await lstat(part)
        if (!stat.isDirectory()) throw new Error(`${part} is not a directory`)
        await chown(part, 0, isJail ? account.gid : 0)
        await chmod(part, isJail ? 0o750 : 0o755)
      }
      const options = ['--bind', '-o', 'nosuid,nodev,noexec', '--', account.home, target]
      await within('/usr/bin/mount', '--no-canonicalize', ...options)
      if (await isHomeThere(account, target)) return
      await unmount(target)
      throw new Error(`what was mounted at ${target} is not the home of ${account.username}`)
    },
    async close(account) {
      await unmount(targetOf(account))
      // One by one, and only what is empty: never what might be somebody's home.
      for (const part of partsOf(account).reverse()) {
        if (relative(directory, part).startsWith('..')) return
        await rmdir(part).catch(() => undefined)
      }
    },
  }
}
