import { z } from 'zod'
import { siteTestShape } from '../../domain/site-test/result-schema.ts'
import { siteBackendShape } from '../../domain/site-settings/backends/backend-schema.ts'
import { protectedPaths, siteSettingsShape } from '../../domain/site-settings/settings-schema.ts'
import type { SiteSettings } from '../../ports/host/site-settings.ts'
import { PHP_MODES } from '../php/schema.ts'
import { count, named } from '../frame/common-schemas.ts'

const { backends: _backends, ...toldShape } = siteSettingsShape

/** Settings of a site as they are told: of passwords only that there are some; backends are told apart. */
export const siteSettingsAnswer = named('SiteSettings', {
  ...toldShape,
  protected: protectedPaths(z.strictObject({ name: z.string() })),
})

/** The same record without what nobody needs to see. */
export const siteSettingsView = ({
  backends: _told,
  ...settings
}: SiteSettings): z.output<typeof siteSettingsAnswer> => ({
  ...settings,
  protected: settings.protected.map(({ path, realm, users }) => ({
    path,
    realm,
    users: users.map(({ name }) => ({ name })),
  })),
})

const SERVER_STATES = ['up', 'partly', 'down', 'unknown'] as const

/** What answers a path of a site, and how it fares. */
export const siteBackendAnswer = named('SiteBackend', {
  ...siteBackendShape,
  state: z
    .enum([...SERVER_STATES, 'missing'])
    .describe(
      'Of its servers together. unknown: of an application, whose own state says more, and where nobody looks; missing: the application is not there.',
    ),
  servers: z.array(
    z.object({
      url: z.string(),
      weight: z.int(),
      state: z
        .enum(SERVER_STATES)
        .describe(
          'Whether it gets requests, of all workers of the web server, some or none; each finds out for itself. unknown: a single one without health_path, or the web server does not run.',
        ),
      requests: count().describe('Since the workers of the web server started.'),
      failures: count().describe('Requests that it did not answer.'),
    }),
  ),
})

/** What a request would come to, step by step. */
export const siteTestAnswer = named('SiteTest', siteTestShape)

/** The PHP of one site, setting by setting. */
export const sitePhpAnswer = named('SitePhp', {
  version: z.string().nullable().describe('Major.minor; null: the host has no PHP.'),
  full_version: z.string().nullable().describe('E.g. 8.2.29.'),
  mode: z.enum(PHP_MODES).nullable(),
  max_body_bytes: z
    .int()
    .min(0)
    .describe('What the web server takes of a request, however much PHP would; 0: no limit.'),
  settings: z.array(
    z.object({
      name: z.string().describe('As in php.ini.'),
      value: z.string().describe('What scripts in the document root begin with.'),
      source: z
        .enum(['php.ini', 'server', 'plan', 'domain', '.user.ini'])
        .describe('Who said so; plan: its memory is less. Rules of .htaccess are not looked at.'),
      own: z.string().nullable().describe('Chosen for the site; null: nothing was.'),
      rule: z
        .discriminatedUnion('kind', [
          z.object({ kind: z.literal('size'), min: z.int(), max: z.int() }),
          z.object({ kind: z.literal('whole'), min: z.int(), max: z.int() }),
          z.object({ kind: z.literal('switch') }),
          z.object({ kind: z.literal('zone') }),
        ])
        .describe('How it is written; bounds of sizes are in bytes.'),
    }),
  ),
  extensions: z.array(
    z.object({ name: z.string(), version: z.string().nullable().describe('Null: it names none.') }),
  ),
})
