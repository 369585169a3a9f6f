import { z } from 'zod'
import { userKey } from '../access/caller.ts'
import { MAX_EDIT_BYTES } from '../../services/files/files.ts'
import type { Services } from '../../services/services.ts'
import { fileTransferRoutes } from './transfer-routes.ts'
import { fileTreeRoutes } from './tree-routes.ts'
import { id, numberText, oneOf, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { ENCODINGS, fileContentSchema, fileEntrySchema } from './schema.ts'
import { createTransferSlots } from './transfer-slots.ts'

const path = text('path', 8192).describe("Relative to the account's home.")
const placeSchema = z.object({ account_id: id('account_id'), path })
const writeSchema = placeSchema.extend({
  content: z.string({
    error: (issue) => `content ${issue.input === undefined ? 'is required.' : 'must be a string.'}`,
  }),
  encoding: oneOf('encoding', ENCODINGS).default('utf8'),
})
const chmodSchema = placeSchema.extend({
  mode: text('mode', 16).describe('3 or 4 octal digits, without setuid, setgid and sticky.'),
})

const account_id = numberText('account_id')
const readQuery = z.object({ account_id, path: z.string('path is required.') })
const listQuery = z.object({
  account_id,
  path: z.string().default('').describe('Default: the home itself.'),
})

const on = routesOf('Files', { changes: 'develop' })
const COMMON = {
  403: 'The account itself may not do this there, or the path leads out of the home.',
  404: 'No such account or path.',
  503: 'The host cannot do it at present.',
} as const
const KIND = 'Something of another kind is there, or the account is not active.'
const TOO_LARGE = 'Larger than 10 MiB, or over the quota.'

const ofAccount = ({ query, caller }: Call<unknown, { account_id: number }>): void =>
  authorize(caller, 'account', query.account_id)

/** Files of hosting accounts. */
export const fileRoutes = (services: Services, transfers = createTransferSlots()) => {
  const { files } = services
  const inSlot = ({ caller, request }: Call, work: () => Promise<Response>) =>
    transfers.run(userKey(caller), request.signal, work)

  return [
    on.account.get('/api/files/list', {
      summary: 'Lists a directory',
      query: listQuery,
      data: z.array(fileEntrySchema),
      errors: { ...COMMON, 409: KIND },
      before: ofAccount,
      handle: ({ query }) => files.list(query.account_id, query.path),
    }),
    on.account.get('/api/files/read', {
      summary: 'Reads a file',
      query: readQuery,
      data: fileContentSchema,
      errors: { ...COMMON, 409: KIND, 413: 'Larger than 10 MiB.' },
      before: ofAccount,
      around: inSlot,
      handle: ({ query }) => files.read(query.account_id, query.path),
    }),
    on.account.post('/api/files/write', {
      summary: 'Creates or overwrites a file',
      description:
        'The old content stays until the new one is there whole. The body is at most 10 MiB.',
      body: writeSchema,
      bodyLimitBytes: MAX_EDIT_BYTES,
      data: fileEntrySchema,
      errors: { ...COMMON, 409: KIND, 413: TOO_LARGE },
      // Reading the body is part of what is bounded.
      around: inSlot,
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.write(body.account_id, body.path, body.content, body.encoding)
      },
    }),
    on.account.post('/api/files/mkdir', {
      summary: 'Creates a directory and missing parents',
      body: placeSchema,
      data: fileEntrySchema,
      errors: {
        ...COMMON,
        409: 'It exists already, or the account is not active.',
        413: TOO_LARGE,
      },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.mkdir(body.account_id, body.path)
      },
    }),
    on.account.post('/api/files/chmod', {
      summary: 'Sets permissions',
      body: chmodSchema,
      data: fileEntrySchema,
      errors: { ...COMMON, 409: KIND },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.chmod(body.account_id, body.path, body.mode)
      },
    }),
    on.account.delete('/api/files/delete', {
      summary: 'Deletes a file, or a directory with all in it',
      description: 'Symbolic links are removed, not followed. The home itself cannot be deleted.',
      body: placeSchema,
      data: z.object({ path: z.string(), deleted: z.literal(true) }),
      errors: { ...COMMON, 409: KIND },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        await files.delete(body.account_id, body.path)
        return { path: body.path, deleted: true as const }
      },
    }),
    ...fileTransferRoutes(services, transfers),
    ...fileTreeRoutes(services),
  ]
}
