import { chmodSync, fstatSync, renameSync } from 'node:fs'
import { openPlace, self, withFd } from '../at.ts'
import { codeOf } from '../../../../layout/error-code.ts'

/**
 * Renames; also a directory that its owner may not write to, which the kernel lets
 * nobody move into another one. It has its mode again afterwards.
 */
export const renameOwn = (from: Buffer, to: Buffer): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    withFd(openPlace(from), (fd) => {
      const mode = fstatSync(fd).mode & 0o7777
      if ((mode & 0o200) !== 0) throw error
      chmodSync(self(fd), mode | 0o200)
      try {
        renameSync(from, to)
      } finally {
        chmodSync(self(fd), mode)
      }
    })
  }
}
