import { readFileSync, statSync } from 'node:fs'
import { CliError } from '../cli-error.ts'
import type { CommandOptions } from '../panel/frame/command-options.ts'
import { askHidden, readNewPassword, readPasswordLine } from '../read-password.ts'

/** How an export is closed or opened, as the command line tells it. */
export interface SecretOptions {
  passphrase?: boolean
  passphraseFile?: string
  kit?: string
}

export type Secret = { kind: 'passphrase' | 'kit'; text: string }

const MAX_BYTES = 2 ** 20

const read = (file: string): string => {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error('it is too large')
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** A text from a file, or from standard input for `-`. */
export const readText = async (file: string): Promise<string> => {
  if (file !== '-') return read(file)
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.length > MAX_BYTES) throw new CliError('Standard input is too long for that.')
  }
  return text
}

const passphrase = async (options: SecretOptions, fresh: boolean): Promise<string> => {
  const { passphraseFile: file } = options
  if (file !== undefined) return read(file).split(/\r?\n/)[0] ?? ''
  if (!process.stdin.isTTY) return readPasswordLine()
  return fresh ? readNewPassword() : askHidden('Passphrase: ')
}

/** What a command line says of it. */
export const secretOptions = (options: CommandOptions): SecretOptions => {
  const { passphraseFile, kit } = options.texts('passphraseFile', 'kit')
  return {
    passphrase: options.isOn('passphrase'),
    ...(passphraseFile === undefined ? {} : { passphraseFile }),
    ...(kit === undefined ? {} : { kit }),
  }
}

/**
 * The secret that opens an export (`fresh` false) or closes a new one: from a file, the
 * terminal, or the first line of standard input; never from the command line, which
 * `ps` shows to all. Null where none is asked for.
 */
export const readSecret = async (
  options: SecretOptions,
  { fresh }: { fresh: boolean },
): Promise<Secret | null> => {
  const wanted = options.passphrase === true || options.passphraseFile !== undefined
  if (options.kit !== undefined && wanted)
    throw new CliError('Give either a passphrase or the recovery kit.', 2)
  if (options.kit !== undefined) return { kind: 'kit', text: await readText(options.kit) }
  if (!wanted) return null
  return { kind: 'passphrase', text: await passphrase(options, fresh) }
}
