import { accountRoom } from './account-rooms.ts'

/** The user a program runs as. */
export interface RunAs {
  uid: number
  gid: number
  /** Supplementary groups: none, or those of the group database for this uid's name. */
  groups: 'none' | 'init'
}

/** Processes and threads of one account; the kernel counts them per uid, so a fork loop hits its own account alone. */
export const TENANT_TASKS = 200

/** Memory is left to PHP's memory_limit: address space is reserved, not used. */
const TENANT_LIMITS = [
  `--nproc=${TENANT_TASKS}:${TENANT_TASKS}`,
  '--nofile=4096:4096',
  '--core=0:0',
]

/**
 * Wraps an argv so that `setpriv` (util-linux, on every Debian) changes the user
 * before the program starts: a fresh process that never held more, cannot regain
 * privileges, and dies with its parent when `dieWithParent` is set. `limited` makes it
 * a tenant's program: in the account's room (`account-rooms.ts`), with limits that it
 * cannot raise. `workingDirectory` is that in the room, default `/`; where there is no
 * room, the one that the process is started in.
 */
export const asUser = (
  who: RunAs | null,
  program: string,
  args: readonly string[],
  options: { dieWithParent?: boolean; limited?: boolean; workingDirectory?: string } = {},
): { program: string; args: string[] } => {
  if (who === null) return { program, args: [...args] }
  const room = options.limited ? accountRoom(who.uid, who.gid) : null
  const enter =
    room === null
      ? []
      : ['/usr/bin/nsenter', `--mount=${room}`, `--wdns=${options.workingDirectory ?? '/'}`, '--']
  const limits = options.limited ? ['/usr/bin/prlimit', ...TENANT_LIMITS, '--'] : []
  const [first = '', ...rest] = [...enter, ...limits, '/usr/bin/setpriv']
  return {
    program: first,
    args: [
      ...rest,
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
