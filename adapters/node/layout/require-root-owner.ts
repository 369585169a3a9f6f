import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * As root, a configuration decides what root does: it must be root's, and the
 * unprivileged processes must be able to reach it. Answers what is wrong, or null.
 */
export const requireRootOwner = (file: string): string | null => {
  if (process.getuid?.() !== 0) return null
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return null // reported with the other problems
  if (stat.uid !== 0 || (stat.mode & 0o022) !== 0)
    return `${file} must belong to root and be writable by root alone, because Berth runs as root. Fix it: chown root ${file} && chmod go-w ${file}`
  for (let directory = dirname(file); directory !== '/'; directory = dirname(directory)) {
    const { mode } = lstatSync(directory)
    if ((mode & 0o001) === 0)
      return `${file} lies in ${directory}, which only its owner may enter, but the unprivileged processes read it too. Move it, e.g. to /etc/berth/berth.toml`
  }
  return null
}
