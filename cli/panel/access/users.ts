import type { z } from 'zod'
import type { userSchema } from '#handlers/panel/users/user-routes.ts'
import { CliError } from '../../cli-error.ts'
import type { Order, OrderSpec, ResourceSpec } from '../frame/command-types.ts'
import { knownRows } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api, type PanelClient } from '../frame/panel-client.ts'

const USER = ['<user>', 'username or number'] as const

type User = z.output<typeof userSchema>

const findUser = async (panel: PanelClient, name = '') => {
  const rows = knownRows<User>(await panel.call('GET', '/api/users'), 'id', 'username')
  const found =
    rows.find(({ username }) => username === name) ?? rows.find(({ id }) => String(id) === name)
  if (found) return found
  throw new CliError(`There is no administrator "${name}". See: berth users list`)
}

/** A command about one administrator. */
const about = (
  facts: Omit<OrderSpec, 'order'>,
  orderOf: (user: User, args: readonly string[]) => Order,
): OrderSpec => ({
  args: [USER],
  ...facts,
  order: async ({ panel, args: [name, ...args] }) => orderOf(await findUser(panel, name), args),
})

/** A command that changes one field of an administrator. */
const change = (summary: string, example: string, body: object, done: string): OrderSpec =>
  about({ summary, examples: [example] }, ({ id, username }) => ({
    to: api`PATCH /api/users/${id}`,
    body,
    done: `Administrator ${username} ${done}.`,
  }))

/** `berth users …`. */
export const users: ResourceSpec = {
  name: 'users',
  alias: 'user',
  summary: 'administrators of the panel',
  commands: {
    list: listCommand<User>({
      summary: 'list the administrators',
      examples: ['berth users list'],
      path: '/api/users',
      sortable: ['id', 'username', 'status', 'created_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['USERNAME', 'username'],
        ['STATUS', 'status', 'state'],
        ['SECOND FACTOR', 'second_factor'],
        ['CREATED', 'created_at'],
      ],
      empty: 'There are no administrators. Create one: berth admin create',
    }),
    show: about(
      { summary: 'show an administrator', examples: ['berth users show carol'] },
      ({ id }) => ({ to: api`GET /api/users/${id}` }),
    ),
    create: {
      summary: 'create an administrator',
      note: 'The password is asked for, unless --password-stdin or --generate-password is given. Where no administrator can log in any more, berth admin create works on this host without one.',
      args: [['<username>', 'at least 3 characters']],
      password: 'password',
      examples: ['berth users create carol', 'berth users create carol --generate-password --json'],
      order: ({ args: [username] }) => ({
        to: api`POST /api/users`,
        body: { username },
        done: `Administrator ${username} was created.`,
      }),
    },
    password: about(
      {
        summary: 'set a new password of an administrator and end its sessions and API tokens',
        note: 'One changes the own password with berth password.',
        password: 'password',
        examples: ['berth users password carol --generate-password'],
      },
      ({ id, username }) => ({
        to: api`PATCH /api/users/${id}`,
        done: `Administrator ${username} has a new password.`,
      }),
    ),
    rename: about(
      {
        summary: 'give an administrator another name',
        args: [USER, ['<username>', 'the new one']],
        examples: ['berth users rename carol caroline'],
      },
      ({ id, username: before }, [username]) => ({
        to: api`PATCH /api/users/${id}`,
        body: { username },
        done: `Administrator ${before} is now ${username}.`,
      }),
    ),
    lock: change(
      'refuse an administrator',
      'berth users lock carol',
      { status: 'locked' },
      'is locked',
    ),
    unlock: change(
      'let an administrator in again',
      'berth users unlock carol',
      { status: 'active' },
      'is active again',
    ),
    'remove-second-factor': change(
      'take the second factor off, for a lost authenticator',
      'berth users remove-second-factor carol',
      { second_factor: false },
      'has no second factor any more',
    ),
    delete: about(
      {
        summary: 'delete an administrator',
        confirms: 'name',
        examples: ['berth users delete carol'],
      },
      ({ id, username }) => ({
        to: api`DELETE /api/users/${id}`,
        confirm: [`Deleting administrator ${username}`, username],
        done: `Administrator ${username} was deleted.`,
      }),
    ),
  },
}
