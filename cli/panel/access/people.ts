import type { z } from 'zod'
import { MEMBER_ROLES } from '#handlers/domain/access/member-role.ts'
import type {
  invitationSchema,
  memberSchema,
  personSchema,
} from '#handlers/panel/users/people-schema.ts'
import { CliError } from '../../cli-error.ts'
import { printable } from '../../terminal/printable.ts'
import type { Order, OrderSpec, OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { known, knownRows } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount, type AccountRecord } from '../frame/lookup.ts'
import { api, apiPath, type PanelClient } from '../frame/panel-client.ts'

type Member = z.output<typeof memberSchema>
type Person = z.output<typeof personSchema>
type Invitation = z.output<typeof invitationSchema>

const PERSON = ['<person>', 'e-mail address or number'] as const
const ROLE: OptionSpec = [
  '--role <role>',
  'owner (everything), developer (sites, files, databases and what belongs to them) or reader (looks)',
  { choices: MEMBER_ROLES, required: true },
]

const isMeant = (row: { id: number; email: string }, name: string): boolean =>
  row.email === name.toLowerCase() || String(row.id) === name

/** Everybody's person of that address or number. */
const findPerson = async (panel: PanelClient, name = ''): Promise<Person> => {
  const rows = knownRows<Person>(await panel.call('GET', '/api/people'), 'id', 'email')
  const found = rows.find((row) => isMeant(row, name))
  if (found) return found
  throw new CliError(`There is no person "${name}". See: berth people list-all`)
}

/** A command about a person of an account. */
const aboutMember = (
  facts: Omit<OrderSpec, 'order' | 'args'>,
  orderOf: (account: AccountRecord, member: Member, role: string | undefined) => Order,
): OrderSpec => ({
  args: [ACCOUNT, PERSON],
  ...facts,
  async order({ panel, args: [name, person = ''], options }) {
    const account = await findAccount(panel, name)
    const data = await panel.call('GET', apiPath`/api/accounts/${account.id}/people`)
    const member = knownRows<Member>(data, 'id', 'email').find((row) => isMeant(row, person))
    if (member) return orderOf(account, member, options.text('role'))
    throw new CliError(
      `"${person}" does not belong to ${account.username}. See: berth people list ${account.username}`,
    )
  },
})

const showLink = (data: unknown): void => {
  const { token, email, expires_at, mailed } = known<
    Invitation & { token: string; mailed?: boolean }
  >(data, 'token', 'email')
  if (mailed === true) console.log(`It was sent to ${printable(email)} by mail.`)
  console.log(`Send this to ${printable(email)}; it is good once, until ${expires_at} UTC.`)
  console.log('Open it at the address of the panel:')
  console.log(`/invitation#${token}`)
}

/** `berth people …`. */
export const people: ResourceSpec = {
  name: 'people',
  summary: "people who work in accounts beside the accounts' own logins",
  commands: {
    list: listCommand<Member>({
      summary: 'list the people of an account',
      args: [ACCOUNT],
      examples: ['berth people list alice'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/accounts/${(await findAccount(panel, name)).id}/people`,
      sortable: ['email', 'name', 'role', 'created_at', 'seen_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['E-MAIL', 'email'],
        ['NAME', 'name'],
        ['ROLE', 'role'],
        ['SECOND FACTOR', 'second_factor'],
        ['SEEN (UTC)', 'seen_at', null, (row) => row.seen_at ?? ''],
        ['JOINED (UTC)', 'created_at'],
      ],
      empty:
        'Nobody works in this account beside its own login. Invite somebody: berth people invite',
    }),
    'list-all': listCommand<Person>({
      summary: 'list the people of all accounts, for administrators',
      examples: ['berth people list-all --q @agency.example'],
      path: '/api/people',
      sortable: ['email', 'name', 'created_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['E-MAIL', 'email'],
        ['NAME', 'name'],
        [
          'ACCOUNTS',
          'accounts',
          null,
          (row) => row.accounts.map(({ username, role }) => `${username} (${role})`).join(', '),
        ],
        ['SECOND FACTOR', 'second_factor'],
      ],
      empty: 'Nobody works in accounts beside their own logins.',
    }),
    invite: {
      summary: 'invite somebody to an account; the link is printed once',
      note: 'Whoever has the link may answer, once and within seven days. Inviting the same address again ends the earlier link.',
      args: [ACCOUNT, ['<email>', 'the address, which becomes the login']],
      options: [ROLE],
      examples: ['berth people invite alice anna@agency.example --role developer'],
      order: async ({ panel, args: [name, email], options }) => ({
        to: api`POST /api/accounts/${(await findAccount(panel, name)).id}/invitations`,
        body: { email, role: options.text('role') },
        done: showLink,
      }),
    },
    invitations: listCommand<Invitation>({
      summary: 'list the invitations of an account that stand',
      args: [ACCOUNT],
      examples: ['berth people invitations alice'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/accounts/${(await findAccount(panel, name)).id}/invitations`,
      columns: [
        ['ID', 'id', 'right'],
        ['E-MAIL', 'email'],
        ['ROLE', 'role'],
        ['INVITED BY', 'invited_by'],
        ['EXPIRES (UTC)', 'expires_at'],
      ],
      empty: 'No invitation stands.',
    }),
    revoke: {
      summary: 'revoke an invitation',
      args: [ACCOUNT, ['<id>', 'its number, as berth people invitations shows it']],
      confirms: 'number',
      examples: ['berth people revoke alice 4'],
      order: async ({ panel, args: [name, id = ''] }) => ({
        to: api`DELETE /api/accounts/${(await findAccount(panel, name)).id}/invitations/${id}`,
        confirm: [`Revoking invitation ${id}`, id],
        done: `Invitation ${id} was revoked.`,
      }),
    },
    role: aboutMember(
      {
        summary: 'change what a person may do in an account; its sessions and tokens there end',
        options: [ROLE],
        examples: ['berth people role alice anna@agency.example --role reader'],
      },
      (account, { id, email }, role) => ({
        to: api`PATCH /api/accounts/${account.id}/people/${id}`,
        body: { role },
        done: `${email} is ${role ?? ''} of ${account.username} now.`,
      }),
    ),
    remove: aboutMember(
      {
        summary: 'remove a person from an account, and altogether where it was the only one',
        confirms: 'name',
        examples: ['berth people remove alice anna@agency.example'],
      },
      (account, { id, email }) => ({
        to: api`DELETE /api/accounts/${account.id}/people/${id}`,
        confirm: [`Removing ${email} from ${account.username}`, email],
        done: `${email} does not belong to ${account.username} any more.`,
      }),
    ),
    'remove-second-factor': {
      summary: "take a person's second factor off, for a lost authenticator",
      args: [PERSON],
      examples: ['berth people remove-second-factor anna@agency.example'],
      async order({ panel, args: [name] }) {
        const { id, email } = await findPerson(panel, name)
        return {
          to: api`PATCH /api/people/${id}`,
          body: { second_factor: false },
          done: `${email} has no second factor any more.`,
        }
      },
    },
    delete: {
      summary: 'delete a person from every account, for administrators',
      note: 'Who forgot the password is deleted and invited anew.',
      args: [PERSON],
      confirms: 'name',
      examples: ['berth people delete anna@agency.example'],
      async order({ panel, args: [name] }) {
        const { id, email } = await findPerson(panel, name)
        return {
          to: api`DELETE /api/people/${id}`,
          confirm: [`Deleting ${email}`, email],
          done: `${email} was deleted.`,
        }
      },
    },
  },
}
