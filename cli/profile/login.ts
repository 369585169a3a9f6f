import type { z } from 'zod'
import type { sessionSchema } from '#handlers/panel/users/session.ts'
import { CliError } from '../cli-error.ts'
import type { CommandOptions } from '../panel/frame/command-options.ts'
import type { LocalCall, LocalSpec } from '../panel/frame/command-types.ts'
import { known } from '../panel/frame/known.ts'
import { PanelError } from '../panel/frame/panel-error.ts'
import { PanelClient } from '../panel/frame/panel-client.ts'
import { parsePanelUrl } from '../panel/frame/panel-target.ts'
import { askHidden, readPasswordLine } from '../read-password.ts'
import { readText } from '../read-text.ts'
import { askLine } from '../terminal/confirm.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

type Session = z.output<typeof sessionSchema>

/** The name that was given, else the panel's host. */
const profileName = (options: CommandOptions, url: URL): string => {
  const name = options.text('profile') ?? url.hostname.replace(/[[\]]/g, '')
  if (!/^[\w.:-]{1,64}$/.test(name) || name === 'local')
    throw new CliError(
      `"${name}" cannot be a profile's name. Choose letters, digits, dots and hyphens with --profile.`,
      2,
    )
  return name
}

const passwordOf = (options: CommandOptions): Promise<string> => {
  if (options.isOn('passwordStdin')) return readPasswordLine()
  if (process.stdin.isTTY) return askHidden('Password: ')
  throw new CliError(
    'There is no terminal to ask for the password. Give --password-stdin, or a token.',
    2,
  )
}

/** A session, asking for the code of the second factor where the user has one. */
const openSession = async (panel: PanelClient, options: CommandOptions) => {
  const username =
    options.text('username') ?? (process.stdin.isTTY ? (await askLine('Username: ')).trim() : '')
  if (username === '') throw new CliError('Say who logs in: --username <name>.', 2)
  const password = await passwordOf(options)
  const login = async (totp?: string) => {
    const body = { username, password, ...(totp === undefined ? {} : { totp }) }
    return known<Session>(await panel.call('POST', '/api/auth/login', { body }), 'token', 'user')
  }
  try {
    return await login()
  } catch (error) {
    const asks = error instanceof PanelError && error.field === 'totp'
    if (!asks || !process.stdin.isTTY) throw error
    return login((await askLine('Code of the second factor: ')).trim())
  }
}

const run = async ({ options, print }: LocalCall): Promise<void> => {
  const address = options.text('url') ?? process.env['BERTH_URL']
  if (address === undefined || address === '')
    throw new CliError(
      'Say where: --url https://panel.example.com:7070. On the host itself no login is needed.',
      2,
    )
  const url = parsePanelUrl(address)
  const caFile = options.text('caFile')
  const ca = caFile === undefined ? null : readText(caFile, 2)
  const name = profileName(options, url)
  const kept = readProfiles()
  const token = options.text('token') ?? process.env['BERTH_TOKEN'] ?? ''
  const panel = new PanelClient({ kind: 'remote', url, token: token || null, ca })
  const session =
    token === ''
      ? await openSession(panel, options)
      : {
          token,
          user: known<Session['user']>(await panel.call('GET', '/api/auth/me'), 'username', 'role'),
        }
  const { username, role } = session.user
  const profile = { url: url.href, token: session.token, username, ca }
  writeProfiles({ current: name, profiles: { ...kept.profiles, [name]: profile } })
  print(
    { profile: name, url: url.href, username, role },
    `Logged in to ${url.href} as ${username} (${role}), profile ${name}.`,
  )
}

/** `berth login`. */
export const login: LocalSpec = {
  summary: 'log in to a panel elsewhere and keep the session as a profile',
  note: 'A session lasts a day; an API token, given with --token or BERTH_TOKEN, as long as it was made for. Profiles are kept in ~/.config/berth/profiles.json, mode 0600.',
  options: [
    ['--username <name>', 'who; asked for otherwise'],
    ['--password-stdin', 'read the password from the first line of standard input'],
  ],
  examples: [
    'berth login --url https://panel.example.com:7070 --username admin',
    'BERTH_TOKEN=berth_… berth login --url https://panel.example.com:7070 --profile ci',
  ],
  act: run,
}
