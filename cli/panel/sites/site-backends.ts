import type { z } from 'zod'
import { serverLine, serverOf } from '#handlers/domain/site-settings/backends/server-line.ts'
import type { siteBackendAnswer } from '#handlers/panel/site-settings/schema.ts'
import { CliError } from '../../cli-error.ts'
import { given } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { listCommand } from '../frame/list-command.ts'
import { findDomain } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'

type Backend = z.output<typeof siteBackendAnswer>

const DOMAIN = ['<domain>', 'name or number'] as const
const PATH = ['<path>', 'as in /api, with all below it; / is the whole site'] as const

const readServer = (line: string) => {
  const server = serverOf(line)
  if (server === null)
    throw new CliError(
      `--server must be "address [weight]", as in "https://app.example 2", but is "${line}".`,
      2,
    )
  return server
}

/** `berth backends …`. */
export const siteBackends: ResourceSpec = {
  name: 'backends',
  alias: 'backend',
  summary: 'applications and servers that answer paths of a site in place of its files',
  commands: {
    list: listCommand<Backend>({
      summary: 'list what answers paths of a site, and how it fares',
      args: [DOMAIN],
      examples: ['berth backends list shop.example'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/domains/${(await findDomain(panel, name)).id}/backends`,
      columns: [
        ['PATH', 'path'],
        ['THERE', 'replace_prefix'],
        [
          'ANSWERED BY',
          'application',
          null,
          ({ application, servers }) => application ?? servers.map(serverLine).join(', '),
        ],
        ['HEALTH', 'health_path'],
        ['STATE', 'state', 'state'],
      ],
      empty: 'Files and scripts answer. Name something else: berth backends set',
    }),
    set: {
      summary: 'have a path of a site answered by an application or by servers',
      note: 'What answered the path before is replaced, with all that was set of it. Servers must lie in the internet, unless an administrator says --internal. Of all paths the longest that fits answers. Pages of the site are purged.',
      args: [DOMAIN, PATH],
      options: [
        ['--application <name>', "one of the account's applications, with all its instances"],
        [
          '--server <server>',
          '"address [weight]", as in "https://app.example 2"; repeatable',
          { repeatable: true },
        ],
        ['--replace-prefix <path>', 'path there that stands in place of the path here'],
        ['--health <path>', 'asked of each server; one that answers with 400 or more gets nothing'],
        ['--preserve-host', "servers get the visitor's Host instead of their own"],
        ['--no-websocket', 'pass no WebSockets on'],
        ['--no-verify-tls', 'take any certificate of servers'],
        ['--internal', 'servers may lie anywhere, for administrators'],
      ],
      examples: [
        'berth backends set shop.example /api --server "https://a.example 2" --server https://b.example --health /up',
        'berth backends set shop.example /wiki --application wiki --replace-prefix /',
      ],
      order: async ({ panel, args: [name, path], options }) => ({
        to: api`PUT /api/domains/${(await findDomain(panel, name)).id}/backends`,
        body: given({
          path,
          application: options.text('application'),
          servers: options.list('server')?.map(readServer),
          replace_prefix: options.text('replacePrefix'),
          health_path: options.text('health'),
          preserve_host: options.flag('preserveHost'),
          websocket: options.flag('websocket'),
          verify_tls: options.flag('verifyTls'),
          internal: options.flag('internal'),
        }),
        done: `${path} is passed on.`,
      }),
    },
    remove: {
      summary: 'have a path of a site answered by its files again',
      args: [DOMAIN, ['<path>', 'as the list shows it']],
      confirms: 'path',
      examples: ['berth backends remove shop.example /api'],
      order: async ({ panel, args: [name, path = ''] }) => ({
        to: api`DELETE /api/domains/${(await findDomain(panel, name)).id}/backends`,
        query: { path },
        confirm: [`Passing ${path} on no more`, path],
        done: `${path} is passed on no more.`,
      }),
    },
  },
}
