import type { z } from 'zod'
import type {
  extensionUpdatesSchema,
  updatedExtensionsSchema,
  wordpressPackageSchema,
} from '#handlers/panel/wordpress/extension-schema.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { printable } from '../../terminal/printable.ts'
import { PATH } from './wordpress-care.ts'

type Updates = z.output<typeof extensionUpdatesSchema>
type Updated = z.output<typeof updatedExtensionsSchema>

const showUpdates = (data: unknown): void => {
  const { updates } = known<Updates>(data, 'updates')
  for (const { kind, slug, version, newest, origin } of updates)
    console.log(`${kind} ${printable(slug)}: ${version ?? '?'} -> ${newest} (${origin})`)
  if (updates.length === 0) console.log('No newer versions are known.')
}
const showResults = (data: unknown): void => {
  const { backup, results } = known<Updated>(data, 'backup', 'results')
  for (const { kind, slug, from, to, error } of results)
    console.log(
      error === null
        ? `${kind} ${printable(slug)}: from ${from ?? 'an unknown version'} to ${to}`
        : `${kind} ${printable(slug)}: as it was. ${printable(error)}`,
    )
  console.log(backup === null ? 'Nothing is outdated.' : `The backup before is ${backup}.`)
}

/** What `berth wordpress` does with plugins and themes. */
export const wordpressExtensions: Readonly<Record<string, CommandSpec>> = {
  packages: listCommand<z.output<typeof wordpressPackageSchema>>({
    summary: 'list the archives of plugins and themes on this host',
    examples: ['berth wordpress packages'],
    path: '/api/wordpress/packages',
    columns: [
      ['KIND', 'kind'],
      ['NAME', 'slug'],
      ['VERSION', 'version'],
      ['FILE', 'file'],
      ['REFUSED', 'problem'],
    ],
    empty: 'No archives are placed: see [wordpress] packages in berth.toml',
  }),
  updates: {
    summary: 'list plugins and themes of a WordPress that can be updated',
    note: 'With --ask its WordPress asks over the network what is newer.',
    args: [ACCOUNT, PATH],
    options: [['--ask', 'ask anew, instead of what it was told last']],
    examples: ['berth wordpress updates alice public_html'],
    order: async ({ panel, args: [name, path], options }) => {
      const { id } = await findAccount(panel, name)
      return options.isOn('ask')
        ? {
            to: api`POST /api/wordpress/${id}/updates/ask`,
            body: given<unknown>({ path }),
            done: showUpdates,
          }
        : {
            to: api`GET /api/wordpress/${id}/updates`,
            query: { path: path ?? '' },
            done: showUpdates,
          }
    },
  },
  'update-plugins': {
    summary: 'update plugins and themes of a WordPress',
    note: 'All that are outdated, unless some are named. After a snapshot of the account; one with which the site fails is put back. Exit code 1 where one was.',
    args: [ACCOUNT, PATH],
    options: [
      ['--plugin <folder>', 'this plugin', { repeatable: true }],
      ['--theme <folder>', 'this theme', { repeatable: true }],
      ['--ask', 'ask over the network first what is newer'],
    ],
    job: true,
    examples: [
      'berth wordpress update-plugins alice public_html',
      'berth wordpress update-plugins alice public_html --plugin akismet --theme twentytwentythree',
    ],
    order: async ({ panel, args: [name, path], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/updates`,
      body: given<unknown>({
        ...{ path, plugins: options.list('plugin'), themes: options.list('theme') },
        ask: options.isOn('ask') || undefined,
      }),
      done: showResults,
      failed: (data) =>
        known<Updated>(data, 'results').results.some(({ outcome }) => outcome === 'failed'),
    }),
  },
}
