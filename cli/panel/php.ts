import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { given } from './command-options.ts'
import type { CommandSpec, ResourceSpec } from './command-spec.ts'
import { findAccount } from './lookup.ts'
import { apiPath } from './panel-client.ts'
import { showRecord } from './show-record.ts'

const ACCOUNT = ['<account>', 'username or number'] as const
const MODES = ['fpm', 'cgi', 'lsapi'] as const

const show: CommandSpec = {
  name: 'show',
  summary: 'show the PHP version and mode of an account',
  args: [ACCOUNT],
  examples: ['berth php show alice'],
  async run({ panel, args: [name = ''], print }) {
    const { id } = await findAccount(panel, name)
    const data = await panel.call('GET', apiPath`/api/php/config/${id}`)
    print(data, () => showRecord(data))
  },
}

const set: CommandSpec = {
  name: 'set',
  summary: 'set the PHP version, the mode, or both, of an account',
  args: [ACCOUNT, ['[version]', 'such as 8.3; default: the present one']],
  options: [['--mode <mode>', 'default: the present one', { choices: MODES }]],
  examples: ['berth php set alice 8.3', 'berth php set alice --mode cgi'],
  async run({ panel, args: [name = '', version = ''], options, print }) {
    const mode = options.text('mode')
    if (version === '' && mode === undefined)
      throw new CliError('Say what to set: a version such as 8.3, --mode, or both.', 2)
    const { id } = await findAccount(panel, name)
    const present = z
      .object({ version: z.string().nullable() })
      .parse(await panel.call('GET', apiPath`/api/php/config/${id}`)).version
    const wanted = version === '' ? present : version
    if (wanted === null) throw new CliError('No PHP is installed on that machine.')
    const body = given({ version: wanted, mode })
    const data = await panel.call('POST', apiPath`/api/php/version/${id}`, { body })
    print(data, () => showRecord(data))
  },
}

/** `berth php …`. */
export const php: ResourceSpec = {
  name: 'php',
  summary: 'PHP of the server and of accounts',
  commands: [show, set],
}
