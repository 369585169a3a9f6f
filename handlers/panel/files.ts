import { z } from 'zod'
import { ok } from '../envelope.ts'
import { invalid } from '../errors.ts'
import { MAX_EDIT_BYTES } from '../services/files.ts'
import type { Services } from '../services/services.ts'
import { id, oneOf, text } from './fields.ts'
import { readBody, readId } from './input.ts'
import { authorize } from './policy.ts'
import type { Call, Route } from './route.ts'
import { createTransferSlots } from './transfer-slots.ts'

const path = text('path', 8192)
const placeSchema = z.object({ account_id: id('account_id'), path })
const writeSchema = placeSchema.extend({
  content: z.string({
    error: (issue) => `content ${issue.input === undefined ? 'is required.' : 'must be a string.'}`,
  }),
  encoding: oneOf('encoding', ['utf8', 'base64']).default('utf8'),
})
const chmodSchema = placeSchema.extend({ mode: text('mode', 16) })

/** Account and path of a query; an absent path of a listing is the home. */
const readPlace = ({ query, caller }: Call, pathDefault: string | null) => {
  const accountId = readId(query.get('account_id'), 'account_id')
  authorize(caller, 'account', accountId)
  const asked = query.get('path') ?? pathDefault
  if (asked === null) throw invalid('path', 'path is required.')
  return { accountId, path: asked }
}

const userOf = ({ caller }: Call): string => `${caller.role}:${caller.id}`

/** Files of hosting accounts. */
export const fileRoutes = ({ files }: Services, transfers = createTransferSlots()): Route[] => [
  {
    method: 'GET',
    path: '/api/files/list',
    action: 'account',
    async handle(call) {
      const place = readPlace(call, '')
      return files.list(place.accountId, place.path)
    },
  },
  {
    method: 'GET',
    path: '/api/files/read',
    action: 'account',
    async handle(call) {
      const place = readPlace(call, null)
      return transfers.run(userOf(call), call.request.signal, async () =>
        ok(await files.read(place.accountId, place.path)),
      )
    },
  },
  {
    method: 'POST',
    path: '/api/files/write',
    action: 'account',
    async handle(call) {
      // The body is part of what is bounded.
      return transfers.run(userOf(call), call.request.signal, async () => {
        const input = await readBody(call.request, writeSchema, { maxBytes: MAX_EDIT_BYTES })
        authorize(call.caller, 'account', input.account_id)
        return files.write(input.account_id, input.path, input.content, input.encoding)
      })
    },
  },
  {
    method: 'POST',
    path: '/api/files/mkdir',
    action: 'account',
    async handle({ request, caller }) {
      const input = await readBody(request, placeSchema)
      authorize(caller, 'account', input.account_id)
      return files.mkdir(input.account_id, input.path)
    },
  },
  {
    method: 'POST',
    path: '/api/files/chmod',
    action: 'account',
    async handle({ request, caller }) {
      const input = await readBody(request, chmodSchema)
      authorize(caller, 'account', input.account_id)
      return files.chmod(input.account_id, input.path, input.mode)
    },
  },
  {
    method: 'DELETE',
    path: '/api/files/delete',
    action: 'account',
    async handle({ request, caller }) {
      const input = await readBody(request, placeSchema)
      authorize(caller, 'account', input.account_id)
      await files.delete(input.account_id, input.path)
      return { path: input.path, deleted: true }
    },
  },
]
