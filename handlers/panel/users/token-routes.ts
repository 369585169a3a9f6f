import { z } from 'zod'
import { TOKEN_SCOPES } from '../../domain/access/api-token.ts'
import { invalid } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { id, isMoment, label, numberText, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { named, recordId, role, timestamp } from '../frame/common-schemas.ts'

export const tokenSchema = named('ApiToken', {
  id: recordId(),
  name: z.string(),
  role: role(),
  owner: z.string().describe('Username of whom it belongs to.'),
  account_id: z.int().nullable().describe('The account that it is for.'),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  expires_at: timestamp().nullable(),
  last_used_at: timestamp().nullable().describe('To the minute.'),
  created_at: timestamp(),
})

const createSchema = z.object({
  name: label('name', 64).min(1, 'name is required.'),
  scopes: z
    .array(z.enum(TOKEN_SCOPES, { error: `scopes may be ${TOKEN_SCOPES.join(', ')}.` }), {
      error: 'scopes must be a list.',
    })
    .min(1, 'scopes must name at least one scope.')
    .max(10, 'scopes must be at most 10.')
    .describe(
      'read: what changes nothing; cache: the page cache and its rules, site by site; write: all that changes something.',
    ),
  expires_at: text('expires_at', 19)
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'expires_at must be YYYY-MM-DD HH:MM:SS, in UTC.')
    .refine(isMoment, 'expires_at is no date that exists.')
    .nullish()
    .describe('UTC. Default: never.'),
  account_id: id('account_id')
    .optional()
    .describe('For an administrator: the account that it shall belong to. Default: the caller.'),
})

const params = z.object({ id: numberText('id') })
const on = routesOf('API tokens')
const NOT_FOUND = 'No such token.'

/** Tokens for automation. */
export const tokenRoutes = ({ tokens }: Services) => [
  on.account.list('/api/tokens', {
    summary: 'Lists the API tokens',
    description: 'Administrators see those of everybody, everybody else the own.',
    sortable: ['id', 'name', 'expires_at', 'last_used_at', 'created_at'],
    row: tokenSchema,
    rows: (list, { caller }) => tokens.list(caller.role === 'admin' ? null : caller.user, list),
  }),
  on.account.post('/api/tokens', {
    level: 'read',
    ownSession: true,
    summary: 'Makes an API token',
    description:
      "It is accepted as Bearer wherever a session token is, and may what its owner may, within its scopes; never may it touch users, passwords, second factors or tokens. A person's is for the account in which it is made. It ends when its owner is suspended, locked or deleted, gets a new password from an administrator, or changes its own without keep_tokens.",
    body: createSchema,
    data: tokenSchema.extend({
      token: z.string().describe('Shown this once; only a hash of it is kept.'),
    }),
    errors: {
      403: 'The account has as many tokens as its plan allows.',
      404: 'No such account.',
      409: 'The name is taken, there are 100 tokens already, or the owner is not active or was changed meanwhile.',
    },
    handle({ caller, body, reauthenticate }) {
      const { name, scopes, expires_at, account_id } = body
      if (account_id !== undefined) authorize(caller, 'account', account_id)
      // One of the account would outlast the reseller's rights, and one of his own reaches all his accounts.
      if (account_id !== undefined && caller.role === 'reseller')
        throw invalid(
          'account_id',
          'account_id is for administrators. Leave it out for a token of your own, or log in as the account there.',
        )
      // Whoever works in an account makes tokens for himself: one of the account itself may what its owner may.
      const owner =
        account_id === undefined || caller.role !== 'admin'
          ? caller.user
          : ({ role: 'account', id: account_id } as const)
      return tokens.create({
        owner,
        name,
        scopes,
        expiresAt: expires_at ?? null,
        stillAllowed: reauthenticate,
        byAdministrator: caller.role === 'admin',
      })
    },
  }),
  on.account.delete('/api/tokens/:id', {
    level: 'read',
    ownSession: true,
    summary: 'Revokes an API token',
    params,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND },
    async handle({ params: { id: tokenId }, caller }) {
      await tokens.remove(tokenId, caller.role === 'admin' ? null : caller.user)
      return { id: tokenId, deleted: true as const }
    },
  }),
]
