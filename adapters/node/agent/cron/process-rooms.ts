import type { Log } from '#handlers/ports/log.ts'
import { runCommand } from '../../process/run-command.ts'

/** How long programs start without such a room after none could be made: it need not be the kernel's last word. */
const RETRY_MS = 60_000
const TRIAL_LIMIT_MS = 5000

/**
 * The words before a command line of root's that end with it all that it started, also what
 * left its session: a process namespace goes with its first process.
 */
const ROOM_WORDS: readonly string[] = [
  '/usr/bin/unshare',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--propagation=slave',
  '--mount-proc',
  '--',
]
/** Whoever started it may die first, and takes it along. */
const WITH_PARENT: readonly string[] = ['/usr/bin/setpriv', '--pdeathsig=SIGKILL', '--']

/**
 * A first process that waits for the program and collects what others leave. As the program
 * itself it would be deaf to being asked to end.
 */
const FIRST: readonly string[] = ['/bin/sh', '-c', '"$@"; exit $?', 'sh']

/** What stands before a command line, and before the program in it. */
export interface ProcessRoom {
  words: readonly string[]
  first: readonly string[]
}

const NONE: ProcessRoom = { words: [], first: [] }

/**
 * Answers how programs get a process namespace each; with nothing where the kernel grants none,
 * e.g. in containers without CAP_SYS_ADMIN. `outlives`: they go on when whoever starts them dies.
 */
export const createProcessRooms = (
  log: Log,
  { outlives = false }: { outlives?: boolean } = {},
): (() => Promise<ProcessRoom>) => {
  const words = [...(outlives ? [] : WITH_PARENT), ...ROOM_WORDS]
  let works = false
  let failedAtMs: number | null = null
  return async () => {
    if (works) return { words, first: FIRST }
    if (failedAtMs !== null && performance.now() - failedAtMs < RETRY_MS) return NONE
    const [program = '', ...args] = [...words, '/bin/true']
    const why = await runCommand(program, args, { timeoutMs: TRIAL_LIMIT_MS }).then(
      ({ code, stderr }) => (code === 0 ? null : stderr.trim()),
      (error: unknown) => String(error),
    )
    works = why === null
    if (works) return { words, first: FIRST }
    if (failedAtMs === null)
      log.warn('what a program of an account starts in a session of its own may outlive it', {
        reason: why,
      })
    failedAtMs = performance.now()
    return NONE
  }
}
