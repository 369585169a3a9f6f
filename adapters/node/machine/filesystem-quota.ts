import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { access, readFile } from 'node:fs/promises'
import { runCommand, CommandError, type CommandResult } from '../process/run-command.ts'

/** Disk quotas of the kernel, where the file system of the homes keeps them. */
export interface FilesystemQuota {
  /** No effect where there are none; `diskQuotaMb` 0 lifts the limit. */
  set(uid: number, diskQuotaMb: number): Promise<void>
  /** Whether there are any, and the tool that sets them. */
  holds(): Promise<boolean>
}

const SETQUOTA = '/usr/sbin/setquota'
/** Mount options that say that user quotas are kept: of ext4 and of XFS. */
const QUOTA_OPTIONS = /^(usrquota|usrjquota=.*|quota|uquota)$/
/** Blocks of `setquota`. */
const BLOCK_BYTES = 1024

/** `\040` and the like in a path of mountinfo (proc(5)). */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Mount point that `path` lies on if user quotas are on there, else null; `mountinfo` as in proc(5). */
export const quotaMount = (mountinfo: string, path: string): string | null => {
  let found: { point: string; quota: boolean } | null = null
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const fields = left.split(' ')
    const point = unescape(fields[4] ?? '')
    if (point === '') continue
    const holds = path === point || path.startsWith(point === '/' ? '/' : `${point}/`)
    // Of mounts over each other the last one counts.
    if (!holds || (found !== null && point.length < found.point.length)) continue
    const options = [...(fields[5] ?? '').split(','), ...(right.split(' ')[2] ?? '').split(',')]
    found = { point, quota: options.some((option) => QUOTA_OPTIONS.test(option)) }
  }
  return found?.quota === true ? found.point : null
}

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
    mountinfo?: () => Promise<string>
    isInstalled?: () => Promise<boolean>
    run?: (program: string, args: readonly string[]) => Promise<CommandResult>
  } = {},
): FilesystemQuota => {
  const {
    mountinfo = () => readFile('/proc/self/mountinfo', 'utf8'),
    isInstalled = () =>
      access(SETQUOTA).then(
        () => true,
        () => false,
      ),
    run = runCommand,
  } = deps
  /** Null: none are kept, or nothing is here to set them with. */
  const held = async (): Promise<string | null> => {
    const mount = quotaMount(await mountinfo(), homeBase)
    return mount !== null && (await isInstalled()) ? mount : null
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
