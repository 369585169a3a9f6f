import { access, readFile } from 'node:fs/promises'
import { runCommand, CommandError } from '../process/run-command.ts'

/** Disk quotas of the kernel, where the file system of the homes keeps them. */
export interface FilesystemQuota {
  /** No effect where there are none; `diskQuotaMb` 0 lifts the limit. */
  set(uid: number, diskQuotaMb: number): Promise<void>
}

const SETQUOTA = '/usr/sbin/setquota'
/** Mount options that say that user quotas are kept: of ext4 and of XFS. */
const QUOTA_OPTIONS = /^(usrquota|usrjquota=.*|quota|uquota|uqnoenforce)$/
const KIB_PER_MIB = 1024

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
  String(Math.max(diskQuotaMb, 0) * KIB_PER_MIB),
  '0',
  '0',
  mount,
]

/**
 * Quotas of the file system that `homeBase` lies on. Where it keeps none, or
 * the tool is not installed, the file operations of the panel alone keep to them.
 */
export const createFilesystemQuota = (homeBase: string): FilesystemQuota => ({
  async set(uid, diskQuotaMb) {
    const mount = quotaMount(await readFile('/proc/self/mountinfo', 'utf8'), homeBase)
    if (mount === null) return
    const installed = await access(SETQUOTA).then(
      () => true,
      () => false,
    )
    if (!installed) return
    const { code, stderr } = await runCommand(SETQUOTA, setquotaArgs(uid, diskQuotaMb, mount))
    if (code !== 0) throw new CommandError(SETQUOTA, code, stderr)
  },
})
