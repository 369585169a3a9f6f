import { statSync } from 'node:fs'

/**
 * Whether a configuration belongs to the system-wide kind of installation
 * (started by root) or to a normal user's. Asked by root: always. Asked by one of
 * the unprivileged processes: when root owns the file, which the supervisor has
 * made sure of before it started them.
 */
export const isRootConfig = (file: string): boolean => {
  if (process.getuid?.() === 0) return true
  try {
    return statSync(file).uid === 0
  } catch {
    return false
  }
}
