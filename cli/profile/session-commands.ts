import { CliError } from '../cli-error.ts'
import { addCommandSpec, addResource, addTargetOptions } from '../panel/frame/command-spec.ts'
import type { CommandSpec, PanelCall, ResourceSpec } from '../panel/frame/command-types.ts'
import { known } from '../panel/frame/known.ts'
import { api } from '../panel/frame/panel-client.ts'
import { showRecord } from '../panel/frame/show-record.ts'
import { askHidden, readNewPassword } from '../read-password.ts'
import { askLine } from '../terminal/confirm.ts'
import type { Command } from 'commander'
import { login } from './login.ts'
import { readProfiles, writeProfiles } from './profiles.ts'

const needTerminal = (): void => {
  if (!process.stdin.isTTY)
    throw new CliError('This asks for passwords, and there is no terminal to ask at.')
}

/** Keeps a new token in the profile that the old one came from. */
const replaceToken = (before: string | null, token: string | null): void => {
  const known = readProfiles()
  const profiles = Object.fromEntries(
    Object.entries(known.profiles).map(([name, profile]) => [
      name,
      profile.token === before ? { ...profile, token } : profile,
    ]),
  )
  writeProfiles({ ...known, profiles })
}

const tokenOf = ({ panel }: PanelCall): string => {
  const { target } = panel
  if (target.kind === 'remote' && target.token !== null) return target.token
  throw new CliError(
    'On this machine nobody is logged in, and nobody has to be. Log in to a panel with berth login.',
  )
}

const whoami: CommandSpec = {
  summary: 'show as whom commands are run, and where',
  examples: ['berth whoami', 'berth whoami --profile ci --json'],
  async run({ panel, print }) {
    const me = known<object>(await panel.call('GET', '/api/auth/me'))
    const { target } = panel
    const data = { ...me, panel: target.kind === 'local' ? target.socketPath : target.url.href }
    print(data, () => showRecord(data))
  },
}

const logout: CommandSpec = {
  summary: 'end the session of a profile and forget its token',
  note: 'An API token is only forgotten; berth tokens delete revokes it.',
  examples: ['berth logout', 'berth logout --profile ci'],
  async run(call) {
    const token = tokenOf(call)
    await call.panel.call('POST', '/api/auth/logout')
    replaceToken(token, null)
    call.print({ logged_out: true }, () => console.log('Logged out.'))
  },
}

const password: CommandSpec = {
  summary: 'change the own password, which ends all other sessions and the API tokens',
  options: [['--keep-tokens', 'let the own API tokens go on working']],
  examples: [
    'berth password',
    'berth password --keep-tokens',
    'berth password --profile panel.example.com',
  ],
  async run(call) {
    const token = tokenOf(call)
    needTerminal()
    const body = {
      current_password: await askHidden('Present password: '),
      new_password: await readNewPassword(),
      keep_tokens: call.options.isOn('keepTokens'),
    }
    const data = await call.panel.call('POST', '/api/auth/password', { body })
    replaceToken(token, known<{ token: string }>(data, 'token').token)
    call.print({ changed: true }, () => console.log('The password was changed.'))
  },
}

const secondFactor: ResourceSpec = {
  name: 'second-factor',
  summary: 'the own second factor (TOTP)',
  commands: {
    show: {
      summary: 'show whether there is one',
      examples: ['berth second-factor show'],
      order: () => ({ to: api`GET /api/auth/totp` }),
    },
    enable: {
      summary: 'enrol an authenticator and print the recovery codes, once',
      examples: ['berth second-factor enable'],
      async run(call) {
        const { panel, print } = call
        const token = tokenOf(call)
        needTerminal()
        const body = { password: await askHidden('Password: ') }
        const enrolled = await panel.call('POST', '/api/auth/totp', { body })
        const { secret, url } = known<{ secret: string; url: string }>(enrolled, 'secret', 'url')
        console.error(`Give this to the authenticator: ${secret}\n${url}`)
        const code = (await askLine('Code that it shows: ')).trim()
        const data = await panel.call('POST', '/api/auth/totp/confirm', { body: { code } })
        const fields = ['token', 'recovery_codes'] as const
        const confirmed = known<{ token: string; recovery_codes: string[] }>(data, ...fields)
        const { recovery_codes } = confirmed
        replaceToken(token, confirmed.token)
        print({ recovery_codes }, () => showRecord({ recovery_codes }))
      },
    },
    disable: {
      summary: 'take it off',
      examples: ['berth second-factor disable'],
      async order() {
        needTerminal()
        const body = {
          password: await askHidden('Password: '),
          code: (await askLine('Code, or a recovery code: ')).trim(),
        }
        return {
          to: api`DELETE /api/auth/totp`,
          body,
          done: 'There is no second factor any more.',
        }
      },
    },
  },
}

/** `berth login | logout | whoami | password | second-factor`. */
export const addSessionCommands = (program: Command): void => {
  for (const [name, spec] of Object.entries({ login, logout, whoami, password }))
    addTargetOptions(addCommandSpec(program, name, spec))
  addResource(program, secondFactor)
}
