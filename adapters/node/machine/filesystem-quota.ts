import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { access } from 'node:fs/promises'
import { runCommand, CommandError, type CommandResult } from '../process/run-command.ts'
import { mountOf, readMounts, type Mount } from './mounts.ts'
import { quotaState, type QuotaState } from './quota-state.ts'

/** Disk quotas of the kernel, where the file system of the homes keeps them. */
export interface FilesystemQuota {
  /** No effect where there are none; `diskQuotaMb` 0 lifts the limit. */
  set(uid: number, diskQuotaMb: number): Promise<void>
  /** Whether there are any, and the tool that sets them. */
  holds(): Promise<boolean>
}

const SETQUOTA = '/usr/sbin/setquota'
/** Blocks of `setquota`. */
const BLOCK_BYTES = 1024

/** Arguments of `setquota`: hard limit in KiB blocks, no limit on files. */
export const setquotaArgs = (uid: number, diskQuotaMb: number, mount: string): string[] => [
  '-u',
  '--',
  String(uid),
  '0',
  String(Math.ceil((Math.max(diskQuotaMb, 0) * MEGABYTE) / BLOCK_BYTES)),
  '0',
  '0',
  mount,
]

/**
 * Quotas of the file system that `homeBase` lies on. Where it keeps none, or
 * the tool is not installed, the file operations of the panel alone keep to them.
 */
export const createFilesystemQuota = (
  homeBase: string,
  deps: {
    mounts?: () => readonly Mount[]
    state?: (directory: string) => Promise<QuotaState>
    isInstalled?: () => Promise<boolean>
    run?: (program: string, args: readonly string[]) => Promise<CommandResult>
  } = {},
): FilesystemQuota => {
  const {
    mounts = readMounts,
    state = quotaState,
    isInstalled = () =>
      access(SETQUOTA).then(
        () => true,
        () => false,
      ),
    run = runCommand,
  } = deps
  /** The mount; null: the kernel holds nobody to quotas there, or nothing is here to set them with. */
  const held = async (): Promise<string | null> => {
    const mount = mountOf(homeBase, mounts())
    if (mount === null || !(await isInstalled())) return null
    return (await state(homeBase)) === 'held' ? mount.mount : null
  }
  return {
    holds: async () => (await held()) !== null,
    async set(uid, diskQuotaMb) {
      const mount = await held()
      if (mount === null) return
      const { code, stderr } = await run(SETQUOTA, setquotaArgs(uid, diskQuotaMb, mount))
      if (code !== 0) throw new CommandError(SETQUOTA, code, stderr)
    },
  }
}
