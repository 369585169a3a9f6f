import { z } from 'zod'
import { CliError } from '../../cli-error.ts'
import { confirmByName } from '../../terminal/confirm.ts'
import { newPassword } from '../../terminal/password.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-spec.ts'
import { listCommand } from '../frame/list-command.ts'
import { apiPath, type PanelClient } from '../frame/panel-client.ts'
import { PASSWORD_OPTIONS, readPasswordOptions, showPassword } from './password-options.ts'
import { showRecord } from '../frame/show-record.ts'

const rowSchema = z.object({
  id: z.number(),
  username: z.string(),
  status: z.string(),
  second_factor: z.boolean(),
  created_at: z.string(),
})
type User = z.infer<typeof rowSchema>

const USER = ['<user>', 'username or number'] as const

const findUser = async (panel: PanelClient, name: string): Promise<User> => {
  const rows = z.array(rowSchema).parse(await panel.call('GET', '/api/users'))
  const found =
    rows.find(({ username }) => username === name) ?? rows.find(({ id }) => String(id) === name)
  if (found) return found
  throw new CliError(`There is no administrator "${name}". See: berth users list`)
}

/** A command that changes one field of an administrator. */
const change = (
  name: string,
  summary: string,
  body: Record<string, unknown>,
  done: string,
): CommandSpec => ({
  name,
  summary,
  args: [USER],
  examples: [`berth users ${name} carol`],
  async run({ panel, args: [user = ''], print }) {
    const { id, username } = await findUser(panel, user)
    const data = await panel.call('PATCH', apiPath`/api/users/${id}`, { body })
    print(data, () => console.log(`Administrator ${username} ${done}.`))
  },
})

const create: CommandSpec = {
  name: 'create',
  summary: 'create an administrator',
  note: 'The password is asked for, unless --password-stdin or --generate-password is given. Where no administrator can log in any more, berth admin create works on this host without one.',
  args: [['<username>', 'at least 3 characters']],
  options: PASSWORD_OPTIONS,
  examples: ['berth users create carol', 'berth users create carol --generate-password --json'],
  async run({ panel, args: [username = ''], options, print }) {
    const secret = await newPassword(readPasswordOptions(options))
    const body = { username, password: secret.password }
    const data = await panel.call('POST', '/api/users', { body })
    print(showPassword.data(data, secret), () => {
      console.log(`Administrator ${username} was created.`)
      showPassword.line(secret)
    })
  },
}

const password: CommandSpec = {
  name: 'password',
  summary: 'set a new password of an administrator and end its sessions and API tokens',
  note: 'One changes the own password with berth password.',
  args: [USER],
  options: PASSWORD_OPTIONS,
  examples: ['berth users password carol --generate-password'],
  async run({ panel, args: [name = ''], options, print }) {
    const { id, username } = await findUser(panel, name)
    const secret = await newPassword(readPasswordOptions(options))
    const body = { password: secret.password }
    const data = await panel.call('PATCH', apiPath`/api/users/${id}`, { body })
    print(showPassword.data(data, secret), () => {
      console.log(`Administrator ${username} has a new password.`)
      showPassword.line(secret)
    })
  },
}

/** `berth users …`. */
export const users: ResourceSpec = {
  name: 'users',
  alias: 'user',
  summary: 'administrators of the panel',
  commands: [
    listCommand({
      summary: 'list the administrators',
      examples: ['berth users list'],
      path: () => '/api/users',
      sortable: ['id', 'username', 'status', 'created_at'],
      row: rowSchema,
      columns: [
        { title: 'ID', value: ({ id }) => id, right: true },
        { title: 'USERNAME', value: ({ username }) => username },
        { title: 'STATUS', value: ({ status }) => status, state: true },
        { title: 'SECOND FACTOR', value: (row) => row.second_factor },
        { title: 'CREATED', value: (row) => row.created_at },
      ],
      empty: 'There are no administrators. Create one: berth admin create',
    }),
    {
      name: 'show',
      summary: 'show an administrator',
      args: [USER],
      examples: ['berth users show carol'],
      async run({ panel, args: [name = ''], print }) {
        const { id } = await findUser(panel, name)
        const data = await panel.call('GET', apiPath`/api/users/${id}`)
        print(data, () => showRecord(data))
      },
    },
    create,
    password,
    {
      name: 'rename',
      summary: 'give an administrator another name',
      args: [USER, ['<username>', 'the new one']],
      examples: ['berth users rename carol caroline'],
      async run({ panel, args: [name = '', username = ''], print }) {
        const { id, username: before } = await findUser(panel, name)
        const data = await panel.call('PATCH', apiPath`/api/users/${id}`, { body: { username } })
        print(data, () => console.log(`Administrator ${before} is now ${username}.`))
      },
    },
    change('lock', 'refuse an administrator', { status: 'locked' }, 'is locked'),
    change('unlock', 'let an administrator in again', { status: 'active' }, 'is active again'),
    change(
      'remove-second-factor',
      'take the second factor off, for a lost authenticator',
      { second_factor: false },
      'has no second factor any more',
    ),
    {
      name: 'delete',
      summary: 'delete an administrator',
      args: [USER],
      options: [['--yes', 'do not ask to type the name']],
      examples: ['berth users delete carol'],
      async run({ panel, args: [name = ''], options, print }) {
        const { id, username } = await findUser(panel, name)
        await confirmByName(`Deleting administrator ${username}`, username, options.isOn('yes'))
        const data = await panel.call('DELETE', apiPath`/api/users/${id}`)
        print(data, () => console.log(`Administrator ${username} was deleted.`))
      },
    },
  ],
}
