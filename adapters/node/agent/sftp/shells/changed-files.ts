import { asUser } from '../../../process/as-user.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { HostAccount } from '../../accounts/account-host.ts'

const LIMIT_MS = 20_000
/** The clock of a file system is some ticks behind. */
const MARGIN_MS = 100
const MOST_OUTPUT_BYTES = 2 ** 20

/**
 * Those of these directories of an account in which something changed since. It is looked for
 * as the account; where that cannot be said, all are named.
 */
export const changedSince = async (
  { uid, gid }: Pick<HostAccount, 'uid' | 'gid'>,
  roots: readonly string[],
  sinceMs: number,
): Promise<readonly string[]> => {
  const wanted = roots.filter((root) => root.startsWith('/'))
  if (wanted.length === 0) return roots
  const since = `@${((sinceMs - MARGIN_MS) / 1000).toFixed(3)}`
  const { program, args } = asUser(
    { uid, gid, groups: 'none' },
    '/usr/bin/find',
    ['-P', ...wanted, '-newerct', since, '-printf', '%H\\0'],
    { limited: true, dieWithParent: true },
  )
  try {
    const options = { timeoutMs: LIMIT_MS, maxOutputBytes: MOST_OUTPUT_BYTES }
    const { code, stdout } = await runCommand(program, args, options)
    // One of them is not there, or not to be read.
    if (code !== 0) return roots
    const changed = new Set(stdout.split('\0'))
    return roots.filter((root) => changed.has(root))
  } catch {
    return roots
  }
}
