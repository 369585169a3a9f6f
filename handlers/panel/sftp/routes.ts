import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { changes, flag, id, numberText } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { routesOf } from '../frame/routes-of.ts'
import { listedSshKeySchema, sftpAccessSchema, sftpAccessView, sshKeySchema } from './schema.ts'
import { keyAccess, keyEnd, keyName, publicKey } from './sftp-fields.ts'

const on = routesOf('SFTP', { changes: 'develop' })
const params = z.object({ account_id: numberText('account_id') })
const keyParams = params.extend({ id: numberText('id') })
const createSchema = z
  .object({
    account_id: id('account_id'),
    name: keyName(),
    public_key: publicKey(),
    expires_at: keyEnd().default(null),
    sftp_user_id: id('sftp_user_id')
      .nullable()
      .default(null)
      .describe('A user for one folder that it is to open; null: the account itself.'),
    application_id: id('application_id')
      .nullable()
      .default(null)
      .describe(
        'An application whose repository it is to open, with git and nothing beside it; null: the account itself.',
      ),
    access: keyAccess()
      .nullable()
      .default(null)
      .describe('At that repository; write: also to push. Null: read.'),
  })
  .superRefine(({ sftp_user_id, application_id, access }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (application_id !== null && sftp_user_id !== null)
      refuse('application_id is for keys of the account, not of an SFTP user.')
    if (application_id === null && access !== null) refuse('access needs an application_id.')
  })
const changeSchema = changes({
  name: keyName().optional(),
  expires_at: keyEnd().optional(),
  access: keyAccess().optional().describe('Of a key that opens a repository alone.'),
})
const sortable = ['name', 'type', 'expires_at', 'created_at', 'last_used_at'] as const
const NO_SFTP = 'The host does not answer, or has no SFTP for accounts.'
const BUSY = 'The account is being made or deleted.'

/** SFTP of accounts: how they are reached, and the keys that open them. */
export const sftpRoutes = ({ sftp }: Services) => [
  on.account.get('/api/sftp/:account_id', {
    summary: 'Shows how an account is reached over SFTP',
    description:
      "At the machine's own sshd, which keeps the account in its home: no shell and no commands unless it was given one, no forwarding.",
    params,
    data: sftpAccessSchema,
    errors: { 404: 'No such account.', 503: 'The host does not answer.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params }) => sftpAccessView(await sftp.access(params.account_id)),
  }),
  on.account.patch('/api/sftp/:account_id', {
    level: 'own',
    waysIn: true,
    summary: "Says whether an account's password opens it over SFTP",
    params,
    body: z.object({ passwords: flag('passwords') }),
    data: sftpAccessSchema,
    errors: { 404: 'No such account.', 409: BUSY, 503: NO_SFTP },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params, body }) =>
      sftpAccessView(await sftp.setPasswords(params.account_id, body.passwords)),
  }),
  on.manage.patch('/api/sftp/:account_id/shell', {
    level: 'own',
    waysIn: true,
    summary: 'Gives an account a shell, or takes it',
    description:
      'In a room of its own with the limits of its plan, and rsync and scp with it. Only where the plan allows it. An administrator may do this, or the reseller of the account. What is taken ends at once, with all that runs there.',
    params,
    body: z.object({ shell: flag('shell') }),
    data: sftpAccessSchema,
    errors: {
      403: 'The plan of the account allows no shell.',
      404: 'No such account.',
      409: BUSY,
      503: NO_SFTP,
    },
    before: ({ params, caller }) => authorize(caller, 'manage', params.account_id),
    handle: async ({ params, body }) =>
      sftpAccessView(await sftp.setShell(params.account_id, body.shell)),
  }),
  on.manage.list('/api/ssh-keys', {
    summary: 'Lists the SSH keys of all accounts',
    description: 'A reseller sees those of his accounts.',
    sortable,
    row: listedSshKeySchema,
    rows: (list) => sftp.keys(null, list),
  }),
  on.account.list('/api/ssh-keys/:account_id', {
    summary: 'Lists the SSH keys of an account',
    sortable,
    params,
    row: listedSshKeySchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => sftp.keys(params.account_id, list),
  }),
  on.account.post('/api/ssh-keys', {
    waysIn: true,
    summary: 'Adds an SSH key to an account',
    description:
      'It opens the account over SFTP from then on, or with application_id one repository with git and nothing else. How many an account may have is a limit of its plan, which an administrator may exceed.',
    body: createSchema,
    data: sshKeySchema,
    errors: {
      403: 'The account has as many keys as its plan allows.',
      404: 'No such account, SFTP user or application.',
      409: `The account has this key already, or the application has no repository to push to. ${BUSY}`,
      503: NO_SFTP,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      return sftp.addKey(
        body.account_id,
        {
          name: body.name,
          publicKey: body.public_key,
          expiresAt: body.expires_at,
          sftpUserId: body.sftp_user_id,
          applicationId: body.application_id,
          access: body.access,
        },
        caller.role !== 'admin',
      )
    },
  }),
  on.account.patch('/api/ssh-keys/:account_id/:id', {
    waysIn: true,
    summary: 'Changes the name, the end or the access of an SSH key',
    description: 'Sessions that it opened go on.',
    params: keyParams,
    body: changeSchema,
    data: sshKeySchema,
    errors: { 404: 'No such account or key.', 409: BUSY, 503: NO_SFTP },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params, body: { name, expires_at, access } }) =>
      sftp.changeKey(params.account_id, params.id, given({ name, expiresAt: expires_at, access })),
  }),
  on.account.delete('/api/ssh-keys/:account_id/:id', {
    waysIn: true,
    summary: 'Removes an SSH key',
    description: 'It opens nothing any more; sessions that it opened go on.',
    params: keyParams,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: 'No such account or key.', 409: BUSY, 503: NO_SFTP },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id } }) {
      await sftp.removeKey(account_id, id)
      return { id, deleted: true as const }
    },
  }),
]
