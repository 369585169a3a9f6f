import type { Command } from 'commander'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { withExamples } from '../examples.ts'
import { readGlobalOptions } from '../options.ts'
import { addTargetOptions } from '../panel/frame/command-spec.ts'
import { PanelError } from '../panel/frame/panel-error.ts'
import { PanelClient } from '../panel/frame/panel-client.ts'
import { parsePanelUrl, readCaFile, type TargetOptions } from '../panel/frame/panel-target.ts'
import { askHidden, readPasswordLine } from '../read-password.ts'
import { askLine } from '../terminal/confirm.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

const sessionSchema = z.object({
  token: z.string(),
  user: z.object({ username: z.string(), role: z.string() }),
})
const meSchema = z.object({ username: z.string(), role: z.string() })

interface LoginOptions extends TargetOptions {
  username?: string
  passwordStdin?: boolean
}

/** The name that was given, else the panel's host. */
const profileName = (options: LoginOptions, url: URL): string => {
  const name = options.profile ?? url.hostname.replace(/[[\]]/g, '')
  if (!/^[\w.:-]{1,64}$/.test(name) || name === 'local')
    throw new CliError(
      `"${name}" cannot be a profile's name. Choose letters, digits, dots and hyphens with --profile.`,
      2,
    )
  return name
}

const passwordOf = (options: LoginOptions): Promise<string> => {
  if (options.passwordStdin === true) return readPasswordLine()
  if (process.stdin.isTTY) return askHidden('Password: ')
  throw new CliError(
    'There is no terminal to ask for the password. Give --password-stdin, or a token.',
    2,
  )
}

/** A session, asking for the code of the second factor where the user has one. */
const openSession = async (panel: PanelClient, options: LoginOptions) => {
  const username =
    options.username ?? (process.stdin.isTTY ? (await askLine('Username: ')).trim() : '')
  if (username === '') throw new CliError('Say who logs in: --username <name>.', 2)
  const password = await passwordOf(options)
  const login = async (totp?: string) =>
    sessionSchema.parse(
      await panel.call('POST', '/api/auth/login', {
        body: { username, password, ...(totp === undefined ? {} : { totp }) },
      }),
    )
  try {
    return await login()
  } catch (error) {
    const asks = error instanceof PanelError && error.field === 'totp'
    if (!asks || !process.stdin.isTTY) throw error
    return login((await askLine('Code of the second factor: ')).trim())
  }
}

const run = async (options: LoginOptions, json: boolean): Promise<void> => {
  const address = options.url ?? process.env['BERTH_URL']
  if (address === undefined || address === '')
    throw new CliError(
      'Say where: --url https://panel.example.com:7070. On the host itself no login is needed.',
      2,
    )
  const url = parsePanelUrl(address)
  const ca = options.caFile === undefined ? null : readCaFile(options.caFile)
  const name = profileName(options, url)
  const known = readProfiles()
  const token = options.token ?? process.env['BERTH_TOKEN'] ?? ''
  const session =
    token === ''
      ? await openSession(new PanelClient({ kind: 'remote', url, token: null, ca }), options)
      : {
          token,
          user: meSchema.parse(
            await new PanelClient({ kind: 'remote', url, token, ca }).call('GET', '/api/auth/me'),
          ),
        }
  const { username, role } = session.user
  const profile = { url: url.href, token: session.token, username, ca }
  writeProfiles({ current: name, profiles: { ...known.profiles, [name]: profile } })
  if (json) console.log(JSON.stringify({ profile: name, url: url.href, username, role }, null, 2))
  else console.log(`Logged in to ${url.href} as ${username} (${role}), profile ${name}.`)
}

/** `berth login`. */
export const addLoginCommand = (program: Command): void => {
  const command = program
    .command('login')
    .description('log in to a panel elsewhere and keep the session as a profile')
    .option('--username <name>', 'who; asked for otherwise')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .action((_options, self: Command) =>
      run(self.optsWithGlobals<LoginOptions>(), readGlobalOptions(self).json),
    )
  addTargetOptions(command)
  withExamples(
    command,
    [
      'berth login --url https://panel.example.com:7070 --username admin',
      'BERTH_TOKEN=berth_… berth login --url https://panel.example.com:7070 --profile ci',
    ],
    'A session lasts a day; an API token, given with --token or BERTH_TOKEN, as long as it was made for. Profiles are kept in ~/.config/berth/profiles.json, mode 0600.',
  )
}
