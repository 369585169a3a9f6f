import { z } from 'zod'
import { change, domain, nothing, operationId, password, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about accounts, by port and method. */
export const ACCOUNTS_ARGUMENTS: Pick<ArgumentTable, 'users' | 'accountUse'> = {
  users: {
    create: z.object({
      operationId,
      username,
      password,
      primaryDomain: domain,
      diskQuotaMb: z.number().int(),
      uid: z.number().int().positive().exactOptional(),
    }),
    remove: change,
    suspend: change,
    unsuspend: change,
    setPassword: z.object({ operationId, username, password }),
    setDiskQuota: z.object({ operationId, username, diskQuotaMb: z.number().int().nonnegative() }),
    setLimits: z.object({
      operationId,
      username,
      processes: z.number().int().positive(),
      memoryMb: z.number().int().positive(),
      memoryTotalMb: z.number().int().nonnegative(),
      cpuWeight: z.number().int().min(1).max(10_000),
      cpuPercent: z.number().int().nonnegative(),
      ioWeight: z.number().int().min(1).max(10_000),
    }),
    list: nothing,
    diskUsedMb: z.object({ username }),
    operation: z.object({ operationId }),
  },
  accountUse: { of: z.object({ username }), shortOfMemory: nothing },
}
