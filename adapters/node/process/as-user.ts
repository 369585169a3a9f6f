import { accountGroupWords } from './account-groups/current-groups.ts'
import { accountRoom } from './account-rooms.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

/** The user a program runs as. */
export interface RunAs {
  uid: number
  gid: number
  /** Supplementary groups: none, or those of the group database for this uid's name. */
  groups: 'none' | 'init'
}

/** Processes and threads of one account; the kernel counts them per uid, so a fork loop hits its own account alone. */
export const TENANT_TASKS = 200

/**
 * How much sooner the kernel ends an account's program than one of the host when memory is short,
 * in thousandths of all memory: those of the web server, the databases and the panel have 0, so
 * theirs go last. Among accounts' programs the largest goes first.
 */
export const TENANT_OOM_SCORE = 900

/** What one account's programs may use, where it is less or more than of any account. */
export interface ProgramLimits {
  /** Processes and threads of the account together. */
  processes: number
  /** Private writable memory of each process: address space is reserved, not used. Null: no limit. */
  memoryMb: number | null
}

/** The option of `prlimit` for private writable memory of a process. */
export const dataLimit = (memoryMb: number): string =>
  `--data=${memoryMb * MEBIBYTE}:${memoryMb * MEBIBYTE}`

/** Options of prlimit(1) for a tenant's programs; null: those of any tenant. */
export const tenantLimits = (limits: ProgramLimits | null): string[] => {
  const tasks = limits?.processes ?? TENANT_TASKS
  const memoryMb = limits?.memoryMb ?? null
  return [
    `--nproc=${tasks}:${tasks}`,
    '--nofile=4096:4096',
    '--core=0:0',
    ...(memoryMb === null ? [] : [dataLimit(memoryMb)]),
  ]
}

/** The words before a tenant's command line: into the account's group and room, and with its limits. */
const asTenant = (
  { uid, gid }: RunAs,
  limits: true | 'own' | ProgramLimits,
  workingDirectory: string,
  before: readonly string[],
  part: string | undefined,
): string[] => {
  const room = accountRoom(uid, gid)
  return [
    ...(limits === true
      ? accountGroupWords(uid, 'helpers')
      : accountGroupWords(uid, 'programs', part)),
    ...(room === null
      ? []
      : ['/usr/bin/nsenter', `--mount=${room}`, `--wdns=${workingDirectory}`, '--']),
    ...before,
    ...[
      '/usr/bin/prlimit',
      ...tenantLimits(limits === true || limits === 'own' ? null : limits),
      '--',
    ],
    // Set with CAP_SYS_RESOURCE, the account cannot lower it again (proc(5), oom_score_adj).
    ...['/usr/bin/choom', `--adjust=${TENANT_OOM_SCORE}`, '--'],
  ]
}

/**
 * Wraps an argv so that `setpriv` (util-linux, on every Debian) changes the user
 * before the program starts: a fresh process that never held more, cannot regain
 * privileges, and dies with its parent when `dieWithParent` is set. `limited` makes it
 * a tenant's program: in the account's group (`account-groups`) and room (`account-rooms.ts`),
 * with limits that it cannot raise: `true` for what the panel runs for an account, which has
 * those of any tenant and works also where the account's own programs use up what the plan
 * gives them; the plan's, or `'own'` where none is known, for the account's own programs. `workingDirectory` is that in the room, default `/`; where there is no
 * room, the one that the process is started in.
 */
export const asUser = (
  who: RunAs | null,
  program: string,
  args: readonly string[],
  options: {
    dieWithParent?: boolean
    limited?: boolean | 'own' | ProgramLimits
    workingDirectory?: string
    /** Words of root's that stand between the room and the limits. */
    before?: readonly string[]
    /** Of the account's own programs: the part of its group that it belongs to (`accountParts`). */
    part?: string | undefined
  } = {},
): { program: string; args: string[] } => {
  if (who === null) return { program, args: [...args] }
  const { limited = false, workingDirectory = '/', before = [] } = options
  const bounds =
    limited === false ? before : asTenant(who, limited, workingDirectory, before, options.part)
  const [first = '', ...rest] = [...bounds, '/usr/bin/setpriv']
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
