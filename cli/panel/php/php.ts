import { z } from 'zod'
import { CliError } from '../../cli-error.ts'
import { formatSecs } from '../../terminal/format.ts'
import { printTable } from '../../terminal/print-table.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-spec.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath } from '../frame/panel-client.ts'
import { phpTest } from './php-test.ts'
import { showRecord } from '../frame/show-record.ts'

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

const versionRow = z.object({
  version: z.string(),
  binary: z.string(),
  sapis: z.array(z.string()),
  default: z.boolean(),
})
const poolRow = z.object({
  username: z.string(),
  version: z.string(),
  mode: z.string(),
  own_settings: z.boolean(),
  pid: z.number(),
  idle_secs: z.number(),
  answers: z.boolean(),
})

const info: CommandSpec = {
  name: 'info',
  summary: 'show the installed PHP versions, their modes, and what runs',
  note: 'PHP of a site starts with the first request and ends when nobody asks for it. Exit code 1 when a running one does not answer.',
  examples: ['berth php info', 'berth php info --json | jq .versions'],
  async run({ panel, print }) {
    const versions = z.array(versionRow).parse(await panel.call('GET', '/api/php/versions'))
    const pools = z.array(poolRow).parse(await panel.call('GET', '/api/php/pools'))
    print({ versions, pools }, () => {
      printTable(
        versions,
        [
          { title: 'VERSION', value: ({ version }) => version },
          { title: 'DEFAULT', value: (row) => row.default },
          { title: 'MODES', value: ({ sapis }) => sapis.join(' ') },
          { title: 'BINARY', value: ({ binary }) => binary },
        ],
        'No PHP is installed.',
      )
      console.log('')
      printTable(
        pools,
        [
          { title: 'ACCOUNT', value: ({ username }) => username },
          { title: 'VERSION', value: ({ version }) => version },
          { title: 'MODE', value: ({ mode }) => mode },
          { title: 'SETTINGS', value: (row) => (row.own_settings ? 'own' : 'server') },
          { title: 'PROCESS', value: ({ pid }) => pid, right: true },
          { title: 'IDLE', value: (row) => formatSecs(row.idle_secs), right: true },
          { title: 'HEALTH', value: ({ answers }) => (answers ? 'ok' : 'failed'), state: true },
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
  commands: [info, phpTest, show, set],
}
