/** The user a program runs as. */
export interface RunAs {
  uid: number
  gid: number
  /** Supplementary groups: none, or those of the group database for this uid's name. */
  groups: 'none' | 'init'
}

/**
 * Wraps an argv so that `setpriv` (util-linux, on every Debian) changes the user
 * before the program starts: a fresh process that never held more, cannot regain
 * privileges, and dies with its parent when `dieWithParent` is set.
 */
export const asUser = (
  who: RunAs | null,
  program: string,
  args: readonly string[],
  options: { dieWithParent?: boolean } = {},
): { program: string; args: string[] } => {
  if (who === null) return { program, args: [...args] }
  return {
    program: '/usr/bin/setpriv',
    args: [
      `--reuid=${who.uid}`,
      `--regid=${who.gid}`,
      who.groups === 'init' ? '--init-groups' : '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
      '--no-new-privs',
      ...(options.dieWithParent ? ['--pdeathsig=SIGKILL'] : []),
      '--',
      program,
      ...args,
    ],
  }
}
