import { closeSync } from 'node:fs'
import { unavailable } from '#handlers/errors.ts'
import { newMountNamespace } from '../../process/account-rooms.ts'
import { mustRun } from '../../process/run-command.ts'

/**
 * Runs `work` with the file of a mount namespace in which the home is there for reading
 * alone, and its symbolic links lead nowhere. Who reads it may read everything: without
 * this the account could put a link to another's files in the place of a directory that
 * is just being read, and find them in its own backup.
 */
export const withHomeView = async <T>(
  home: string,
  work: (namespace: string) => Promise<T>,
): Promise<T> => {
  let descriptor: number
  try {
    descriptor = newMountNamespace()
  } catch (error) {
    throw unavailable(
      'The kernel grants no mount namespace (a container without CAP_SYS_ADMIN?), in which alone homes are read for snapshots. Use archives instead: berth backups create',
      error,
    )
  }
  try {
    const namespace = `/proc/${process.pid}/fd/${descriptor}`
    await mustRun('/usr/bin/nsenter', [
      `--mount=${namespace}`,
      '--',
      ...['/usr/bin/mount', '--bind', '-o', 'ro,nosymfollow', '--', home, home],
    ])
    // An older kernel or mount leaves the option out without a word.
    const { stdout } = await mustRun('/usr/bin/nsenter', [
      `--mount=${namespace}`,
      '--',
      ...['/usr/bin/findmnt', '--noheadings', '--output', 'VFS-OPTIONS', '--mountpoint', home],
    ])
    const last = stdout.trim().split('\n').at(-1)?.split(',') ?? []
    if (!last.includes('nosymfollow') || !last.includes('ro'))
      throw unavailable(
        'This kernel cannot mount without following links (nosymfollow, Linux 5.10), which snapshots need. Use archives instead: berth backups create',
      )
    return await work(namespace)
  } finally {
    closeSync(descriptor)
  }
}
