import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { changes, flag, newPassword, numberText, oneOf, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  replacedAddressSchema,
  wordpressIntegritySchema,
  wordpressSettingsSchema,
} from './schema.ts'

const params = z.object({ account_id: numberText('account_id') })
const folder = () => text('path', 4095).describe('Its folder, as the list shows it.')
const query = z.object({ path: folder() })
const address = (field: string) =>
  text(field, 1000)
    .regex(
      /^https?:\/\/[A-Za-z0-9.-]{1,253}(?::\d{1,5})?(?:\/[\x21\x23-\x26\x28-\x5b\x5d-\x7e]*)?$/,
      {
        error: `${field} must be an address such as https://example.com.`,
      },
    )
    .describe('With http:// or https://. A slash at its end does not matter.')
const settingsBody = changes(
  {
    path: folder(),
    debug: flag('debug').optional(),
    cron: oneOf('cron', ['visitors', 'berth']).optional(),
  },
  ['debug', 'cron'],
)
const passwordBody = z.object({
  path: folder(),
  user: text('user', 200).optional().describe('Default: the first administrator.'),
  password: newPassword('password').describe('Kept by the site alone.'),
})
const addressBody = z.object({
  path: folder(),
  from: address('from').optional().describe('Default: the address that the site has now.'),
  to: address('to'),
  dry_run: flag('dry_run').default(false).describe('Only counts what would be replaced.'),
})

const on = routesOf('WordPress', { changes: 'develop' })
const ofAccount = ({ params, caller }: Call<{ account_id: number }>): void =>
  authorize(caller, 'account', params.account_id)
const errors = {
  404: 'No such account, or no WordPress in that folder.',
  409: 'The WordPress does not answer or refuses, or the account is not active.',
  503: 'The host does not answer.',
}

/** What is done with a WordPress that is there. */
export const wordpressCareRoutes = ({ wordpress }: Services) => [
  on.account.get('/api/wordpress/:account_id/settings', {
    summary: 'Settings of a WordPress',
    description: 'As wp-config.php says them literally; nothing of the site is run for it.',
    params,
    query,
    data: wordpressSettingsSchema,
    errors,
    before: ofAccount,
    handle: ({ params, query }) => wordpress.settings(params.account_id, query.path),
  }),
  on.account.patch('/api/wordpress/:account_id/settings', {
    summary: 'Changes settings of a WordPress',
    description:
      'In wp-config.php, where all else stays as it is. debug writes errors to a file outside of the site and shows none to visitors. cron: berth makes a cron job of the account that runs what is due every five minutes, and keeps visitors from doing it; visitors takes the job away. The pages of the site are made new.',
    params,
    body: settingsBody,
    strict: true,
    data: wordpressSettingsSchema,
    errors: { ...errors, 403: 'The account has as many cron jobs as its plan allows.' },
    before: ofAccount,
    handle: ({ params, body: { path, debug, cron }, caller }) =>
      wordpress.configure(params.account_id, path, { debug, cron }, caller.role !== 'admin'),
  }),
  on.account.post('/api/wordpress/:account_id/password', {
    waysIn: true,
    summary: 'Sets the password of an administrator of a WordPress',
    description: 'His sessions at the site end with it.',
    params,
    body: passwordBody,
    strict: true,
    data: z.object({ user: z.string() }),
    errors,
    before: ofAccount,
    handle: ({ params, body }) =>
      wordpress.setPassword(params.account_id, body.path, body.user, body.password),
  }),
  on.account.get('/api/wordpress/:account_id/integrity', {
    summary: 'Compares the core of a WordPress with its source',
    description:
      'Every file of wp-admin and wp-includes and the scripts beside them by its checksum with the same version of a source on this host. The site is read as the account, and nothing of it is run.',
    params,
    query,
    data: wordpressIntegritySchema,
    errors: { ...errors, 409: `No source has its version. ${errors[409]}` },
    before: ofAccount,
    handle: ({ params, query }) => wordpress.integrity(params.account_id, query.path),
  }),
  on.account.post('/api/wordpress/:account_id/address', {
    summary: 'Replaces the address of a WordPress in its database',
    description:
      'In all texts of its tables, those inside of JSON and of what PHP has serialised too, whose lengths are kept right; an address that only begins so is left alone, and so are the guid of articles and keys. All or nothing. The pages of the site are made new.',
    params,
    body: addressBody,
    strict: true,
    data: replacedAddressSchema,
    errors,
    before: ofAccount,
    handle: ({ params, body: { path, from, to, dry_run: dryRun } }) =>
      wordpress.replaceAddress(params.account_id, path, { from, to, dryRun }),
  }),
]
