import type { Services } from '../services/services.ts'
import { accountListRoutes } from './account-lists.ts'
import { accountRoutes } from './accounts.ts'
import { cacheRoutes } from './cache.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes } from './auth.ts'
import { databaseRoutes } from './databases.ts'
import { backupRoutes } from './backups.ts'
import type { PanelDeps } from './deps.ts'
import { doctorRoutes } from './doctor.ts'
import { documentRoutes } from './document-routes.ts'
import { domainRoutes } from './domains.ts'
import { fileRoutes } from './files.ts'
import { jobRoutes } from './jobs.ts'
import { licenseRoutes } from './license.ts'
import { loginAsRoutes } from './login-as.ts'
import { logRoutes } from './logs.ts'
import { phpRoutes } from './php.ts'
import { planRoutes } from './plans.ts'
import type { Route } from './route.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sslRoutes } from './ssl.ts'
import { systemRoutes } from './system.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'
import { veloserveRoutes } from './veloserve.ts'

/** The whole routing table; within a resource fixed segments stand before parameters. */
export const allRoutes = (deps: PanelDeps, services: Services): Route[] => {
  const routes: Route[] = [
    ...authRoutes(deps, services),
    ...secondFactorRoutes(deps, services),
    ...userRoutes(services),
    ...tokenRoutes(services),
    ...auditRoutes(services),
    ...licenseRoutes(services),
    ...accountListRoutes(services),
    ...accountRoutes(services),
    ...loginAsRoutes(deps, services),
    ...planRoutes(services),
    ...domainRoutes(services),
    ...cacheRoutes(services),
    ...sslRoutes(services),
    ...databaseRoutes(services),
    ...backupRoutes(services),
    ...fileRoutes(services),
    ...phpRoutes(services),
    ...jobRoutes(services),
    ...logRoutes(services),
    ...systemRoutes(services),
    ...doctorRoutes(services),
    ...veloserveRoutes(services),
    ...documentRoutes(() => routes),
  ]
  return routes
}
