import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { changes, flag, id, newPassword, numberText, text } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { routesOf } from '../frame/routes-of.ts'
import { sftpUserSchema } from './schema.ts'
import { userWord } from './sftp-fields.ts'

const on = routesOf('SFTP')
const params = z.object({ account_id: numberText('account_id') })
const userParams = params.extend({ id: numberText('id') })
const folder = () =>
  text('folder', 4095).describe('Below the home, e.g. "public_html/shop". No link may lie on it.')
const readOnly = () => flag('read_only').describe('It may read files, and change none.')
const createSchema = z.object({
  account_id: id('account_id'),
  name: userWord().describe('1-15 of a-z and 0-9; one logs in as <account>_<name>.'),
  folder: folder(),
  password: newPassword('password').nullable().default(null).describe('Null: keys alone.'),
  read_only: readOnly().default(false),
})
const changeSchema = changes({
  folder: folder().optional(),
  password: newPassword('password').nullable().optional().describe('Null: keys alone.'),
  read_only: readOnly().optional(),
})
const sortable = ['name', 'folder', 'created_at'] as const
const NO_SFTP = 'The host does not answer, or has no SFTP for accounts.'
const BUSY = 'The account is being made or deleted.'

/** Users of accounts who reach one folder of the home over SFTP. */
export const sftpUserRoutes = ({ sftpUsers }: Services) => [
  on.system.list('/api/sftp-users', {
    summary: 'Lists the SFTP users of all accounts',
    sortable,
    row: sftpUserSchema,
    rows: (list) => sftpUsers.list(null, list),
  }),
  on.account.list('/api/sftp-users/:account_id', {
    summary: 'Lists the SFTP users of an account',
    sortable,
    params,
    row: sftpUserSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => sftpUsers.list(params.account_id, list),
  }),
  on.account.post('/api/sftp-users', {
    waysIn: true,
    summary: 'Adds an SFTP user for one folder of an account',
    description:
      'It sees that folder as /files and nothing else; what it writes belongs to the account. How many an account may have is a limit of its plan, which an administrator may exceed.',
    body: createSchema,
    data: sftpUserSchema,
    errors: {
      403: 'The account has as many SFTP users as its plan allows.',
      404: 'No such account.',
      409: `The name is taken. ${BUSY}`,
      503: NO_SFTP,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      const { account_id, name: word, folder, password, read_only } = body
      const user = { word, folder, password, readOnly: read_only }
      return sftpUsers.create(account_id, user, caller.role !== 'admin')
    },
  }),
  on.account.patch('/api/sftp-users/:account_id/:id', {
    waysIn: true,
    summary: 'Changes the folder, password or rights of an SFTP user',
    description: 'With another folder, or other rights, its sessions end.',
    params: userParams,
    body: changeSchema,
    data: sftpUserSchema,
    errors: { 404: 'No such account or user.', 409: BUSY, 503: NO_SFTP },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params, body: { folder, password, read_only } }) =>
      sftpUsers.change(
        params.account_id,
        params.id,
        given({ folder, password, readOnly: read_only }),
      ),
  }),
  on.account.delete('/api/sftp-users/:account_id/:id', {
    waysIn: true,
    summary: 'Removes an SFTP user',
    description: 'With its keys; its sessions end, its files stay.',
    params: userParams,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: 'No such account or user.', 409: BUSY, 503: NO_SFTP },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id } }) {
      await sftpUsers.remove(account_id, id)
      return { id, deleted: true as const }
    },
  }),
]
