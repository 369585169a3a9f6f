import { LOGIN_PATH } from '../../domain/wordpress/login-path.ts'
import type { Report } from '../../ports/jobs.ts'
import type { WordpressSource } from '../../ports/host/wordpress/wordpress.ts'
import type { WordpressAdministrator } from '../../ports/host/wordpress/wordpress-login.ts'
import type { PlacedPackage } from '../../ports/host/wordpress/wordpress-extensions.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Cron } from '../cron/cron.ts'
import type { Journal } from '../journal/journal.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createCopyWordpress } from './copy.ts'
import type { CopiedWordpress, CopyDeps, WantedCopy } from './copy.ts'
import { createWordpressCare } from './care.ts'
import type { WordpressCare } from './care.ts'
import { createExtensionUpdates } from './extension-updates.ts'
import type { ExtensionUpdates } from './extension-updates.ts'
import { createInstallWordpress } from './install.ts'
import type { InstalledWordpress, WantedWordpress } from './install.ts'
import { createAdministratorOf, createPlaceOf, viewsOf } from './place-of.ts'
import { createPushWordpress, createWordpressTables } from './push.ts'
import type { PushedWordpress, WantedPush, WordpressTables } from './push.ts'
import { createUpdateExtensions } from './update-extensions.ts'
import type { UpdatedExtensions, WantedExtensions } from './update-extensions.ts'
import { createUpdateWordpress } from './update.ts'
import type { UpdatedWordpress, UpdateDeps } from './update.ts'
import type { WordpressView } from './wordpress-view.ts'

export type { InstalledWordpress, WantedWordpress } from './install.ts'
export type { WordpressView } from './wordpress-view.ts'

/** WordPress in the sites of accounts. What takes a path throws 404 where no WordPress is. */
export interface Wordpress extends WordpressCare {
  /** Found anew each time; 404 unknown account, 409 while it is made or deleted. */
  list(accountId: number, query: ListQuery): Promise<Page<WordpressView>>
  /** Versions that can be installed, newest first. */
  sources(): Promise<WordpressSource[]>
  /** See `createInstallWordpress`. */
  install(accountId: number, wanted: WantedWordpress, report: Report): Promise<InstalledWordpress>
  /** See `createUpdateWordpress`. */
  update(
    accountId: number,
    path: string,
    order: { version: string | undefined; bounded: boolean },
    report: Report,
  ): Promise<UpdatedWordpress>
  /** See `createCopyWordpress`. */
  copy(
    accountId: number,
    path: string,
    wanted: WantedCopy,
    report: Report,
  ): Promise<CopiedWordpress>
  /** 409 where it does not answer. */
  tables(accountId: number, path: string): Promise<WordpressTables>
  /** See `createPushWordpress`. */
  push(
    accountId: number,
    path: string,
    wanted: WantedPush,
    report: Report,
  ): Promise<PushedWordpress>
  /** Archives of plugins and themes on this host. */
  packages(): Promise<PlacedPackage[]>
  /** See `createExtensionUpdates`. */
  updates(accountId: number, path: string, ask: boolean): Promise<ExtensionUpdates>
  /** See `createUpdateExtensions`. */
  updateExtensions(
    accountId: number,
    path: string,
    wanted: WantedExtensions,
    report: Report,
  ): Promise<UpdatedExtensions>
  /** Of one WordPress, the first one first; 409 where it does not answer. */
  administrators(accountId: number, path: string): Promise<WordpressAdministrator[]>
  /** An address that opens its administration once, within half a minute; default: as the first administrator. */
  login(
    accountId: number,
    path: string,
    user: string | undefined,
  ): Promise<{ url: string; user: string }>
}

const LISTED = {
  searched: ({ domain, path, version }: WordpressView) => [domain, path, version ?? ''],
  sortable: {
    domain: ({ domain }: WordpressView) => domain,
    path: ({ path }: WordpressView) => path,
    version: ({ version }: WordpressView) => version,
  },
}

export const createWordpress = (
  deps: UpdateDeps &
    CopyDeps &
    Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'homeBase'> & {
      journal: Journal
      cron: Cron
    },
): Wordpress => {
  const { store, host } = deps

  const placeOf = createPlaceOf(deps)
  const administratorOf = createAdministratorOf(deps)
  const updatesOf = createExtensionUpdates(deps)

  return {
    async list(accountId, query) {
      const { username } = await requireSettledAccount(store, accountId)
      const all = await viewsOf(deps, accountId, await host.wordpress.find({ username }))
      const { outdated } = query.filters ?? {}
      return pageOf(
        all.filter((one) => outdated === undefined || String(one.outdated) === outdated),
        query,
        LISTED,
      )
    },
    ...createWordpressCare(deps, { placeOf, administratorOf }, deps.cron),
    sources: () => host.local.wordpress.sources(),
    install: createInstallWordpress(deps),
    update: createUpdateWordpress(deps, placeOf),
    copy: createCopyWordpress(deps, placeOf),
    tables: createWordpressTables(deps, placeOf),
    push: createPushWordpress(deps, placeOf),
    packages: () => host.local.wordpressExtensions.packages(),
    updates: async (accountId, path, ask) => updatesOf(await placeOf(accountId, path), ask),
    updateExtensions: createUpdateExtensions(deps, placeOf, updatesOf),
    administrators: async (accountId, path) =>
      host.wordpressLogin.administrators(await placeOf(accountId, path)),
    async login(accountId, path, user) {
      const place = await placeOf(accountId, path)
      const chosen = await administratorOf(place, user)
      const { ticket } = await host.wordpressLogin.ticket({ ...place, user: chosen.id })
      // Behind the #: it is sent to nobody, and so in nobody's log.
      return { url: `${new URL(LOGIN_PATH, place.url).href}#${ticket}`, user: chosen.login }
    },
  }
}
