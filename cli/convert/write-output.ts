import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { CliError } from '../cli-error.ts'
import { mistakesText } from '../load-or-fail.ts'

const MODE = 0o640

/** Checks a text as `config test` would if it stood at `file`; throws what it would say. */
const checkAt = async (file: string, shownAs: string): Promise<void> => {
  const loaded = await loadConfig(file)
  if (loaded.ok) return
  const problems = loaded.problems.map((problem) =>
    problem.file === file ? { ...problem, file: shownAs } : problem,
  )
  throw new CliError(
    `Nothing was written, because the result would not be accepted. ${mistakesText(problems)}`,
  )
}

/** Writes whole or not at all: beside the file, checked, then in its place. */
const replaceFile = async (file: string, text: string, like: string | null): Promise<void> => {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    await checkAt(temporary, file)
    const model = like === null ? null : statSync(like)
    const opened = openSync(temporary, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      if (model && process.getuid?.() === 0) fchownSync(opened, model.uid, model.gid)
      fchmodSync(opened, model ? model.mode & 0o777 : MODE)
    } finally {
      closeSync(opened)
    }
    renameSync(temporary, file)
  } catch (error) {
    if (error instanceof CliError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new CliError(`${file} cannot be written: ${why}. Choose another place with --output.`)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Checks a configuration that is only shown. */
export const checkText = async (text: string): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-convert-'))
  try {
    const file = join(directory, 'berth.toml')
    writeFileSync(file, text, { mode: 0o600 })
    await checkAt(file, 'the result')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A new file, or with `force` in the place of another. */
export const writeNew = async (file: string, text: string, force: boolean): Promise<void> => {
  const there = existsSync(file)
  if (there && !force)
    throw new CliError(
      `${file} exists already. Choose another --output, add the sites to it with --vhosts-only, or replace it with --force.`,
    )
  const place = there ? realpathSync(file) : file
  await replaceFile(place, text, there ? place : null)
}

/** Names that the file and the new hosts both have. */
const refuseDuplicates = async (file: string, hosts: readonly { names: string[] }[]) => {
  const loaded = await loadConfig(file)
  if (!loaded.ok)
    throw new CliError(
      `Nothing was written, because ${file} is not correct as it is. ${mistakesText(loaded.problems)}`,
    )
  const taken = new Set(
    loaded.config.virtualhost.flatMap(({ domain, aliases }) => [domain, ...aliases]),
  )
  const twice = hosts.flatMap(({ names }) => names.filter((name) => taken.has(name)))
  if (twice.length > 0)
    throw new CliError(
      `${file} has sites of these names already: ${twice.join(', ')}. Nothing was written. Remove them there, or convert the other sites alone.`,
    )
}

/** Adds virtual hosts at the end of a file; what it holds stays as it is, byte for byte. */
export const appendHosts = async (
  file: string,
  hosts: readonly { names: string[]; toml: string }[],
): Promise<void> => {
  if (!existsSync(file))
    throw new CliError(
      `${file} does not exist, so nothing can be added to it. Leave out --vhosts-only to make it, or name an existing file.`,
    )
  const place = realpathSync(file)
  await refuseDuplicates(place, hosts)
  const before = readFileSync(place)
  const text = before.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(before))
    throw new CliError(`${file} is not UTF-8, so nothing was added to it.`)
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  await replaceFile(place, `${text}${gap}${hosts.map(({ toml }) => toml).join('\n')}`, place)
}
