import { statSync } from 'node:fs'
import { writeWhole as writeAs } from '../layout/write-whole.ts'

/** Replaces a file whole or not at all, also when the power fails; an existing one keeps its owner and mode. */
export const writeWhole = (file: string, text: string | Buffer, mode: number): void => {
  const model = statSync(file, { throwIfNoEntry: false })
  if (model === undefined) return writeAs(file, text, { mode })
  const owner = process.getuid?.() === 0 ? { owner: model } : {}
  writeAs(file, text, { mode: model.mode & 0o777, ...owner })
}
