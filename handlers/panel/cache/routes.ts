import { z } from 'zod'
import type { CacheDetails } from '../../services/cache/cache.ts'
import type { DomainView } from '../../services/domains/domains.ts'
import { DOMAIN_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Services } from '../../services/services.ts'
import { pluginBody, purgeBody, purgeScopeOf, rulesBody, warmBody } from './bodies.ts'
import type { Caller } from '../access/caller.ts'
import { oneOf, text } from '../frame/fields.ts'
import { authorize, reachOf } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  cacheDetailsSchema,
  cacheOverviewSchema,
  forgottenSchema,
  pluginSchema,
  purgeSchema,
  warmSchema,
} from './schema.ts'

const params = z.object({
  domain: text('domain', 253).describe('Any name of the site; an alias leads to its site.'),
})
const cookieParams = params.extend({
  name: text('name', 128).describe('Name of the cookie; upper and lower case are the same.'),
})
/** Whose purge it is, as the site's history tells it. */
const causeOf = ({ username, apiToken }: Caller): string =>
  apiToken === null ? `panel:${username}` : `token:${apiToken.name.slice(0, 100)}`

type CacheRules = z.output<typeof cacheDetailsSchema>['rules']

/** A site's rules stand in its domain's record, each as `cache_<rule>`. */
const RULES = Object.keys(rulesBody.shape) as (keyof typeof rulesBody.shape)[]

const view = ({ rules, ...details }: CacheDetails) => ({
  ...details,
  rules: Object.fromEntries(RULES.map((rule) => [rule, rules[`cache_${rule}`]])) as CacheRules,
})

const on = routesOf('Cache', { cache: true, changes: 'develop' })
/** Not for tokens of scope `cache`: they change no files. */
const inSite = routesOf('Cache', { changes: 'develop' })
const NO_SITE = 'No such domain.'
const UNAVAILABLE = 'The web server does not answer.'
const TOO_OFTEN = 'The account has done this too often in this minute; see Retry-After.'

