import { lstatSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { SystemConfiguration } from './system-places.ts'

/** First line of our file. */
export const MARK =
  '# Written by Berth for [databases] mariadb_remote, and removed when that is off.\n'
const NAME = 'zz-berth-remote.cnf'

/** Our file beside the configuration of the server. */
export const dropInOf = (directory: string): string => path.join(directory, NAME)

/** Of a regular file; null: there is none. */
export const textOf = (file: string): string | null =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : null

/**
 * Takes our file away, whose certificate may be gone, and has the server start without it. True: there
 * was one. Rejects when the server does not come up then; the file is gone all the same.
 */
export const leaveDropIn = async ({
  directory,
  restart,
}: Pick<SystemConfiguration, 'directory' | 'restart'>): Promise<boolean> => {
  const file = dropInOf(directory)
  // Only what is ours goes.
  if (textOf(file)?.startsWith(MARK) !== true) return false
  rmSync(file)
  await restart()
  return true
}
