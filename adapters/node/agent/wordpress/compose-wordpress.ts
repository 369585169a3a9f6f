import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { HelperPool } from '../files/helper-pool.ts'
import { officialPlace } from '../../wordpress-cores/official/official-place.ts'
import { createCachePluginPort } from './cache-plugin-port.ts'
import { createWordpressCarePort } from './care-port.ts'
import { createWordpressCopyPort } from './copies/copy-port.ts'
import { createWordpressExtensionsPort } from './extensions/extensions-port.ts'
import { createReadPackages } from './extensions/read-packages.ts'
import { createWordpressInstallPort } from './install-port.ts'
import { createWordpressLoginPort, type EnterSite } from './login-port.ts'
import type { SiteWorkDeps } from './site-work-deps.ts'
import { createCoreSources } from './sources/core-sources.ts'
import { createWordpressUpdatePort } from './update-port.ts'
import { createWordpressPort } from './wordpress-port.ts'

/** The ports for WordPress, and what the web server asks of them. */
export const composeWordpress = (
  config: ServerConfig['wordpress'],
  deps: SiteWorkDeps & { helpers: HelperPool; stateDir: string },
): {
  ports: Pick<
    HostPorts,
    | 'cachePlugin'
    | 'wordpress'
    | 'wordpressInstall'
    | 'wordpressLogin'
    | 'wordpressUpdate'
    | 'wordpressCopy'
    | 'wordpressExtensions'
    | 'wordpressCare'
  >
  enter: EnterSite
} => {
  const sources = createCoreSources({
    ...{ folders: config.sources, archives: config.cores, official: officialPlace(config) },
    ...{ stateDir: deps.stateDir, log: deps.log },
  })
  const packages = createReadPackages(config.packages)
  const login = createWordpressLoginPort({ ...deps, nowMs: () => Date.now() })
  return {
    ports: {
      cachePlugin: createCachePluginPort(deps),
      wordpress: createWordpressPort({ ...deps, sources, packages }),
      wordpressInstall: createWordpressInstallPort({ ...deps, sources }),
      wordpressLogin: login,
      wordpressUpdate: createWordpressUpdatePort({ ...deps, sources }),
      wordpressCopy: createWordpressCopyPort(deps),
      wordpressExtensions: createWordpressExtensionsPort({ ...deps, sources, packages }),
      wordpressCare: createWordpressCarePort({ ...deps, sources }),
    },
    enter: login.enter,
  }
}
