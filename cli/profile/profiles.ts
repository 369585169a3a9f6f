import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { codeOf, reasonOf } from '../read-text.ts'

/** A panel that one logged in to. */
const profileSchema = z.object({
  url: z.string(),
  /** Session or API token; null: `BERTH_TOKEN` or `--token-file` has it. */
  token: z.string().nullable(),
  username: z.string().nullable(),
  /** PEM that is trusted instead of the system's authorities. */
  ca: z.string().nullable(),
})
const fileSchema = z.object({
  current: z.string().nullable(),
  profiles: z.record(z.string(), profileSchema),
})

/** All of a user's, and which one counts; null: this machine. */
export type Profiles = z.infer<typeof fileSchema>

/** Where they are kept: `$XDG_CONFIG_HOME/berth/profiles.json`, mode 0600. */
const profilesFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'berth/profiles.json')

/** The profiles; none where there is no file. */
export const readProfiles = (file: string = profilesFile()): Profiles => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if ((statSync(file).mode & 0o077) !== 0)
      throw new CliError(
        `${file} can be read by others, and it holds tokens. Run: chmod 600 ${file}`,
        2,
      )
  } catch (error) {
    if (error instanceof CliError) throw error
    if (codeOf(error) === 'ENOENT') return { current: null, profiles: {} }
    throw new CliError(`${file} cannot be read: ${reasonOf(error)}`, 2)
  }
  try {
    return fileSchema.parse(JSON.parse(text))
  } catch {
    throw new CliError(`${file} is damaged. Remove it and log in again: berth login`, 2)
  }
}

/** Replaces the file as a whole; nobody else can read it at any moment. */
export const writeProfiles = (profiles: Profiles, file: string = profilesFile()): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // A new file only: under sudo the home may be another user's, with a link waiting there.
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(temporary, file)
}
