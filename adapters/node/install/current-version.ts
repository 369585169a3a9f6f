import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/** `<install_dir>/current` leads to the copy that the service and the command `berth` run from. */
export const CURRENT = 'current'

/** Absolute path of the copy in use; null when nothing is installed. */
export const readCurrent = (installDir: string): string | null => {
  const link = join(installDir, CURRENT)
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null
  return join(installDir, basename(readlinkSync(link)))
}

/** Makes a copy the one in use, by one rename. */
export const switchCurrent = (installDir: string, appDir: string): void => {
  const temporary = join(installDir, `.${CURRENT}`)
  rmSync(temporary, { force: true })
  symlinkSync(basename(appDir), temporary)
  renameSync(temporary, join(installDir, CURRENT))
}
