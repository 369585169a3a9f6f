import { z } from 'zod'
import { PLANS } from '../../domain/plan.ts'
import { count, recordId, timestamp } from './common.ts'

/** A hosting account. */
export const accountSchema = z
  .object({
    id: recordId(),
    username: z.string(),
    primary_domain: z.string(),
    email: z.string(),
    plan: z.enum(PLANS),
    status: z
      .enum(['creating', 'active', 'suspended', 'deleting'])
      .describe('creating and deleting are seen only while that is under way.'),
    suspend_reason: z.string().nullable(),
    disk_quota_mb: count(),
    bandwidth_quota_mb: count(),
    disk_used_mb: count(),
    home: z.string().nullable().describe('Absolute path; null until the system user exists.'),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .meta({ id: 'Account' })
