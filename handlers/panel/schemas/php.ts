import { z } from 'zod'
import { ACCOUNT_STATUSES } from './account.ts'
import { recordId } from './common.ts'

export const PHP_MODES = ['cgi', 'fpm', 'lsapi'] as const

/** An installed PHP. */
export const phpVersionSchema = z
  .object({
    version: z.string().describe('Major.minor, e.g. 8.2.'),
    binary: z.string(),
    sapis: z.array(z.enum(PHP_MODES)),
    default: z.boolean(),
  })
  .meta({ id: 'PhpVersion' })

/** What an account runs. */
export const phpSettingsSchema = z
  .object({
    version: z.string().nullable().describe('Null when the host has no PHP at all.'),
    mode: z.enum(PHP_MODES),
  })
  .meta({ id: 'PhpSettings' })

/** What one of several accounts runs. */
export const accountPhpSchema = phpSettingsSchema
  .extend({
    account_id: recordId(),
    username: z.string(),
    primary_domain: z.string(),
    status: z.enum(ACCOUNT_STATUSES),
  })
  .meta({ id: 'AccountPhp' })
