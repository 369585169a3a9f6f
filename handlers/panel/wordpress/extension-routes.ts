import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { flag, numberText, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  extensionUpdatesSchema,
  updatedExtensionsSchema,
  wordpressPackageSchema,
} from './extension-schema.ts'

const MOST = 300
const params = z.object({ account_id: numberText('account_id') })
const path = text('path', 4095).describe('Its folder, as the list shows it.')
const slugs = (field: 'plugins' | 'themes') =>
  z
    .array(
      text(field, 200).regex(/^[^./\r\n][^/\r\n]*$/, {
        error: `${field} must be names of folders, as the list shows them.`,
      }),
      { error: `${field} must be a list of names.` },
    )
    .max(MOST, `${field} may have at most ${MOST} names.`)
    .optional()
const updateBody = z.object({
  path,
  plugins: slugs('plugins').describe(
    'By their slugs. Default, where themes has none either: all that are outdated.',
  ),
  themes: slugs('themes').describe('Likewise.'),
  ask: flag('ask').default(false).describe('Whether its own WordPress asks anew first.'),
})

const on = routesOf('WordPress', { changes: 'develop' })
const ofAccount = ({ params: { account_id }, caller }: Call<{ account_id: number }>): void =>
  authorize(caller, 'account', account_id)
const errors = {
  404: 'No such account, or no WordPress in that folder.',
  409: 'The WordPress does not answer, or the account is not active.',
  503: 'The host does not answer.',
}

/** Updates of plugins and themes. */
export const wordpressExtensionRoutes = ({ wordpress, accounts }: Services) => [
  on.system.get('/api/wordpress/packages', {
    summary: 'Archives of plugins and themes on this host',
    description:
      'What the administrator has placed ([wordpress] packages); sites are updated from those that are fine. One that holds links, leads out of itself, is none of the two kinds or larger than 1 GiB is refused.',
    data: z.array(wordpressPackageSchema),
    errors: { 503: errors[503] },
    handle: async () =>
      (await wordpress.packages()).map(({ file, holds, problem }) => ({
        file,
        ...(holds ?? { kind: null, slug: null, name: null, version: null }),
        problem,
      })),
  }),
  on.account.get('/api/wordpress/:account_id/updates', {
    summary: 'Plugins and themes of a WordPress that can be updated',
    description:
      'What lies on this host in a newer version, and what the WordPress of the site was offered when it asked last, which is run for that as the account. Of the same version what lies here comes first.',
    params,
    query: z.object({ path }),
    data: extensionUpdatesSchema,
    errors,
    before: ofAccount,
    handle: ({ params: { account_id }, query }) => wordpress.updates(account_id, query.path, false),
  }),
  on.account.post('/api/wordpress/:account_id/updates/ask', {
    summary: 'Has a WordPress ask for newer plugins and themes',
    description:
      'As it does twice a day by itself: over the network, as the account. asked says whether it was answered.',
    params,
    body: z.object({ path }),
    strict: true,
    data: extensionUpdatesSchema,
    errors,
    before: ofAccount,
    handle: ({ params: { account_id }, body }) => wordpress.updates(account_id, body.path, true),
  }),
  on.account.post('/api/wordpress/:account_id/updates', {
    summary: 'Updates plugins and themes of a WordPress',
    description:
      'One after the other, after a snapshot of the account (a backup where there are no snapshots). The front page is made before and after each, as a request to it would; one with which it fails is put back, the others go on, and results says what became of each. Where the site fails with the old one too, its database is brought back, and where that does not help nothing more is tried (409). The pages of the site are made new.',
    params,
    body: updateBody,
    strict: true,
    data: updatedExtensionsSchema,
    errors: {
      ...errors,
      403: 'The account has as many backups as its plan allows.',
      409: 'The site fails already, or also as it was before; or the account is not active.',
    },
    before: ofAccount,
    job: {
      kind: 'wordpress.extensions',
      about: async ({ params: { account_id } }: Call<{ account_id: number }>) => ({
        subject: (await accounts.get(account_id)).username,
        accountId: account_id,
      }),
    },
    handle: ({ params: { account_id }, body, caller, report }) =>
      wordpress.updateExtensions(
        account_id,
        body.path,
        {
          ...{ plugins: body.plugins, themes: body.themes, ask: body.ask },
          bounded: caller.role !== 'admin',
        },
        report,
      ),
  }),
]
