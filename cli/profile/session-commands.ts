import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import {
  addCommandSpec,
  addResource,
  addTargetOptions,
  type CommandSpec,
  type PanelCall,
  type ResourceSpec,
} from '../panel/frame/command-spec.ts'
import { showRecord } from '../panel/frame/show-record.ts'
import { askHidden, readNewPassword } from '../read-password.ts'
import { askLine } from '../terminal/confirm.ts'
import type { Command } from 'commander'
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
  name: 'whoami',
  summary: 'show as whom commands are run, and where',
  examples: ['berth whoami', 'berth whoami --profile ci --json'],
  async run({ panel, print }) {
    const me = z.looseObject({}).parse(await panel.call('GET', '/api/auth/me'))
    const { target } = panel
    const data = { ...me, panel: target.kind === 'local' ? target.socketPath : target.url.href }
    print(data, () => showRecord(data))
  },
}

const logout: CommandSpec = {
  name: 'logout',
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
  name: 'password',
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
    replaceToken(token, z.object({ token: z.string() }).parse(data).token)
    call.print({ changed: true }, () => console.log('The password was changed.'))
  },
}

const secondFactor: ResourceSpec = {
  name: 'second-factor',
  summary: 'the own second factor (TOTP)',
  commands: [
    {
      name: 'show',
      summary: 'show whether there is one',
      examples: ['berth second-factor show'],
      async run({ panel, print }) {
        const data = await panel.call('GET', '/api/auth/totp')
        print(data, () => showRecord(data))
      },
    },
    {
      name: 'enable',
      summary: 'enrol an authenticator and print the recovery codes, once',
      examples: ['berth second-factor enable'],
      async run(call) {
        const { panel, print } = call
        const token = tokenOf(call)
        needTerminal()
        const body = { password: await askHidden('Password: ') }
        const { secret, url } = z
          .object({ secret: z.string(), url: z.string() })
          .parse(await panel.call('POST', '/api/auth/totp', { body }))
        console.error(`Give this to the authenticator: ${secret}\n${url}`)
        const code = (await askLine('Code that it shows: ')).trim()
        const data = z
          .object({ token: z.string(), recovery_codes: z.array(z.string()) })
          .parse(await panel.call('POST', '/api/auth/totp/confirm', { body: { code } }))
        replaceToken(token, data.token)
        const { recovery_codes } = data
        print({ recovery_codes }, () => showRecord({ recovery_codes }))
      },
    },
    {
      name: 'disable',
      summary: 'take it off',
      examples: ['berth second-factor disable'],
      async run({ panel, print }) {
        needTerminal()
        const body = {
          password: await askHidden('Password: '),
          code: (await askLine('Code, or a recovery code: ')).trim(),
        }
        const data = await panel.call('DELETE', '/api/auth/totp', { body })
        print(data, () => console.log('There is no second factor any more.'))
      },
    },
  ],
}

/** `berth logout | whoami | password | second-factor`. */
export const addSessionCommands = (program: Command): void => {
  for (const spec of [logout, whoami, password]) addTargetOptions(addCommandSpec(program, spec))
  addResource(program, secondFactor)
}
