import type { ApplicationRow, DeploymentRow } from '../../ports/store/application-store.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { Journal } from '../journal/journal.ts'
import { effectivePhp, type VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { serveApplicationDomains } from './serve-application-domains.ts'

/** Releases that one may go back to, the live one among them. */
export const KEPT_RELEASES = 5

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & { journal: Journal; vhosts: VirtualHosts }

/** What a deployment has made, ready to meet visitors. */
export interface Built {
  account: AccountRow
  application: ApplicationRow
  deployment: DeploymentRow
}

/** Below the home: the folder of a release that a site is served from. */
const siteRootOf = ({ folder, public_folder }: ApplicationRow, release: string): string =>
  [folder, 'releases', release, ...(public_folder === '' ? [] : [public_folder])].join('/')

/** Sends visitors to what a deployment made: its program, or the files of its release. */
export const createTakeLive = (deps: Deps) => {
  const { store, host, log } = deps

  /** Points at what is live; older releases go, but for those that one may go back to. */
  const switchTo = async (
    { account, application }: Built,
    release: string,
    serves: string,
  ): Promise<void> => {
    const live = (await store.listDeployments(application.id)).flatMap((row) =>
      row.state === 'live' && row.release !== null ? [row.release] : [],
    )
    // What is served now until the web server has heard of the new one.
    const now = application.release === null ? [] : [application.release]
    const keep = [...new Set([release, ...now, ...live])].slice(0, KEPT_RELEASES)
    const { username } = account
    await host.applications.switch({ username, name: application.name, release, serves, keep })
  }
  const serveDomains = ({ account, application }: Built): Promise<void> =>
    serveApplicationDomains(deps, account.username, application)
  /** Every release has paths of its own, so PHP keeps what it knows of former ones until it is started anew. */
  const renewPhp = async ({ account, deployment }: Built): Promise<void> => {
    try {
      const php = effectivePhp(account, await host.of(account.host_id).php.versions())
      if (php === null) return
      const operationId = `${deployment.id}.php`
      await host.php.configure({ operationId, username: account.username, ...php })
    } catch (error) {
      log.warn('PHP was not started anew after a deployment', {
        username: account.username,
        error: String(error),
      })
    }
  }

  const asSite = async (built: Built, release: string): Promise<void> => {
    const { account, application } = built
    const { id, name, public_folder, revision } = application
    const { live_revision, site_root, release: former } = application
    await switchTo(built, release, public_folder)
    await store.updateApplication(id, {
      ...{ release, live_revision: revision, desired: 'running' },
      site_root: siteRootOf(application, release),
    })
    try {
      await serveDomains(built)
    } catch (error) {
      await store.updateApplication(id, { release: former, live_revision, site_root })
      if (former !== null && site_root !== null)
        await switchTo(built, former, '').catch((failure: unknown) =>
          log.warn('the link to the live release was not put back', {
            application: name,
            error: String(failure),
          }),
        )
      throw error
    }
    // A program that answered before.
    if (site_root === null) await host.applications.stop({ username: account.username, name })
    await renewPhp(built)
  }
  const asProgram = async (built: Built, release: string | null): Promise<void> => {
    const { account, application } = built
    const { id, name, revision, site_root, live_revision } = application
    await host.applications.deploy({ username: account.username, name })
    if (release !== null) await switchTo(built, release, '')
    await store.updateApplication(id, {
      ...{ release, live_revision: revision, desired: 'running', site_root: null },
    })
    // How many instances there are, too.
    if (site_root !== null || live_revision !== revision) await serveDomains(built)
  }

  /** May run again after a crash. What fails leaves what was live before. */
  return async (built: Built): Promise<void> => {
    const { release } = built.deployment
    if (built.application.start_command === null && release !== null) await asSite(built, release)
    else await asProgram(built, release)
  }
}
