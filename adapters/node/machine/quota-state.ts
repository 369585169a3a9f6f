import { spawnSync } from 'node:child_process'
import { CLEAN_ENV } from '../process/clean-env.ts'
import { runCommand } from '../process/run-command.ts'

/** What the kernel does with user quotas of a file system: keeps everybody to them, only counts, or neither. */
export type QuotaState = 'held' | 'counted' | 'off'

/**
 * Asks by quotactl_fd(2), which needs no device file: number 443 on all machines, Q_XGETQSTAT of
 * user quotas, and prints the flags of what it answers (`struct fs_quota_stat`). Neither mount
 * options nor `quotaon -p` say it: ext4 with quotas of its own counts without an option and is
 * called on, but holds nobody until limits are switched on too; and with the option it may be
 * without its quota file.
 */
const QUESTION =
  'sysopen my $d, $ARGV[0], 0 or exit 1; my $answer = pack("x256");' +
  ' exit 1 if syscall(443, 0 + fileno $d, 0x580500, 0, $answer) != 0;' +
  ' print +(unpack "cxS", $answer)[1]'
const PERL = '/usr/bin/perl'
/** FS_QUOTA_UDQ_ACCT and FS_QUOTA_UDQ_ENFD of linux/dqblk_xfs.h. */
const COUNTED = 1
const HELD = 2

const argsOf = (path: string): string[] => ['-e', QUESTION, '--', path]

/** The state that flags of `Q_XGETQSTAT` tell. */
export const quotaStateOf = (flags: string): QuotaState => {
  const bits = Number(flags)
  if ((bits & COUNTED) === 0) return 'off'
  return (bits & HELD) === 0 ? 'counted' : 'held'
}

/** Of the file system that the directory lies on; where nobody may ask, `off`. */
export const quotaState = async (directory: string): Promise<QuotaState> => {
  const { code, stdout } = await runCommand(PERL, argsOf(directory), { timeoutMs: 10_000 })
  return code === 0 ? quotaStateOf(stdout) : 'off'
}

/** The same for what begins and ends at once. */
export const quotaStateNow = (directory: string): QuotaState => {
  const { status, stdout } = spawnSync(PERL, argsOf(directory), {
    cwd: '/',
    env: CLEAN_ENV,
    encoding: 'utf8',
    timeout: 10_000,
  })
  return status === 0 ? quotaStateOf(stdout) : 'off'
}
