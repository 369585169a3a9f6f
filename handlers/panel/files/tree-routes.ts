import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { id, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { count } from '../frame/common-schemas.ts'
import { fileEntrySchema } from './schema.ts'

const place = (field: string) => text(field, 8192).describe("Relative to the account's home.")
const account_id = id('account_id')
const toSchema = z.object({ account_id, path: place('path'), to: place('to') })
const archiveSchema = z.object({
  account_id,
  paths: z
    .array(place('paths'), { error: 'paths must be a list of paths.' })
    .min(1, 'paths must name at least one.')
    .max(1000, 'paths must name at most 1000.'),
  to: place('to').describe('Of the new .tar.gz.'),
})
const extractSchema = z.object({
  account_id,
  path: place('path').describe('Of a .tar.gz, .tar or .zip; its first bytes say what it is.'),
  to: place('to').describe('Directory that is there; empty for the home.'),
  overwrite: z
    .boolean({ error: 'overwrite must be true or false.' })
    .default(false)
    .describe('Whether files there are replaced; without it one that is there is 409.'),
})

const on = routesOf('Files', { changes: 'develop' })
const errors = {
  403: 'The account itself may not do this there, or a path leads out of the home.',
  404: 'No such account or path.',
  409: 'Something is there already or is of another kind, or the account is not active.',
  503: 'The host cannot do it at present.',
} as const
const QUOTA = 'It does not fit into the quota, or has too many entries.'

/** Moving, copying and packing what is in a home. */
export const fileTreeRoutes = ({ files, accounts }: Services) => {
  const about = async (
    { caller, body }: Call & { body: { account_id: number } },
    subject: string,
  ) => {
    authorize(caller, 'account', body.account_id)
    await accounts.get(body.account_id)
    return { subject, accountId: body.account_id }
  }
  return [
    ...(['rename', 'move'] as const).map((verb) =>
      on.account.post(`/api/files/${verb}`, {
        summary: 'Gives a file or directory another name or place',
        description: `rename and move are the same. Nothing is overwritten; the folder of to must be there.`,
        body: toSchema,
        data: fileEntrySchema,
        errors,
        async handle({ body, caller }) {
          authorize(caller, 'account', body.account_id)
          return files.move(body.account_id, body.path, body.to)
        },
      }),
    ),
    on.account.post('/api/files/copy', {
      summary: 'Copies a file, or a directory with all in it',
      description: 'Symbolic links are copied as such. Nothing is overwritten.',
      body: toSchema,
      data: fileEntrySchema,
      errors: { ...errors, 413: QUOTA },
      job: { kind: 'files.copy', about: (call) => about(call, call.body.path) },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.copy(body.account_id, body.path, body.to)
      },
    }),
    on.account.post('/api/files/archive', {
      summary: 'Packs files and directories into a .tar.gz',
      description:
        'Each stands in the archive under its last part. Devices, pipes and links that lead out are left out and counted as skipped. At most 100000 entries and 20 GiB of content.',
      body: archiveSchema,
      data: z.object({ entry: fileEntrySchema, entries: count(), skipped: count() }),
      errors: { ...errors, 413: QUOTA },
      job: { kind: 'files.archive', about: (call) => about(call, call.body.to) },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.archive(body.account_id, body.paths, body.to)
      },
    }),
    on.account.post('/api/files/extract', {
      summary: 'Takes a .tar.gz, .tar or .zip out into a directory',
      description:
        'All or nothing. Names and links must stay in the directory; hard links, devices and encrypted entries are refused, set-id bits dropped. At most 100000 entries, and no more content than the quota allows.',
      body: extractSchema,
      data: z.object({ entries: count() }),
      errors: { ...errors, 413: QUOTA },
      job: { kind: 'files.extract', about: (call) => about(call, call.body.path) },
      async handle({ body, caller }) {
        authorize(caller, 'account', body.account_id)
        return files.extract(body.account_id, body.path, body.to, body.overwrite)
      },
    }),
  ]
}
