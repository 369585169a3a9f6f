import type { Dialect } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import { accountsPart } from './tables/accounts.ts'
import { adminsPart } from './tables/access/admins.ts'
import { apiTokensPart } from './tables/access/api-tokens.ts'
import { auditPart } from './tables/access/audit.ts'
import { authPart } from './tables/access/auth.ts'
import type { RunBatch } from './batch.ts'
import { backupsPart } from './tables/backups/backups.ts'
import { backupSchedulesPart } from './tables/backups/schedules.ts'
import { proofsPart } from './tables/backups/proofs.ts'
import { snapshotsPart } from './tables/backups/snapshots.ts'
import { certificatesPart } from './tables/certificates.ts'
import { applicationsPart } from './tables/applications.ts'
import { cronPart } from './tables/cron.ts'
import { sftpLoginsPart } from './tables/sftp/sftp-logins.ts'
import { sftpUsersPart } from './tables/sftp/sftp-users.ts'
import { sftpPart } from './tables/sftp/sftp.ts'
import { databaseSizesPart } from './tables/databases/database-sizes.ts'
import { databaseAddressesPart } from './tables/databases/database-addresses.ts'
import { databaseUsersPart } from './tables/databases/database-users.ts'
import { databasesPart } from './tables/databases/databases.ts'
import { domainsPart } from './tables/domains.ts'
import { eventsPart } from './tables/events.ts'
import { jobsPart } from './tables/jobs.ts'
import { leasesPart } from './tables/leases.ts'
import { figuresPart } from './tables/figures.ts'
import { channelPart } from './tables/fronts/channel.ts'
import { trustPart } from './tables/trust.ts'
import { metricsPart } from './tables/metrics.ts'
import { notificationsPart } from './tables/notifications/notifications.ts'
import { notificationWaysPart } from './tables/notifications/ways.ts'
import { migrate } from './migrate.ts'
import { operationsPart } from './tables/operations.ts'
import { loginAttemptsPart } from './tables/access/login-attempts.ts'
import { passkeysPart } from './tables/access/passkeys.ts'
import { invitationsPart } from './tables/access/invitations.ts'
import { peoplePart } from './tables/access/people.ts'
import { resellerAccountsPart } from './tables/access/reseller-accounts.ts'
import { resellersPart } from './tables/access/resellers.ts'
import { plansPart } from './tables/plans.ts'
import { hostsPart } from './tables/hosts.ts'
import { panelNamesPart } from './tables/panel-names.ts'
import { ratesPart } from './tables/rates.ts'
import { movesPart } from './tables/moves/moves.ts'
import { refillsPart } from './tables/refills.ts'
import { secondFactorsPart } from './tables/access/second-factors.ts'
import { createStoreReader, createWriteCompiler } from './write-compiler.ts'
import { cacheSamplesPart } from './tables/cache-samples.ts'
import { sessionsPart } from './tables/access/sessions.ts'
import { siteSettingsPart } from './tables/site-settings.ts'
import { trafficPart } from './tables/traffic.ts'

/**
 * The panel's store over a dialect of Kysely and the runtime's way to run a batch in
 * one transaction. Migrates first.
 *
 * @param inDialect see `migrate`; for SQLite and D1 none
 */
export const createKyselyStore = async (
  dialect: Dialect,
  runBatch: RunBatch,
  inDialect?: (statement: string) => string,
): Promise<Store> => {
  await migrate(runBatch, inDialect)
  const context = {
    db: createStoreReader(dialect),
    write: createWriteCompiler(dialect),
    runBatch,
  }
  return {
    ...authPart(context),
    ...loginAttemptsPart(context),
    ...accountsPart(context),
    ...plansPart(context),
    ...domainsPart(context),
    ...databasesPart(context),
    ...databaseUsersPart(context),
    ...databaseAddressesPart(context),
    ...databaseSizesPart(context),
    ...certificatesPart(context),
    ...backupsPart(context),
    ...snapshotsPart(context),
    ...proofsPart(context),
    ...backupSchedulesPart(context),
    ...operationsPart(context),
    ...leasesPart(context),
    ...ratesPart(context),
    ...panelNamesPart(context),
    ...refillsPart(context),
    ...hostsPart(context),
    ...trustPart(context),
    ...channelPart(context),
    ...movesPart(context),
    ...adminsPart(context),
    ...resellersPart(context),
    ...resellerAccountsPart(context),
    ...apiTokensPart(context),
    ...sessionsPart(context),
    ...passkeysPart(context),
    ...peoplePart(context),
    ...invitationsPart(context),
    ...secondFactorsPart(context),
    ...auditPart(context),
    ...jobsPart(context),
    ...trafficPart(context),
    ...cacheSamplesPart(context),
    ...metricsPart(context),
    ...eventsPart(context),
    ...cronPart(context),
    ...applicationsPart(context),
    ...siteSettingsPart(context),
    ...figuresPart(context),
    ...sftpPart(context),
    ...sftpLoginsPart(context),
    ...sftpUsersPart(context),
    ...notificationsPart(context),
    ...notificationWaysPart(context),
  }
}
