import type { z } from 'zod'
import { DNS_ACCESS_KINDS } from '#handlers/domain/certificates/dns-access.ts'
import type { dnsAccessSchema } from '#handlers/panel/certificates/schema.ts'
import { readText } from '../read-text.ts'
import { givenSome, type CommandOptions } from './frame/command-options.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

type Access = z.output<typeof dnsAccessSchema>

/** In place of an account: the panel's own name. */
const PANEL = 'panel'
const OWNER = ['<account>', 'its name or id; "panel" for the panel’s own name'] as const

const secretOf = (options: CommandOptions): string | undefined => {
  const file = options.text('secretFile')
  return file === undefined ? undefined : readText(file).trim()
}

const showRecord = (data: unknown): void => {
  const { name, zone, record } = known<Access>(data, 'name', 'zone')
  console.log(`The DNS access ${name} is there, for names in ${zone}.`)
  if (!record) return
  console.log('It is used once this record is set where that zone lies:')
  console.log(`${record.name}. CNAME ${record.value}.`)
}

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
        ['KIND', 'kind'],
        ['KEY', 'key_name'],
        ['CNAME', 'target'],
        ['CREATED', 'created_at'],
      ],
      empty: 'There is no DNS access. Add one: berth dns-access add',
    }),
    add: {
      summary: 'let names of an account be proved by records in a zone',
      note: 'It is tried with a record of _acme-challenge, which goes again.',
      args: [OWNER, ['<name>', 'what you call it']],
      options: [
        ['--zone <zone>', 'the zone, e.g. shop.example', { required: true }],
        [
          '--kind <kind>',
          'updates to a server (RFC 2136), the API of a provider, or an acme-dns',
          { choices: DNS_ACCESS_KINDS, preset: 'rfc2136' },
        ],
        [
          '--server <host>',
          'with rfc2136: the primary server of the zone, host or host:port; with acme-dns: its address, https://…',
        ],
        ['--key-name <name>', 'with rfc2136: name of a TSIG key for hmac-sha256'],
        [
          '--secret-file <file>',
          'holds the secret of the key in base64, or the API token; - reads the input; none with acme-dns',
        ],
      ],
      examples: [
        'berth dns-access add alice zone --zone shop.example --server ns1.shop.example --key-name berth --secret-file key',
        'berth dns-access add alice zone --kind cloudflare --zone shop.example --secret-file token',
        'berth dns-access add alice shop --kind acme-dns --zone shop.example --server https://auth.acme-dns.io',
      ],
      order: async ({ panel, args: [account, name], options }) => ({
        to: api`POST /api/dns-access`,
        body: {
          account_id: account === PANEL ? null : (await findAccount(panel, account)).id,
          name,
          kind: options.text('kind'),
          zone: options.text('zone'),
          server: options.text('server'),
          key_name: options.text('keyName'),
          secret: secretOf(options) ?? null,
        },
        done: showRecord,
      }),
    },
    update: {
      summary: 'give the access to a zone a new key or token, or another server',
      note: 'It is tried as a new one is; where that fails nothing is changed.',
      args: [OWNER, ['<name>', 'as the list shows it']],
      options: [
        ['--server <host>', 'with rfc2136: the primary server of the zone, host or host:port'],
        ['--key-name <name>', 'with rfc2136: name of a TSIG key for hmac-sha256'],
        ['--secret-file <file>', 'holds the new key or token; - reads the input'],
      ],
      examples: ['berth dns-access update alice zone --secret-file token'],
      async order({ panel, args: [account, name], options }) {
        const changed = { server: options.text('server'), key_name: options.text('keyName') }
        const body = givenSome(
          { ...changed, secret: secretOf(options) },
          '--server, --key-name, --secret-file',
        )
        if (account === PANEL) return { to: api`PATCH /api/dns-access/panel/${name}`, body }
        const { id } = await findAccount(panel, account)
        return { to: api`PATCH /api/dns-access/${id}/${name}`, body }
      },
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
