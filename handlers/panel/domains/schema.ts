import { z } from 'zod'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

export const DOMAIN_TYPES = ['primary', 'addon', 'subdomain', 'alias'] as const

/** A domain of a hosting account. */
export const domainSchema = named('Domain', {
  id: recordId(),
  account_id: recordId(),
  username: z.string(),
  domain_name: z.string().describe('Lower case; other scripts as A-labels (xn--).'),
  domain_type: z.enum(DOMAIN_TYPES),
  document_root: z.string().describe('Absolute path.'),
  ssl_status: z.enum(['none', 'active']),
  ssl_expires_at: timestamp().nullable(),
  redirect_https: z.boolean().describe('Takes effect while there is a certificate.'),
  hsts: z
    .boolean()
    .describe('Strict-Transport-Security; takes effect while there is a certificate.'),
  default_host: z
    .boolean()
    .describe('Whether it answers at names that no site has; of one domain at most.'),
  php_version: z.string().nullable().describe("Null: the account's."),
  cache_enabled: z.boolean(),
  cache_ttl: count().nullable().describe("Seconds; null: the server's."),
  cache_exclude: z.array(z.string()),
  cache_bypass_cookies: z
    .array(z.string())
    .nullable()
    .describe('Set by PATCH /api/cache/:domain; null: sessions of usual software.'),
  cache_ignore_params: z
    .array(z.string())
    .nullable()
    .describe("Set by PATCH /api/cache/:domain; null: the server's."),
  cache_mobile_variant: z
    .boolean()
    .nullable()
    .describe('Set by PATCH /api/cache/:domain; null: as the server has it.'),
  cache_harmless_cookies: z.array(z.string()).describe('Set by PATCH /api/cache/:domain.'),
  cache_session_cookies: z.array(z.string()).describe('Set by PATCH /api/cache/:domain.'),
  cache_application: z
    .string()
    .nullable()
    .describe('Set by PATCH /api/cache/:domain; null: recognised.'),
  cache_fills: z.enum(['auto', 'visitor', 'neutral']).describe('Set by PATCH /api/cache/:domain.'),
  application_id: recordId()
    .nullable()
    .describe('Application that requests are passed on to; see /api/applications.'),
  application_paths: z
    .array(z.string())
    .nullable()
    .describe('Paths that it gets, with what lies below them; null: all.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})
