import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { label, newPassword, numberText, oneOf, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { wordpressCareRoutes } from './care-routes.ts'
import { wordpressCopyRoutes } from './copy-routes.ts'
import { wordpressDirectory } from './fields.ts'
import { wordpressExtensionRoutes } from './extension-routes.ts'
import {
  installedWordpressSchema,
  updatedWordpressSchema,
  wordpressAdministratorSchema,
  wordpressSchema,
  wordpressSourceSchema,
} from './schema.ts'

const params = z.object({ account_id: numberText('account_id') })
const folder = () => text('path', 4095).describe('Its folder, as the list shows it.')
const installBody = z.object({
  domain: text('domain', 253).describe('A site of the account, by its main name.'),
  directory: wordpressDirectory(),
  version: text('version', 32).optional().describe('Default: the newest of the sources.'),
  locale: text('locale', 20)
    .regex(/^[a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z]{2,10})?$/, {
      error: 'locale must be a language as WordPress calls it, e.g. de_DE.',
    })
    .default('en_US')
    .describe('en_US, or a language that comes with the source.'),
  title: label('title', 200).min(1, 'title is required.').describe('Of the site.'),
  admin_user: text('admin_user', 60)
    .regex(/^[A-Za-z0-9][A-Za-z0-9 _.@-]{0,58}[A-Za-z0-9]$|^[A-Za-z0-9]$/, {
      error: 'admin_user may hold letters, digits and " _.@-" between them.',
    })
    .describe('Administrator of the site.'),
  admin_email: text('admin_email', 254)
    .pipe(z.email('admin_email must be an address such as name@example.com.'))
    .meta({ format: 'email' }),
  admin_password: newPassword('admin_password').describe('Kept by the site alone.'),
  db_name: text('db_name', 64)
    .optional()
    .describe('Without the prefix: 1-32 of a-z, 0-9 and _. Default: wp, wp2, ...'),
})
const updateBody = z.object({
  path: folder(),
  version: text('version', 32).optional().describe('Default: the newest of the sources.'),
})
const loginBody = z.object({
  path: folder(),
  user: text('user', 200).optional().describe('Default: the first administrator.'),
})
const filters = {
  outdated: oneOf('outdated', ['true', 'false'])
    .optional()
    .describe('Only those of which something is outdated, or nothing.'),
}

const on = routesOf('WordPress', { changes: 'develop' })
const HOST = 'The host does not answer.'
const NOT_FOUND = 'No such account, or no WordPress in that folder.'
const SILENT = 'The WordPress does not answer, or the account is not active.'

const ownRoutes = ({ wordpress, accounts }: Services) => {
  const about = async ({ params: { account_id } }: Call<{ account_id: number }>) => ({
    subject: (await accounts.get(account_id)).username,
    accountId: account_id,
  })
  return [
    on.self.get('/api/wordpress/sources', {
      summary: 'Versions of WordPress that sites can be installed from',
      description:
        'Newest first: what the administrator has placed on this host ([wordpress] sources), by default the package of Debian.',
      data: z.array(wordpressSourceSchema),
      errors: { 503: HOST },
      handle: () => wordpress.sources(),
    }),
    on.account.list('/api/wordpress/:account_id', {
      summary: 'Lists the WordPress installations of an account',
      description:
        'Found anew each time in the document roots of its sites and up to two folders below, at most 50; their files are read by the account itself and nothing of them is run. What is outdated is told by what the sources on this host have.',
      sortable: ['domain', 'path', 'version'],
      filters,
      params,
      row: wordpressSchema,
      errors: {
        404: 'No such account.',
        409: 'The account is being made or deleted.',
        503: HOST,
      },
      before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
      rows: (list, { params }) => wordpress.list(params.account_id, list),
    }),
    on.account.post('/api/wordpress/:account_id', {
      summary: 'Installs WordPress into a site',
      description:
        'From a source on this host, into a folder that is empty but for the placeholder page: a database with a user of its own, the files, the configuration with keys of its own, and the first administrator. All of it runs as the account. Visitors see it when it is whole; what fails is undone. The password of the database is in wp-config.php and nowhere else.',
      params,
      body: installBody,
      strict: true,
      data: installedWordpressSchema,
      errors: {
        403: 'The account has as many databases as its plan allows.',
        404: 'No such account, or no such site of it.',
        409: 'The folder is not empty, there is no source, WordPress did not come up, or the account is not active.',
        413: 'The account has no room for it.',
        503: 'MariaDB is not installed or does not run, PHP has no command line, or the host does not answer.',
      },
      before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
      job: { kind: 'wordpress.install', about },
      handle: ({ params, body, caller, report }) =>
        wordpress.install(
          params.account_id,
          {
            ...{ domain: body.domain, directory: body.directory, version: body.version },
            ...{ title: body.title, locale: body.locale, dbName: body.db_name },
            ...{ user: body.admin_user, email: body.admin_email, password: body.admin_password },
            byAdministrator: caller.role === 'admin',
          },
          report,
        ),
    }),
    on.account.post('/api/wordpress/:account_id/update', {
      summary: 'Updates the core of a WordPress',
      description:
        'To a newer version of a source on this host, after a snapshot of the account (a backup where there are no snapshots). Plugins, themes and uploads stay as they are. The front page is made before and after, as a request to it would; where it fails afterwards the core from before is put back, and the database too when its tables were changed already. The pages of the site are made new.',
      params,
      body: updateBody,
      strict: true,
      data: updatedWordpressSchema,
      errors: {
        403: 'The account has as many backups as its plan allows.',
        404: NOT_FOUND,
        409: 'The site fails, before the update or after it and was put back; or the account is not active.',
        413: 'The account has no room for it.',
        503: HOST,
      },
      before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
      job: { kind: 'wordpress.update', about },
      handle: ({ params, body, caller, report }) =>
        wordpress.update(
          params.account_id,
          body.path,
          { version: body.version, bounded: caller.role !== 'admin' },
          report,
        ),
    }),
    on.account.get('/api/wordpress/:account_id/administrators', {
      summary: 'Administrators of a WordPress',
      description:
        'As the site itself tells them, which is run for that as the account; at most 100.',
      params,
      query: z.object({ path: folder() }),
      data: z.array(wordpressAdministratorSchema),
      errors: { 404: NOT_FOUND, 409: SILENT, 503: HOST },
      before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
      handle: ({ params, query }) => wordpress.administrators(params.account_id, query.path),
    }),
    on.account.post('/api/wordpress/:account_id/login', {
      summary: 'Opens the administration of a WordPress',
      description:
        "Answers an address of the site that logs a browser in as one of its administrators, once and within 30 seconds. What makes it good stands behind the #, so it is sent in no request line and stands in no log; the browser sends it to the site in a body, and the site's own WordPress then makes the session. No password is read or changed, and no file is put into the site.",
      params,
      body: loginBody,
      strict: true,
      data: z.object({
        url: z.url().describe('For a browser.'),
        user: z.string().describe('Whose log-in it is.'),
      }),
      errors: {
        404: `${NOT_FOUND} Or the WordPress has no such administrator.`,
        409: SILENT,
        429: 'Too many sites are being opened.',
        503: HOST,
      },
      before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
      handle: ({ params, body }) => wordpress.login(params.account_id, body.path, body.user),
    }),
  ]
}

/** WordPress in the sites of accounts. */
export const wordpressRoutes = (services: Services) => [
  ...wordpressExtensionRoutes(services),
  ...ownRoutes(services),
  ...wordpressCareRoutes(services),
  ...wordpressCopyRoutes(services),
]
