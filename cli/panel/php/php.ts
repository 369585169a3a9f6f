import type { z } from 'zod'
import type {
  phpPoolSchema,
  phpSettingsSchema,
  phpVersionSchema,
} from '#handlers/panel/php/schema.ts'
import { CliError } from '../../cli-error.ts'
import { formatSecs } from '../../terminal/format.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-types.ts'
import { known, knownRows } from '../frame/known.ts'
import { printRows } from '../frame/list-command.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { phpTest } from './php-test.ts'

const MODES = ['fpm', 'cgi', 'lsapi'] as const

const show: CommandSpec = {
  summary: 'show the PHP version and mode of an account',
  args: [ACCOUNT],
  examples: ['berth php show alice'],
  order: async ({ panel, args: [name] }) => ({
    to: api`GET /api/php/config/${(await findAccount(panel, name)).id}`,
  }),
}

const set: CommandSpec = {
  summary: 'set the PHP version, the mode, or both, of an account',
  args: [ACCOUNT, ['[version]', 'such as 8.3; default: the present one']],
  options: [['--mode <mode>', 'default: the present one', { choices: MODES }]],
  examples: ['berth php set alice 8.3', 'berth php set alice --mode cgi'],
  async order({ panel, args: [name, version = ''], options }) {
    const mode = options.text('mode')
    if (version === '' && mode === undefined)
      throw new CliError('Say what to set: a version such as 8.3, --mode, or both.', 2)
    const { id } = await findAccount(panel, name)
    const data = await panel.call('GET', apiPath`/api/php/config/${id}`)
    const { version: present } = known<z.output<typeof phpSettingsSchema>>(data, 'version')
    const wanted = version === '' ? present : version
    if (wanted === null) throw new CliError('No PHP is installed on that machine.')
    return { to: api`POST /api/php/version/${id}`, body: given({ version: wanted, mode }) }
  },
}

type Pool = z.output<typeof phpPoolSchema>

const info: CommandSpec = {
  summary: 'show the installed PHP versions, their modes, and what runs',
  note: 'PHP of a site starts with the first request and ends when nobody asks for it. Exit code 1 when a running one does not answer.',
  options: [['--host <host>', 'the versions of this machine; see berth hosts list']],
  examples: ['berth php info', 'berth php info --json | jq .versions'],
  async run({ panel, options, print }) {
    const versions = await panel.call('GET', '/api/php/versions', { query: options.texts('host') })
    const data = await panel.call('GET', '/api/php/pools')
    const pools = knownRows<Pool>(data, 'answers')
    print({ versions, pools }, () => {
      printRows<z.output<typeof phpVersionSchema>>(
        versions,
        [
          ['VERSION', 'version'],
          ['DEFAULT', 'default'],
          ['MODES', 'sapis'],
          ['BINARY', 'binary'],
        ],
        'No PHP is installed.',
      )
      console.log('')
      printRows<Pool>(
        pools,
        [
          ['ACCOUNT', 'username'],
          ['VERSION', 'version'],
          ['MODE', 'mode'],
          ['SETTINGS', 'own_settings', null, (row) => (row.own_settings ? 'own' : 'server')],
          ['PROCESS', 'pid', 'right'],
          ['IDLE', 'idle_secs', 'right', (row) => formatSecs(row.idle_secs)],
          ['HEALTH', 'answers', 'state', ({ answers }) => (answers ? 'ok' : 'failed')],
        ],
        'No PHP runs at the moment.',
      )
    })
    if (pools.some(({ answers }) => !answers)) process.exitCode = 1
  },
}

/** `berth php …`. */
export const php: ResourceSpec = {
  name: 'php',
  summary: 'PHP of the server and of accounts',
  commands: { info, test: phpTest, show, set },
}
