import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file with its final owner and mode before it appears under its name, which
 * then outlives a power cut. `owner` default: who we are.
 */
export const writeWhole = (
  file: string,
  content: string | Uint8Array,
  { mode, owner }: { mode: number; owner?: { uid: number; gid: number } },
): void => {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.new`)
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    if (owner !== undefined) chownSync(temporary, owner.uid, owner.gid)
    // Whatever the umask says.
    chmodSync(temporary, mode)
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  syncFile(dirname(file))
}

/** Makes a file, or the names in a directory, outlive a power cut. */
export const syncFile = (path: string): void => {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
