import { z } from 'zod'
import { isAppError } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'
import { count, recordId } from '../frame/common-schemas.ts'
import { id, oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { PHP_MODES } from './schema.ts'

const MOST = 500

const bulkSchema = z.object({
  account_ids: z
    .array(id('account_ids'), { error: 'account_ids must be a list of ids.' })
    .min(1, 'account_ids must name at least one account.')
    .max(MOST, `account_ids must be at most ${MOST}.`),
  version: text('version', 16).regex(/^\d{1,2}\.\d{1,2}$/, 'version must look like 8.2.'),
  mode: oneOf('mode', PHP_MODES).optional().describe('Default: the present one of each stays.'),
})

const assertManages = (caller: Caller, ids: readonly number[]): void => {
  for (const one of ids) authorize(caller, 'manage', one)
}

const on = routesOf('PHP')

/** PHP of many accounts at once. */
export const phpBulkRoutes = ({ php, accounts, audit }: Services) => [
  on.manage.post('/api/php/version', {
    strict: true,
    summary: 'Sets the version of many accounts',
    description:
      'One account after the other; one that fails keeps no other from its turn, and is named with the reason. A reseller names his accounts alone.',
    body: bulkSchema,
    data: z.object({
      changed: count(),
      failed: z.array(
        z.object({ account_id: recordId(), username: z.string().nullable(), error: z.string() }),
      ),
    }),
    errors: { 404: 'Of a reseller: one is none of his accounts.' },
    job: {
      kind: 'php.versions',
      about({ body, caller }) {
        assertManages(caller, body.account_ids)
        return { subject: `${body.account_ids.length} accounts`, accountId: null }
      },
    },
    async handle({ body, caller, report, renewed, clientAddress }) {
      /** In the log of each account, as if it had been asked for by itself. */
      const note = (
        { id, username, resellerId }: Awaited<ReturnType<typeof accounts.nameOf>>,
        status: number,
      ): void =>
        audit.record({
          ...{ actor: caller.username, role: caller.role, address: clientAddress, status },
          via: caller.apiToken === null ? null : `token ${caller.apiToken.name}`,
          action: 'POST /api/php/version/:account_id',
          summary: 'Sets the version of an account, among others',
          target: `account_id=${id} version=${body.version} account=${username ?? ''}`,
          reseller_id: caller.resellerId ?? resellerId,
        })
      assertManages(caller, body.account_ids)
      const ids = [...new Set(body.account_ids)]
      const failed: { account_id: number; username: string | null; error: string }[] = []
      for (const [index, account_id] of ids.entries()) {
        const named = await accounts.nameOf(account_id)
        const { username } = named
        report('Setting PHP', username ?? String(account_id), (100 * index) / ids.length)
        // It takes its time: whoever asked must still be allowed to.
        const now = await renewed()
        try {
          assertManages(now, [account_id])
          await php.setVersion(account_id, body.version, body.mode)
          note(named, 200)
        } catch (error) {
          if (!isAppError(error)) throw error
          // What somebody may not touch is not called by its name where he can read it.
          if (error.status !== 404) note(named, error.status)
          failed.push({ account_id, username, error: error.message })
        }
      }
      return { changed: ids.length - failed.length, failed }
    },
  }),
]
