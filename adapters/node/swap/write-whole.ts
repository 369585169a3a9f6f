import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Replaces a file whole or not at all, also when the power fails; an existing one keeps its owner and mode. */
export const writeWhole = (file: string, text: string | Buffer, mode: number): void => {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
  const model = statSync(file, { throwIfNoEntry: false })
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    if (model !== undefined && process.getuid?.() === 0) chownSync(temporary, model.uid, model.gid)
    chmodSync(temporary, model === undefined ? mode : model.mode & 0o777)
    renameSync(temporary, file)
    const directory = openSync(dirname(file), 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
  } finally {
    rmSync(temporary, { force: true })
  }
}
