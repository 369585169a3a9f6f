import { closeSync, fstatSync, readFileSync, readdirSync } from 'node:fs'

/** O_CLOEXEC of /proc/<pid>/fdinfo; Node sets it on everything that it opens. */
const CLOSE_ON_EXEC = 0o2000000

const isInherited = (fd: number): boolean => {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))
    return flags !== null && (Number.parseInt(flags[1] ?? '', 8) & CLOSE_ON_EXEC) === 0
  } catch {
    return false // closed meanwhile: the listing itself
  }
}

/**
 * Closes descriptors besides 0 to 2 that whoever started us had open: without
 * close-on-exec they would pass through us into the processes of tenants. What
 * Node opened itself, the channel to a parent included, has that mark. Loaded
 * for its effect, as the first import of the supervisor.
 */
export const closeInherited = (): void => {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd <= 2 || !isInherited(fd)) continue
    try {
      fstatSync(fd)
      closeSync(fd)
    } catch {
      // gone meanwhile
    }
  }
}

closeInherited()
