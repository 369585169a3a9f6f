import { Kysely } from 'kysely'
import type { Dialect } from 'kysely'
import type { Store } from '#handlers/ports/store.ts'
import { accountsPart } from './accounts.ts'
import { authPart } from './auth.ts'
import type { RunBatch } from './batch.ts'
import { certificatesPart } from './certificates.ts'
import { databasesPart } from './databases.ts'
import { domainsPart } from './domains.ts'
import { migrate } from './migrate.ts'
import { operationsPart } from './operations.ts'
import type { Tables } from './schema.ts'
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
    ...domainsPart(context),
    ...databasesPart(context),
    ...certificatesPart(context),
    ...operationsPart(context),
    ...trafficPart(context),
  }
}
