import { chmodSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const targetOf = (link: string): string | null => {
  try {
    return readlinkSync(link)
  } catch {
    return null
  }
}

/**
 * A directory in which `php` is that binary, to stand first in PATH. `runDir` is ours;
 * accounts pass through it and can change nothing in it.
 */
export const phpPath = (runDir: string, version: string, binary: string): string => {
  const parent = join(runDir, 'php-path')
  const directory = join(parent, version)
  mkdirSync(directory, { recursive: true })
  chmodSync(parent, 0o755)
  chmodSync(directory, 0o755)
  const link = join(directory, 'php')
  if (targetOf(link) === binary) return directory
  const fresh = `${link}.${process.pid}`
  rmSync(fresh, { force: true })
  symlinkSync(binary, fresh)
  renameSync(fresh, link)
  return directory
}
