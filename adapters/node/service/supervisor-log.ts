import { closeSync, constants, fstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from './service-error.ts'

/** What the supervisor says where no systemd takes it into its journal; in the log directory. */
export const SUPERVISOR_LOG = 'supervisor.log'

/** Opens it to add to its end, so that it may be emptied meanwhile. Answers the descriptor and where its next text begins, in bytes. */
export const openSupervisorLog = (logDir: string): { fd: number; offset: number } => {
  const file = join(logDir, SUPERVISOR_LOG)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  try {
    mkdirSync(logDir, { recursive: true, mode: 0o755 })
    const fd = openSync(file, flags | constants.O_NONBLOCK, 0o640)
    const stat = fstatSync(fd)
    if (stat.isFile() && stat.nlink === 1) return { fd, offset: stat.size }
    closeSync(fd)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ServiceError(`The log ${file} cannot be opened: ${why}. Check [paths] log_dir.`, {
      cause: error,
    })
  }
  throw new ServiceError(`${file} is not a plain file. Remove it, then start again.`)
}
