import { Kysely } from 'kysely'
import type { Dialect } from 'kysely'
import type { Store } from '#handlers/ports/store.ts'
import { accountsPart } from './accounts.ts'
import { adminsPart } from './admins.ts'
import { apiTokensPart } from './api-tokens.ts'
import { auditPart } from './audit.ts'
import { authPart } from './auth.ts'
import type { RunBatch } from './batch.ts'
import { backupsPart } from './backups.ts'
import { certificatesPart } from './certificates.ts'
import { databasesPart } from './databases.ts'
import { domainsPart } from './domains.ts'
import { eventsPart } from './events.ts'
import { jobsPart } from './jobs.ts'
import { metricsPart } from './metrics.ts'
import { migrate } from './migrate.ts'
import { operationsPart } from './operations.ts'
import { plansPart } from './plans.ts'
import { secondFactorsPart } from './second-factors.ts'
import type { Tables } from './schema.ts'
import { cacheSamplesPart } from './cache-samples.ts'
import { trafficPart } from './traffic.ts'

/**
 * The panel's store over any SQLite-like dialect of Kysely and the runtime's
 * way to run a batch in one transaction. Migrates first.
 */
export const createKyselyStore = async (dialect: Dialect, runBatch: RunBatch): Promise<Store> => {
  await migrate(runBatch)
  const context = { db: new Kysely<Tables>({ dialect }), runBatch }
  return {
    ...authPart(context),
    ...accountsPart(context),
    ...plansPart(context),
    ...domainsPart(context),
    ...databasesPart(context),
    ...certificatesPart(context),
    ...backupsPart(context),
    ...operationsPart(context),
    ...adminsPart(context),
    ...apiTokensPart(context),
    ...secondFactorsPart(context),
    ...auditPart(context),
    ...jobsPart(context),
    ...trafficPart(context),
    ...cacheSamplesPart(context),
    ...metricsPart(context),
    ...eventsPart(context),
  }
}
