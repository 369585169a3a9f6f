import type { Services } from '../services/services.ts'
import { accountListRoutes } from './accounts/list-routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { cacheRoutes } from './cache/routes.ts'
import { applicationRoutes } from './applications/routes.ts'
import { deploymentRoutes } from './applications/deployment-routes.ts'
import { hookRoutes } from './applications/hook-routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './users/auth-routes.ts'
import { cronRoutes } from './cron/routes.ts'
import { sftpLoginRoutes } from './sftp/login-routes.ts'
import { mailRoutes } from './mail/routes.ts'
import { sftpUserRoutes } from './sftp/user-routes.ts'
import { sftpRoutes } from './sftp/routes.ts'
import { databaseRoutes } from './databases/routes.ts'
import { awayHostRoutes } from './hosts/away-routes.ts'
import { panelRoutes } from './hosts/panel-routes.ts'
import { hostRoutes } from './hosts/routes.ts'
import { trustedPanelRoutes } from './hosts/trusted-panels.ts'
import { importRoutes } from './backups/import-routes.ts'
import { refillRoutes } from './backups/refill-routes.ts'
import { scheduleRoutes } from './backups/schedule-routes.ts'
import { backupRoutes } from './backups/routes.ts'
import { targetRoutes } from './backups/target-routes.ts'
import type { PanelDeps } from './deps.ts'
import { doctorRoutes } from './host/doctor-routes.ts'
import { documentRoutes } from './openapi/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { licenseRoutes } from './host/license-routes.ts'
import { impersonationRoutes } from './users/impersonation.ts'
import { logRoutes } from './logs/routes.ts'
import { resellerRoutes } from './resellers/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { passkeyRoutes } from './users/passkey-routes.ts'
import { membershipRoutes } from './users/membership-routes.ts'
import { peopleRoutes } from './users/people-routes.ts'
import { phpBulkRoutes } from './php/bulk-routes.ts'
import { phpRoutes } from './php/routes.ts'
import { planRoutes } from './accounts/plan-routes.ts'
import type { Route } from './frame/route.ts'
import { secondFactorRoutes } from './users/second-factor-routes.ts'
import { proofRoutes } from './backups/snapshots/proof-routes.ts'
import { snapshotRoutes } from './backups/snapshots/routes.ts'
import { sessionRoutes } from './users/session-routes.ts'
import { figuresRoutes } from './figures/routes.ts'
import { siteBackendRoutes } from './site-settings/backend-routes.ts'
import { siteSettingsRoutes } from './site-settings/routes.ts'
import { dnsAccessRoutes } from './certificates/dns-access-routes.ts'
import { waitingOrderRoutes } from './certificates/order-routes.ts'
import { sslRoutes } from './certificates/routes.ts'
import { systemRoutes } from './host/routes.ts'
import { tokenRoutes } from './users/token-routes.ts'
import { userRoutes } from './users/user-routes.ts'
import { veloserveRoutes } from './host/web-server-routes.ts'
import { wordpressRoutes } from './wordpress/routes.ts'

/** The whole routing table; within a resource fixed segments stand before parameters. */
export const allRoutes = (deps: PanelDeps, services: Services): Route[] => {
  const routes: Route[] = [
    ...authRoutes(deps, services),
    ...secondFactorRoutes(deps, services),
    ...passkeyRoutes(deps, services),
    ...membershipRoutes(deps, services),
    ...userRoutes(services),
    ...peopleRoutes(services),
    ...resellerRoutes(services),
    ...sessionRoutes(services),
    ...tokenRoutes(services),
    ...auditRoutes(services),
    ...notificationRoutes(deps, services),
    ...licenseRoutes(services),
    ...accountListRoutes(services),
    ...accountRoutes(services),
    ...impersonationRoutes(deps, services),
    ...planRoutes(services),
    ...domainRoutes(services),
    ...siteBackendRoutes(services),
    ...siteSettingsRoutes(services),
    ...figuresRoutes(services),
    ...cacheRoutes(services),
    ...wordpressRoutes(services),
    ...sslRoutes(services),
    ...waitingOrderRoutes(services),
    ...dnsAccessRoutes(services),
    ...databaseRoutes(deps, services),
    ...cronRoutes(services),
    ...applicationRoutes(services),
    ...deploymentRoutes(services),
    ...hookRoutes(services),
    ...sftpRoutes(services),
    ...mailRoutes(services),
    ...sftpLoginRoutes(services),
    ...sftpUserRoutes(services),
    ...importRoutes(services),
    ...refillRoutes(services),
    ...snapshotRoutes(services),
    ...proofRoutes(services),
    ...scheduleRoutes(services),
    ...backupRoutes(services),
    ...targetRoutes(services),
    ...fileRoutes(services),
    ...phpRoutes(services),
    ...phpBulkRoutes(services),
    ...jobRoutes(services),
    ...logRoutes(services),
    ...systemRoutes(services),
    ...doctorRoutes(services),
    ...hostRoutes(services),
    ...awayHostRoutes(services),
    ...trustedPanelRoutes(services),
    ...panelRoutes(services),
    ...veloserveRoutes(services),
    ...documentRoutes(() => routes),
  ]
  return routes
}