/** The page cache of the sites. */
export const cacheRoutes = ({ cache }: Services) => {
  /** The site of a name that the caller may touch; 404 for others, whether they exist or not. */
  const ownSite = async (name: string, caller: Caller): Promise<DomainView> => {
    const site = await cache.siteOf(name)
    authorize(caller, 'account', site.account_id, DOMAIN_NOT_FOUND)
    return site
  }
  const before = async ({ params: { domain }, caller }: Call<{ domain: string }>) => {
    await ownSite(domain, caller)
  }
  return [
    on.account.get('/api/cache', {
      summary: 'The page cache of all sites',
      description:
        'A user of role account sees the sites of its own account. Aliases are part of their site.',
      query: z.object({
        sites: oneOf('sites', ['all', 'none'])
          .default('all')
          .describe(
            '"none" leaves `domains` empty: only what is told of the server. Default: all.',
          ),
      }),
      data: cacheOverviewSchema,
      errors: { 503: UNAVAILABLE },
      handle: ({ caller, query }) => cache.list(reachOf(caller), { sites: query.sites === 'all' }),
    }),
    on.system.post('/api/cache/purge', {
      strict: true,
      summary: 'Purges the pages of all sites',
      description: 'Answers when no worker can answer a purged page any more.',
      data: z.object({ purged: z.literal(true) }),
      errors: { 503: UNAVAILABLE },
      async handle() {
        await cache.purgeAll()
        return { purged: true as const }
      },
    }),
    on.account.get('/api/cache/:domain', {
      summary: 'The page cache of one site',
      params,
      data: cacheDetailsSchema,
      errors: { 404: NO_SITE, 503: UNAVAILABLE },
      handle: async ({ params: { domain }, caller }) =>
        view(await cache.details(await ownSite(domain, caller))),
    }),
    on.account.patch('/api/cache/:domain', {
      summary: "Changes the rules of a site's page cache",
      description:
        'Writes its virtual host, reloads the web server and purges its pages; if that fails, everything is as before.',
      params,
      body: rulesBody,
      data: cacheDetailsSchema,
      errors: {
        404: NO_SITE,
        409: 'The account is not active, or the name is an alias without a site.',
        503: UNAVAILABLE,
      },
      before,
      async handle({ params: { domain }, body, caller }) {
        const site = await ownSite(domain, caller)
        const change = Object.entries(body).map(
          ([rule, value]) => [`cache_${rule}`, value] as const,
        )
        return view(await cache.change(site, Object.fromEntries(change)))
      },
    }),
    on.account.post('/api/cache/:domain/purge', {
      strict: true,
      summary: 'Purges pages of one site',
      description:
        'Under all names of the site and nowhere else; a tag counts within the site alone. Answers when no worker can answer a purged page any more. An account may do 60 purges a minute; one that purges very many single pages within an hour has its whole site purged instead.',
      params,
      body: purgeBody,
      data: purgeSchema,
      errors: { 404: NO_SITE, 429: TOO_OFTEN, 503: UNAVAILABLE },
      before,
      async handle({ params: { domain }, body, caller }) {
        const site = await ownSite(domain, caller)
        const outcome = await cache.purge(site, purgeScopeOf(body), causeOf(caller))
        const { pages = null, at_least = false, widened = false } = outcome ?? {}
        return { purged: true as const, pages, at_least, widened }
      },
    }),
    on.account.delete('/api/cache/:domain/cookies', {
      summary: 'Forgets all cookies that a site was seen to set',
      description:
        'Also that there were too many of them. Their owners get pages of the cache until the site sets one again; all workers know when this answers.',
      params,
      data: forgottenSchema,
      errors: { 404: NO_SITE, 503: UNAVAILABLE },
      async handle({ params: { domain }, caller }) {
        await cache.forgetCookie(await ownSite(domain, caller), null)
        return { forgotten: true as const }
      },
    }),
    on.account.delete('/api/cache/:domain/cookies/:name', {
      summary: 'Forgets a cookie that a site was seen to set',
      description:
        'Its owners get pages of the cache until the site sets it again; all workers know when this answers.',
      params: cookieParams,
      data: forgottenSchema,
      errors: { 404: 'No such domain, or a cookie it was not seen to set.', 503: UNAVAILABLE },
      async handle({ params: { domain, name }, caller }) {
        await cache.forgetCookie(await ownSite(domain, caller), name)
        return { forgotten: true as const }
      },
    }),
    inSite.account.get('/api/cache/:domain/plugin', {
      summary: "The plugin berth-cache of a site's WordPress",
      description:
        'It says what each page shows, so that a change makes exactly the pages new that show it. Without it a change makes all pages of the site new.',
      params,
      data: pluginSchema.nullable(),
      errors: { 404: NO_SITE, 503: 'The host does not answer.' },
      handle: async ({ params: { domain }, caller }) => cache.plugin(await ownSite(domain, caller)),
    }),
    inSite.account.put('/api/cache/:domain/plugin', {
      summary: "Puts the plugin berth-cache into a site's WordPress, or takes it away",
      description:
        'One file in wp-content/mu-plugins, written as the account. The pages of the site are made new.',
      params,
      body: pluginBody,
      strict: true,
      data: pluginSchema,
      errors: {
        404: NO_SITE,
        409: 'No WordPress is in the document root, the file there is not ours, or the account is not active.',
        413: 'The account has no room for it.',
        503: 'The host does not answer.',
      },
      before,
      handle: async ({ params: { domain }, body, caller }) =>
        cache.changePlugin(await ownSite(domain, caller), body.installed),
    }),
    on.account.post('/api/cache/:domain/warm', {
      summary: 'Warms pages of one site',
      description:
        'Has them made anew before visitors ask; answers when that is done. No connection is made, so nothing but pages of the site can be meant. One order a site at a time, ten a minute and account.',
      params,
      body: warmBody,
      data: warmSchema,
      errors: {
        404: NO_SITE,
        409: 'Warming is off in the configuration.',
        429: 'The site is being warmed, or the account has ordered too often in this minute; see Retry-After.',
        503: UNAVAILABLE,
      },
      before,
      job: {
        kind: 'cache.warm',
        async about({ params: { domain }, caller }) {
          const { domain_name, account_id } = await ownSite(domain, caller)
          return { subject: domain_name, accountId: account_id }
        },
      },
      async handle({ params: { domain }, body, caller, report }) {
        const order = { urls: body.urls ?? [], discover: body.discover ?? false }
        return cache.warm(await ownSite(domain, caller), order, report)
      },
    }),
  ]
}
