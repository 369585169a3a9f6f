import { z } from 'zod'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

export const ACCOUNT_STATUSES = ['creating', 'active', 'suspended', 'deleting'] as const

/** What several accounts have together. */
export const accountTotalsSchema = named('AccountTotals', {
  accounts: count(),
  disk_used_mb: count(),
  domains: count(),
  databases: count(),
  certificates: count(),
  backups: count().describe('Copies of backups; they outlive their account.'),
})

/** A hosting account. */
export const accountSchema = named('Account', {
  id: recordId(),
  username: z.string(),
  primary_domain: z.string(),
  email: z.string(),
  plan: z.string().describe('Name of its plan.'),
  status: z
    .enum(ACCOUNT_STATUSES)
    .describe('creating and deleting are seen only while that is under way.'),
  suspend_reason: z.string().nullable(),
  reseller_id: z.int().nullable().describe("Whose account it is; null: no reseller's."),
  host_id: z
    .int()
    .min(0)
    .describe("The machine that it is on, see GET /api/hosts; 0: the panel's own."),

  disk_quota_mb: count(),
  bandwidth_quota_mb: count(),
  disk_used_mb: count(),
  bandwidth_used_mb: count().describe(
    'What its sites have sent since the month (UTC) began. At bandwidth_quota_mb (0: no limit) they answer 509 until the month ends.',
  ),
  home: z.string().nullable().describe('Absolute path; null until the system user exists.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})
