import { z } from 'zod'
import { ACCOUNT_STATUSES } from '../accounts/schema.ts'
import { named, recordId } from '../frame/common-schemas.ts'

export const PHP_MODES = ['cgi', 'fpm', 'lsapi'] as const

/** An installed PHP. */
export const phpVersionSchema = named('PhpVersion', {
  version: z.string().describe('Major.minor, e.g. 8.2.'),
  binary: z.string(),
  sapis: z.array(z.enum(PHP_MODES)),
  default: z.boolean(),
})

/** A running PHP of an account. */
export const phpPoolSchema = named('PhpPool', {
  username: z.string(),
  version: z.string(),
  mode: z.enum(PHP_MODES),
  own_settings: z
    .boolean()
    .describe("Whether it runs with settings of a site or a directory of it, not the server's."),
  pid: z.int().min(1),
  idle_secs: z.int().min(0),
  answers: z.boolean().describe('Whether it answered within two seconds.'),
})

const milliseconds = () => z.number().min(0).nullable()

/** What became of a test of PHP. */
export const phpTestSchema = named('PhpTest', {
  version: z.string(),
  mode: z.enum(PHP_MODES),
  ok: z.boolean(),
  start_ms: milliseconds().describe('Until PHP was ready; null: it did not start.'),
  first_ms: milliseconds().describe('Of the first request.'),
  again_ms: milliseconds().describe('Of the same request once more.'),
  php_version: z.string().nullable().describe('As the script saw it.'),
  sapi: z.string().nullable(),
  uid: z.int().nullable().describe('The user that it ran as.'),
  error: z.string().nullable(),
})

/** What an account runs. */
export const phpSettingsSchema = named('PhpSettings', {
  version: z.string().nullable().describe('Null when the host has no PHP at all.'),
  mode: z.enum(PHP_MODES),
})

/** What one of several accounts runs. */
export const accountPhpSchema = phpSettingsSchema
  .extend({
    account_id: recordId(),
    username: z.string(),
    primary_domain: z.string(),
    status: z.enum(ACCOUNT_STATUSES),
  })
  .meta({ id: 'AccountPhp' })
