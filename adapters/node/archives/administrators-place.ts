import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { conflict, invalid, notFound } from '#handlers/errors.ts'

const OTHERS_WRITE = 0o022
const STICKY = 0o1000

const isOurs = (uid: number): boolean => uid === 0 || uid === process.getuid?.()

/**
 * The real path of a file or directory that nobody but root (or, without root, we
 * ourselves) can have put there or can exchange while it is read: the path comes from
 * the panel, and must not make a tenant's file of another one's. 400, 404 or 409.
 */
export const administratorsPlace = async (
  given: string,
): Promise<{ path: string; kind: 'file' | 'directory'; sizeBytes: number }> => {
  if (!path.isAbsolute(given)) throw invalid('path', 'path must be absolute.')
  const real = await realpath(given).catch(() => null)
  if (real === null) throw notFound(`There is nothing at ${given}.`)
  const parts = real.split('/').filter((part) => part !== '')
  for (let count = 0; count < parts.length; count += 1) {
    const directory = `/${parts.slice(0, count).join('/')}`
    const { uid, mode } = await lstat(directory)
    const writable = (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0
    if (!isOurs(uid) || writable)
      throw conflict(
        `Others than root can change what is in ${directory}. Copy the archive to a directory that is root's alone, then try again.`,
        'path',
      )
  }
  const entry = await lstat(real)
  const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : null
  if (kind === null || !isOurs(entry.uid) || (entry.mode & OTHERS_WRITE) !== 0)
    throw conflict(`${given} is not a file or directory that root alone can change.`, 'path')
  return { path: real, kind, sizeBytes: entry.size }
}
