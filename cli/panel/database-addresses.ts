import { writeFileSync } from 'node:fs'
import type { z } from 'zod'
import type { databaseAddressSchema, remoteSchema } from '#handlers/panel/databases/schema.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { given } from './frame/command-options.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { known, knownRows } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

type Address = z.output<typeof databaseAddressSchema>
type Remote = z.output<typeof remoteSchema>

const show = ({ engines, host, certificate }: Remote): void => {
  console.log(`Host:         ${host ?? 'the name that the panel is reached by'}`)
  for (const { engine, port, problem } of engines)
    console.log(
      `${`${engine}:`.padEnd(13)} ${port === null ? 'this machine alone' : `port ${port}, TLS`}${
        problem === null ? '' : ` (${printable(problem)})`
      }`,
    )
  if (certificate === null) return
  console.log(
    `Certificate:  ${certificate.names.map(printable).join(', ')}, until ${certificate.until}`,
  )
  console.log(`Fingerprint:  SHA-256 ${certificate.fingerprint}`)
  if (certificate.own)
    console.log(
      'It is Berth’s own: give clients its file, which berth database-addresses certificate writes.',
    )
}

/** `berth database-addresses …`. */
export const databaseAddresses: ResourceSpec = {
  name: 'database-addresses',
  alias: 'database-address',
  summary: 'addresses from which databases may be reached over TLS',
  commands: {
    show: {
      summary: 'show how databases are reached from other machines',
      examples: ['berth database-addresses show'],
      order: async () => ({
        to: api`GET /api/databases/remote`,
        done: (data) => show(known<Remote>(data, 'engines')),
      }),
    },
    certificate: {
      summary: 'write the certificate that database servers show to other machines',
      args: [['<file>', 'where to; - writes to the terminal']],
      examples: ['berth database-addresses certificate berth-databases.pem'],
      order: async ({ args: [file = '-'] }) => ({
        to: api`GET /api/databases/remote`,
        done(data) {
          const { certificate } = known<Remote>(data, 'engines')
          if (certificate === null)
            throw new CliError('No database server is reached from other machines here.')
          if (file === '-') process.stdout.write(certificate.pem)
          else {
            writeFileSync(file, certificate.pem)
            console.log(`Written to ${printable(file)}.`)
          }
        },
      }),
    },
    list: listCommand<Address>({
      summary: 'list the addresses from which the databases of an account may be reached',
      args: [ACCOUNT],
      examples: ['berth database-addresses list alice'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/database-addresses/${(await findAccount(panel, name)).id}`,
      columns: [
        ['ADDRESS', 'address'],
        ['NOTE', 'note'],
        ['CREATED', 'created_at'],
      ],
      empty:
        'This machine alone reaches the databases. Allow an address: berth database-addresses add',
    }),
    add: {
      summary: 'let an address or block of addresses reach the databases of an account',
      args: [ACCOUNT, ['<address>', 'e.g. 203.0.113.7, 203.0.113.0/24 or 2001:db8:1:2::/64']],
      options: [['--note <text>', 'what it is']],
      examples: ['berth database-addresses add alice 203.0.113.7 --note office'],
      order: async ({ panel, args: [account, address], options }) => ({
        to: api`POST /api/database-addresses`,
        body: given({
          account_id: (await findAccount(panel, account)).id,
          address,
          note: options.text('note'),
        }),
      }),
    },
    remove: {
      summary: 'let an address reach the databases no more',
      note: 'Connections from there end.',
      args: [ACCOUNT, ['<address>', 'as the list shows it']],
      confirms: 'name',
      examples: ['berth database-addresses remove alice 203.0.113.7'],
      async order({ panel, args: [account, address = ''] }) {
        const { id, username } = await findAccount(panel, account)
        const rows = await panel.call('GET', apiPath`/api/database-addresses/${id}`)
        const row = knownRows<Address>(rows, 'id', 'address').find((one) => one.address === address)
        if (row === undefined)
          throw new CliError(
            `Account ${username} has no address "${address}". See: berth database-addresses list ${username}`,
          )
        return {
          to: api`DELETE /api/database-addresses/${id}/${row.id}`,
          confirm: [`Shutting ${row.address} out of the databases of ${username}`, row.address],
          done: `${row.address} reaches the databases of ${username} no more.`,
        }
      },
    },
  },
}
