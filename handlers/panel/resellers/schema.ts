import { z } from 'zod'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

export const RESELLER_STATUSES = ['active', 'suspended'] as const

const limit = () => z.int().min(0).nullable()
const share = () => z.object({ used: count(), limit: limit() })

/** A reseller. */
export const resellerSchema = named('Reseller', {
  id: recordId(),
  username: z.string(),
  status: z
    .enum(RESELLER_STATUSES)
    .describe('Who is suspended cannot log in, and neither sessions nor API tokens count.'),
  suspend_reason: z.string().nullable(),
  plans: z.array(z.string()).describe('Names of the plans that he may give.'),
  accounts_limit: limit().describe('Null: none, as for every limit.'),
  domains_limit: limit(),
  databases_limit: limit(),
  disk_limit_mb: limit(),
  bandwidth_limit_mb: limit(),
  accounts: share(),
  domains: share().describe('Of all his accounts together, of every type.'),
  databases: share(),
  disk_mb: share().describe("What is promised: the sum of his accounts' quotas."),
  bandwidth_mb: share().describe("What is promised for a month: the sum of his accounts' quotas."),
  disk_used_mb: count().describe('What his accounts take.'),
  bandwidth_used_mb: count().describe('What his sites have sent since the month (UTC) began.'),
  second_factor: z.boolean().describe('Whether a login needs a code.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})
