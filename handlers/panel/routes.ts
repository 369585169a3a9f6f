import type { Services } from '../services/services.ts'
import { accountRoutes } from './accounts.ts'
import { authRoutes } from './auth.ts'
import { databaseRoutes } from './databases.ts'
import type { PanelDeps } from './deps.ts'
import { documentRoutes } from './document-routes.ts'
import { domainRoutes } from './domains.ts'
import { fileRoutes } from './files.ts'
import { phpRoutes } from './php.ts'
import type { Route } from './route.ts'
import { sslRoutes } from './ssl.ts'
import { systemRoutes } from './system.ts'
import { veloserveRoutes } from './veloserve.ts'

/** The whole routing table; within a resource fixed segments stand before parameters. */
export const allRoutes = (deps: PanelDeps, services: Services): Route[] => {
  const routes: Route[] = [
    ...authRoutes(deps, services),
    ...accountRoutes(services),
    ...domainRoutes(services),
    ...sslRoutes(services),
    ...databaseRoutes(services),
    ...fileRoutes(services),
    ...phpRoutes(services),
    ...systemRoutes(services),
    ...veloserveRoutes(services),
    ...documentRoutes(() => routes),
  ]
  return routes
}
