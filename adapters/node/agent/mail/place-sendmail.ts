import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeWhole } from '../../layout/write-whole.ts'
import { quoted } from '../php/plans/php-ini.ts'

/** Below this directory the sources of the program lie; they import nothing else but Node's own. */
const SOURCES = fileURLToPath(new URL('../..', import.meta.url))
const ENTRY = 'bin/sendmail'
const PARTS = [ENTRY, 'sendmail/submit-message', 'sendmail/read-options'] as const
/**
 * It sends one message and ends: no compiler in threads of its own, which count as the account's.
 * And none at all, as it would want more memory beforehand than plans let programs have.
 */
const NODE_OPTIONS = [
  ...['--jitless', '--v8-pool-size=0', '--single-threaded-gc', '--max-old-space-size=64'],
]

/** Writes the program as JavaScript, since what strips types would need the compiler; answers its entry. */
const placeProgram = (directory: string): string => {
  const at = (part: string): string => join(directory, `${part}.mjs`)
  for (const part of PARTS) {
    const text = stripTypeScriptTypes(readFileSync(join(SOURCES, `${part}.ts`), 'utf8'))
      .split('\n')
      .map((line) => (line.startsWith('import ') ? line.replace(".ts'", ".mjs'") : line))
      .join('\n')
    mkdirSync(dirname(at(part)), { recursive: true })
    chmodSync(dirname(at(part)), 0o755)
    writeWhole(at(part), text, { mode: 0o644 })
  }
  return at(ENTRY)
}

const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Where programs of accounts find how to send. */
export interface PlacedSendmail {
  /** The program. */
  sendmail: string
  /** Directory of settings by which PHP at the command line sends with it; PHP's own is `/usr/sbin/sendmail`. */
  phpSettings: string
}

/**
 * Writes the `sendmail` of accounts into `directory`, root's and readable by all. It is started
 * by programs that know nothing of Node, so it is a script of two lines.
 */
export const placeSendmail = (directory: string, runDir: string): PlacedSendmail => {
  for (const own of [directory, join(directory, 'code')]) {
    mkdirSync(own, { recursive: true, mode: 0o755 })
    chmodSync(own, 0o755)
  }
  const file = join(directory, 'sendmail')
  const entry = placeProgram(join(directory, 'code'))
  const command = [process.execPath, ...NODE_OPTIONS, entry, runDir].map(word).join(' ')
  writeWhole(file, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
  const phpSettings = join(directory, 'php')
  mkdirSync(phpSettings, { recursive: true, mode: 0o755 })
  chmodSync(phpSettings, 0o755)
  const path = quoted('sendmail_path', `${file} -t -i`)
  writeWhole(join(phpSettings, 'berth-mail.ini'), `sendmail_path = ${path}\n`, { mode: 0o644 })
  return { sendmail: file, phpSettings }
}
