import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeWhole } from '../../layout/write-whole.ts'

const ENTRY = fileURLToPath(new URL('../../bin/sendmail.ts', import.meta.url))
/** It sends one message and ends: no compiler in threads of its own, which count as the account's. */
const NODE_OPTIONS = ['--v8-pool-size=0', '--single-threaded-gc', '--max-old-space-size=64']

const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Writes the `sendmail` of accounts into `directory`, root's and readable by all, and answers
 * its path. It is started by programs that know nothing of Node, so it is a script of two lines.
 */
export const placeSendmail = (directory: string, runDir: string): string => {
  mkdirSync(directory, { recursive: true, mode: 0o755 })
  chmodSync(directory, 0o755)
  const file = join(directory, 'sendmail')
  const command = [process.execPath, ...NODE_OPTIONS, ENTRY, runDir].map(word).join(' ')
  writeWhole(file, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
  return file
}
