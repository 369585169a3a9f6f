import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { adminName, newPassword, numberText, oneOf } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { named, recordId, timestamp } from '../frame/common-schemas.ts'

const STATUSES = ['active', 'locked'] as const

export const userSchema = named('User', {
  id: recordId(),
  username: z.string(),
  role: z.literal('admin'),
  status: z
    .enum(STATUSES)
    .describe('A locked user cannot log in; locking ends its sessions and API tokens.'),
  second_factor: z.boolean().describe('Whether a login needs a code.'),
  created_at: timestamp(),
})

const createSchema = z.object({
  username: adminName('username'),
  password: newPassword('password'),
})

const updateSchema = z.object({
  username: adminName('username').optional(),
  password: newPassword('password')
    .optional()
    .describe('Ends every session and API token of the user.'),
  status: oneOf('status', STATUSES).optional(),
  second_factor: z
    .literal(false, { error: 'second_factor can only be set to false.' })
    .optional()
    .describe('Takes the second factor off.'),
})

const params = z.object({ id: numberText('id') })
const on = routesOf('Users')
const NOT_FOUND = 'No such administrator.'
const TAKEN = 'The username is taken by an administrator or an account.'

/** Administrators of the panel. Hosting accounts log in by themselves and are found under Accounts. */
export const userRoutes = ({ users }: Services) => [
  on.system.list('/api/users', {
    summary: 'Lists the administrators',
    sortable: ['id', 'username', 'status', 'created_at'],
    row: userSchema,
    rows: (list) => users.list(list),
  }),
  on.system.post('/api/users', {
    ownSession: true,
    summary: 'Creates an administrator',
    body: createSchema,
    data: userSchema,
    errors: { 409: TAKEN },
    handle: ({ body }) => users.create(body),
  }),
  on.system.get('/api/users/:id', {
    summary: 'One administrator',
    params,
    data: userSchema,
    errors: { 404: NOT_FOUND },
    handle: ({ params: { id } }) => users.get(id),
  }),
  on.system.patch('/api/users/:id', {
    ownSession: true,
    summary: 'Changes an administrator',
    description:
      'A new password and locking end every session and API token of the user. The own password is changed with POST /api/auth/password.',
    params,
    body: updateSchema,
    data: userSchema,
    errors: {
      404: NOT_FOUND,
      409: `${TAKEN} Or it would lock the last administrator or oneself, or get around showing the own password or code.`,
    },
    handle: ({ params: { id }, body: { second_factor, ...change }, caller }) =>
      users.update(id, { ...change, secondFactor: second_factor }, caller.user.id),
  }),
  on.system.delete('/api/users/:id', {
    ownSession: true,
    summary: 'Deletes an administrator',
    description: 'With its API tokens; its sessions end.',
    params,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 409: 'It is oneself, or the last administrator.' },
    async handle({ params: { id }, caller }) {
      await users.remove(id, caller.user.id)
      return { id, deleted: true as const }
    },
  }),
]
