import { z } from 'zod'
import {
  phpSettings,
  protectedPaths,
  rateLimits,
  sitePath,
  siteRealm,
  siteSettingsShape,
  siteUserName,
} from '../../domain/site-settings/settings-schema.ts'
import { testDraft, testHeaders } from '../../domain/site-test/order-schema.ts'
import { MAX_TEST_URL, TEST_METHODS } from '../../domain/site-test/test-rules.ts'
import type { Services } from '../../services/services.ts'
import { assertNoVisit } from '../access/policy.ts'
import { changes, newPassword, numberText, oneOf, text } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { routesOf } from '../frame/routes-of.ts'
import { sitePhpAnswer, siteSettingsAnswer, siteSettingsView, siteTestAnswer } from './schema.ts'
import { permitDomain } from './permit-domain.ts'

const { www, redirects, headers, error_pages, index, listing, allow, deny, folders } =
  siteSettingsShape
const { maintenance, hotlink } = siteSettingsShape

/** bcrypt looks at no more of it. */
const password = newPassword('password')
  .max(72, 'password must be at most 72 characters.')
  .refine(
    (text) => new TextEncoder().encode(text).length <= 72,
    'password must be at most 72 bytes long.',
  )
const user = z.strictObject({
  name: siteUserName(),
  password: password.optional().describe('Absent: the one that he has there stays.'),
})

const changeSchema = changes({
  www: www.optional(),
  redirects: redirects.optional(),
  headers: headers.optional(),
  error_pages: error_pages.optional(),
  index: index.optional(),
  listing: listing.optional(),
  php: phpSettings(z.string().nullable())
    .optional()
    .describe("Values of php.ini by name; what is absent stays, null goes back to the server's."),
  maintenance: maintenance.partial().optional(),
  allow: allow.optional(),
  deny: deny.optional(),
  folders: folders.unwrap().optional(),
  hotlink: hotlink.partial().optional(),
  rate_limits: rateLimits.partial().optional(),
  protected: protectedPaths(user)
    .optional()
    .describe('Paths that ask for name and password; replaces all that there are.'),
})

const testSchema = z.strictObject({
  url: text('url', MAX_TEST_URL).describe(
    'A path of the site, or an address with one of its names.',
  ),
  method: oneOf('method', TEST_METHODS).optional().describe('Default: GET.'),
  headers: testHeaders()
    .optional()
    .describe('Fields of the request by name in lower case, such as user-agent or cookie.'),
  draft: testDraft()
    .optional()
    .describe('Stands in place of the .htaccess of the document root; nothing is saved.'),
})

const login = z.object({
  path: sitePath('path').describe('Asked for a password from then on, with all below it.'),
  realm: siteRealm().optional(),
  name: siteUserName(),
  password,
})
const whose = z.object({ path: sitePath('path'), name: siteUserName() })

const params = z.object({ id: numberText('id') })
const on = routesOf('Domains', { changes: 'develop' })
const NOT_FOUND = 'No such domain.'
const errors = {
  404: NOT_FOUND,
  409: 'An alias, which has the settings of its site, or the account is not active.',
  503: 'The host cannot do it at present; nothing is left half done.',
}

/** What sites do before their own rules, files and scripts have a say. */
export const siteSettingsRoutes = ({ domains, siteSettings, sitePhp, siteTests }: Services) => {
  const permit = permitDomain({ domains })
  return [
    on.account.get('/api/domains/:id/site', {
      summary: 'What a site does before its own rules',
      description:
        'Redirects, headers, error pages, who may see it, and what is asked of him. Order: addresses, maintenance, rate limits, www, redirects, passwords, foreign pages; then the rules of the site itself.',
      params,
      data: siteSettingsAnswer,
      errors: { 404: NOT_FOUND },
      async handle({ params: { id }, caller }) {
        await permit(id, caller)
        return siteSettingsView(await siteSettings.get(id))
      },
    }),
    on.account.patch('/api/domains/:id/site', {
      summary: 'Changes what a site does before its own rules',
      description:
        'What is absent stays; lists replace what was there. Writes the virtual host, reloads the web server and purges the pages of the site; if that fails, everything is as before.',
      params,
      body: changeSchema,
      data: siteSettingsAnswer,
      errors: { ...errors, 403: 'protected, while an administrator works as the account.' },
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, body, caller }) {
        const { maintenance, hotlink, rate_limits, ...rest } = body
        // Their passwords are ways in, as those of `/site/logins`.
        if (rest.protected !== undefined) assertNoVisit(caller)
        const change = given({
          ...rest,
          maintenance: maintenance && given(maintenance),
          hotlink: hotlink && given(hotlink),
          rate_limits: rate_limits && given(rate_limits),
        })
        return siteSettingsView(await siteSettings.change(id, change))
      },
    }),
    on.account.get('/api/domains/:id/php', {
      summary: "A site's PHP: version, extensions, and each setting that may be chosen",
      description:
        'With the present value of each setting and who said so. They are changed by PATCH of /api/domains/:id/site.',
      params,
      data: sitePhpAnswer,
      errors: { 404: NOT_FOUND, 503: 'The PHP of the site does not start.' },
      async handle({ params: { id }, caller }) {
        await permit(id, caller)
        return sitePhp.get(id)
      },
    }),
    on.account.post('/api/domains/:id/site/test', {
      summary: 'Says what a site would answer, and which rules make it so',
      description:
        "Takes a request through what stands before the site, its settings and its rewrite rules, as the web server would, and says what each did. No script runs, nothing is counted, and the page cache is passed by. What it costs is the site's, as a request's would be. The client is whoever asks.",
      changesState: false,
      params,
      body: testSchema,
      data: siteTestAnswer,
      errors: {
        404: 'No such domain, or the web server does not serve it.',
        503: 'The web server does not run, or the rules of the site cost more than they may at present.',
      },
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, body, clientAddress }) {
        const { url, method = 'GET', headers = {}, draft = null } = body
        return siteTests.run(id, { url, method, headers, draft, clientAddress })
      },
    }),
    on.account.put('/api/domains/:id/site/logins', {
      waysIn: true,
      summary: 'Lets somebody in at a protected path, or gives him another password',
      description: 'A path that nobody protects yet asks for a password from then on.',
      params,
      body: login,
      data: siteSettingsAnswer,
      errors,
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, body }) {
        return siteSettingsView(await siteSettings.putLogin(id, body))
      },
    }),
    on.account.delete('/api/domains/:id/site/logins', {
      waysIn: true,
      summary: 'Lets somebody in at a protected path no more',
      description: 'With the last one the path is open to everybody again.',
      params,
      query: whose,
      data: siteSettingsAnswer,
      errors: { ...errors, 404: 'No such domain, or nobody of that name at the path.' },
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, query }) {
        return siteSettingsView(await siteSettings.removeLogin(id, query))
      },
    }),
  ]
}
