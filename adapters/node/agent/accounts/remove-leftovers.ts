import { readFile } from 'node:fs/promises'
import { asUser } from '../../process/as-user.ts'
import { runCommand } from '../../process/run-command.ts'

/** Directories in which everyone may leave files. */
export const SHARED_DIRECTORIES = ['/tmp', '/var/tmp', '/dev/shm']

/** Listings of the kernel, the option of ipcrm(1) for an entry's id, and the columns that matter. */
const IPC = [
  { file: '/proc/sysvipc/shm', option: '--shmem-id' },
  { file: '/proc/sysvipc/sem', option: '--semaphore-id' },
  { file: '/proc/sysvipc/msg', option: '--queue-id' },
]

const ipcOf = async (file: string, uid: number): Promise<string[]> => {
  const [head = '', ...lines] = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n')
  const columns = head.trim().split(/\s+/)
  const owner = columns.indexOf('uid')
  // The second column is the id: shmid, semid, msqid.
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => owner > 0 && fields[owner] === String(uid))
    .flatMap((fields) => (/^\d+$/.test(fields[1] ?? '') ? [fields[1] ?? ''] : []))
}

/**
 * Removes what outlives the processes of an account outside its home: System V
 * memory, semaphores and queues, and its files in the shared directories. All
 * under that uid, so nothing of anybody else can be hit; call it when its processes have
 * ended. What it cannot remove stays: it must not keep the account from going.
 */
export const removeLeftovers = async (
  { uid, gid }: { uid: number; gid: number },
  directories: readonly string[] = SHARED_DIRECTORIES,
): Promise<void> => {
  const run = (command: string, args: string[]): Promise<unknown> => {
    const as = asUser({ uid, gid, groups: 'none' }, command, args)
    return runCommand(as.program, as.args, { timeoutMs: 60_000 }).catch(() => undefined)
  }
  for (const { file, option } of IPC) {
    const ids = await ipcOf(file, uid)
    if (ids.length > 0)
      await run(
        '/usr/bin/ipcrm',
        ids.flatMap((id) => [option, id]),
      )
  }
  // rm works relative to descriptors, and follows no link that is swapped in meanwhile.
  await run('/usr/bin/find', [
    ...directories,
    '-xdev',
    '-mindepth',
    '1',
    '-maxdepth',
    '1',
    '-uid',
    String(uid),
    '-exec',
    '/bin/rm',
    '-rf',
    '--one-file-system',
    '--',
    '{}',
    '+',
  ])
}
