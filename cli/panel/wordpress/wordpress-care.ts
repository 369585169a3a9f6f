import type { z } from 'zod'
import type {
  replacedAddressSchema,
  updatedWordpressSchema,
  wordpressIntegritySchema,
  wordpressSettingsSchema,
} from '#handlers/panel/wordpress/schema.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { printable } from '../../terminal/printable.ts'

/** Names a WordPress. */
export const PATH = ['<path>', 'its folder, as berth wordpress list shows it'] as const

type Integrity = z.output<typeof wordpressIntegritySchema>
type Settings = z.output<typeof wordpressSettingsSchema>
type Updated = z.output<typeof updatedWordpressSchema>
type Replaced = z.output<typeof replacedAddressSchema>

const showSettings = (data: unknown): void => {
  const { debug, cron } = known<Settings>(data, 'debug', 'cron')
  console.log(`debug ${debug ? 'on' : 'off'}, what is due is run by: ${cron}`)
}
const showIntegrity = (data: unknown): void => {
  const found = known<Integrity>(data, 'checked', 'changed', 'missing', 'added', 'cut')
  for (const what of ['changed', 'missing', 'added'] as const)
    for (const path of found[what]) console.log(`${what} ${printable(path)}`)
  if (found.cut) console.log('... and more')
  console.log(`${found.checked} files were compared.`)
}

/** What `berth wordpress` does with one that is there. */
export const wordpressCare: Readonly<Record<string, CommandSpec>> = {
  update: {
    summary: 'update the core of a WordPress',
    note: 'After a snapshot of the account. Where the site fails afterwards it is put back.',
    args: [ACCOUNT, PATH],
    options: [['--wordpress-version <version>', 'default: the newest of the sources']],
    job: true,
    examples: ['berth wordpress update alice public_html'],
    order: async ({ panel, args: [name, path], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/update`,
      body: given<unknown>({ path, version: options.text('wordpressVersion') }),
      done(data) {
        const { from, to } = known<Updated>(data, 'from', 'to')
        console.log(`From ${from ?? 'an unknown version'} to ${to}.`)
      },
    }),
  },
  settings: {
    summary: 'show the settings of a WordPress',
    args: [ACCOUNT, PATH],
    examples: ['berth wordpress settings alice public_html'],
    order: async ({ panel, args: [name, path] }) => ({
      to: api`GET /api/wordpress/${(await findAccount(panel, name)).id}/settings`,
      query: { path: path ?? '' },
      done: showSettings,
    }),
  },
  set: {
    summary: 'change settings of a WordPress',
    note: 'With --cron berth a cron job of the account runs what is due, and no request of a visitor.',
    args: [ACCOUNT, PATH],
    options: [
      ['--debug <on>', 'write errors to logs/wordpress-debug.log', { choices: ['on', 'off'] }],
      ['--cron <who>', 'who runs what is due', { choices: ['visitors', 'berth'] }],
    ],
    examples: ['berth wordpress set alice public_html --debug on --cron berth'],
    order: async ({ panel, args: [name, path], options }) => {
      const debug = options.text('debug')
      const wanted = { debug: debug && debug === 'on', cron: options.text('cron') }
      return {
        to: api`PATCH /api/wordpress/${(await findAccount(panel, name)).id}/settings`,
        body: { path, ...givenSome(wanted, '--debug, --cron') },
        done: showSettings,
      }
    },
  },
  password: {
    summary: 'set the password of an administrator of a WordPress',
    args: [ACCOUNT, PATH],
    options: [['--user <login>', 'which administrator (default: the first)']],
    password: 'password',
    examples: ['berth wordpress password alice public_html --generate-password'],
    order: async ({ panel, args: [name, path], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/password`,
      body: given<unknown>({ path, user: options.text('user') }),
    }),
  },
  verify: {
    summary: 'compare the core of a WordPress with its source',
    note: 'Exit code 1 where something was changed, is missing or was added.',
    args: [ACCOUNT, PATH],
    examples: ['berth wordpress verify alice public_html'],
    order: async ({ panel, args: [name, path] }) => ({
      to: api`GET /api/wordpress/${(await findAccount(panel, name)).id}/integrity`,
      query: { path: path ?? '' },
      done: showIntegrity,
      failed(data) {
        const { changed, missing, added } = known<Integrity>(data, 'changed', 'missing', 'added')
        return changed.length + missing.length + added.length > 0
      },
    }),
  },
  'replace-address': {
    summary: 'replace the address of a WordPress in its database',
    args: [ACCOUNT, PATH, ['<to>', 'the new address, e.g. https://example.com']],
    options: [
      ['--from <address>', 'the old one (default: the address that the site has now)'],
      ['--dry-run', 'only count what would be replaced'],
    ],
    examples: ['berth wordpress replace-address alice public_html https://alice.example --dry-run'],
    order: async ({ panel, args: [name, path, to], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/address`,
      body: given<unknown>({
        ...{ path, to, from: options.text('from') },
        dry_run: options.isOn('dryRun') || undefined,
      }),
      done(data) {
        const { from, rows, values } = known<Replaced>(data, 'from', 'rows', 'values')
        console.log(`${values} times ${from} in ${rows} rows.`)
      },
    }),
  },
}
