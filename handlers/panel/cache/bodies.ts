import { z } from 'zod'
import { APPLICATION_CHOICES } from '../../domain/profiles/applications.ts'
import type { SitePurgeScope } from '../../ports/host/cache/page-cache.ts'
import { bypassCookies, cachePaths, cacheTtl, furtherCookies, ignoredParams } from './fields.ts'
import { changes, flag, text } from '../frame/fields.ts'

const MAX_PURGED = 100
const MAX_WARMED = 500

const list = (field: string, max: number, maxLength: number) =>
  z
    .array(text(field, maxLength).min(1, `${field} must not hold an empty text.`), {
      error: `${field} must be a list of texts.`,
    })
    .max(max, `${field} must have at most ${max} entries.`)

/** Which pages of a site are purged: one kind of naming them. */
export const purgeBody = z
  .object({
    all: z.literal(true, { error: 'all must be true.' }).optional().describe('Every page.'),
    paths: list('paths', MAX_PURGED, 8192)
      .min(1, 'paths must not be empty.')
      .optional()
      .describe('Paths, as /blog/post; a "*" at the end means all that begin so.'),
    tags: list('tags', MAX_PURGED, 1024)
      .min(1, 'tags must not be empty.')
      .optional()
      .describe("Tags that the site's answers carry in Cache-Tag and the like."),
  })
  .refine(
    (body) => Object.values(body).filter((value) => value !== undefined).length === 1,
    'Name exactly one of all, paths and tags.',
  )

/** Which pages of a site are warmed. */
export const pluginBody = z.object({
  installed: z
    .boolean({ error: 'installed must be true or false.' })
    .describe('True also brings another edition of it up to date.'),
})

export const warmBody = z
  .object({
    urls: list('urls', MAX_WARMED, 8192)
      .optional()
      .describe('Paths, or URLs of names of the site; others are rejected.'),
    discover: z
      .boolean({ error: 'discover must be true or false.' })
      .optional()
      .describe('Also home page, sitemap and the pages that they name.'),
  })
  .refine(
    ({ urls = [], discover }) => urls.length > 0 || discover === true,
    'Nothing to warm: give urls, or discover as true.',
  )

/** A change of a site's rules; what is left out stays. */
export const rulesBody = changes({
  enabled: flag('enabled').optional(),
  ttl: cacheTtl('ttl').optional(),
  exclude: cachePaths('exclude').optional(),
  bypass_cookies: bypassCookies('bypass_cookies').optional(),
  ignore_params: ignoredParams('ignore_params').optional(),
  mobile_variant: flag('mobile_variant')
    .nullish()
    .describe('Whether phones get pages of their own; null: as the server has it.'),
  harmless_cookies: furtherCookies('harmless_cookies')
    .optional()
    .describe('Cookies that tell nothing of who is asking, beside the known ones.'),
  session_cookies: furtherCookies('session_cookies')
    .optional()
    .describe('Cookies whose owners get no page of the cache, beside the known ones.'),
  application: z
    .enum(APPLICATION_CHOICES, {
      error: `application must be one of ${APPLICATION_CHOICES.join(', ')}, or null.`,
    })
    .nullish()
    .describe('The application by name, or none; null: recognised by the document root.'),
  fills: z
    .enum(['auto', 'visitor', 'neutral'], { error: 'fills must be auto, visitor or neutral.' })
    .optional()
    .describe(
      "Whose request fills a page: the visitor's own, one in which nothing is his, or auto: the visitor's until the site was found to answer by language or browser without saying so.",
    ),
})

/** What a purge means to the port. */
export const purgeScopeOf = ({ paths, tags }: z.output<typeof purgeBody>): SitePurgeScope => {
  if (paths !== undefined) return { kind: 'paths', paths }
  return tags === undefined ? { kind: 'all' } : { kind: 'tags', tags }
}
