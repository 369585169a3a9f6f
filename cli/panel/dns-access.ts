import type { z } from 'zod'
import type { dnsAccessSchema } from '#handlers/panel/certificates/schema.ts'
import { readText } from '../read-text.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

type Access = z.output<typeof dnsAccessSchema>

/** In place of an account: the panel's own name. */
const PANEL = 'panel'
const OWNER = ['<account>', 'its name or id; "panel" for the panel’s own name'] as const

/** `berth dns-access …`. */
export const dnsAccess: ResourceSpec = {
  name: 'dns-access',
  summary: 'access to DNS zones, by which wildcards and other names get certificates',
  commands: {
    list: listCommand<Access>({
      summary: 'list the DNS access of an account',
      args: [OWNER],
      examples: ['berth dns-access list alice'],
      path: async ({ panel, args: [name] }) =>
        name === PANEL
          ? '/api/dns-access/panel'
          : apiPath`/api/dns-access/${(await findAccount(panel, name)).id}`,
      columns: [
        ['NAME', 'name'],
        ['ZONE', 'zone'],
        ['SERVER', 'server'],
        ['KEY', 'key_name'],
        ['CREATED', 'created_at'],
      ],
      empty: 'There is no DNS access. Add one: berth dns-access add',
    }),
    add: {
      summary: 'let names of an account be proved by records in a zone (RFC 2136)',
      note: 'It is tried with a record of _acme-challenge, which goes again.',
      args: [OWNER, ['<name>', 'what you call it']],
      options: [
        ['--zone <zone>', 'the zone, e.g. shop.example', { required: true }],
        ['--server <host>', 'its primary server, host or host:port', { required: true }],
        ['--key-name <name>', 'of a TSIG key for hmac-sha256', { required: true }],
        [
          '--secret-file <file>',
          'holds the secret of the key, in base64; - reads the input',
          { required: true },
        ],
      ],
      examples: [
        'berth dns-access add alice zone --zone shop.example --server ns1.shop.example --key-name berth --secret-file key',
      ],
      order: async ({ panel, args: [account, name], options }) => ({
        to: api`POST /api/dns-access`,
        body: {
          account_id: account === PANEL ? null : (await findAccount(panel, account)).id,
          name,
          zone: options.text('zone'),
          server: options.text('server'),
          key_name: options.text('keyName'),
          secret: readText(options.text('secretFile') ?? '-').trim(),
        },
      }),
    },
    remove: {
      summary: 'forget the access to a zone',
      note: 'Certificates stay; what only it could prove is renewed no more.',
      args: [OWNER, ['<name>', 'as the list shows it']],
      confirms: 'name',
      examples: ['berth dns-access remove alice zone'],
      async order({ panel, args: [account, name = ''] }) {
        const confirm: [string, string] = [`Forgetting the DNS access ${name}`, name]
        const done = `The DNS access ${name} is forgotten.`
        if (account === PANEL)
          return { to: api`DELETE /api/dns-access/panel/${name}`, confirm, done }
        const { id } = await findAccount(panel, account)
        return { to: api`DELETE /api/dns-access/${id}/${name}`, confirm, done }
      },
    },
  },
}
