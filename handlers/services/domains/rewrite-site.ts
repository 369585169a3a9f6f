import { circlesOf } from '../../domain/site-settings/redirect-circles.ts'
import { tidySettings } from '../../domain/site-settings/tidy-settings.ts'
import { usualSiteSettings } from '../../domain/site-settings/usual-settings.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import type { SiteSettings } from '../../ports/host/site-settings.ts'
import type { AccountRow, OperationRow } from '../../ports/store/records.ts'
import type { Journal, OperationKind } from '../journal/journal.ts'
import { DOMAIN_NOT_FOUND, requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { applySite } from './changes.ts'

export const DOMAIN_SITE = 'domain.site'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { journal: Journal; vhosts: VirtualHosts }

/**
 * Gives a site the settings that `make` answers, from those that it has. Served so when it resolves,
 * without a page from before; if that fails, everything is as it was. 400 bad value, 404 unknown
 * domain, 409 an alias, or the account is not active.
 */
export type RewriteSite = (
  domainId: number,
  make: (before: SiteSettings, account: AccountRow) => Promise<SiteSettings> | SiteSettings,
) => Promise<SiteSettings>

/** Puts back what the settings were before, record first. */
export const siteSettingsKind = (deps: Pick<Deps, 'store' | 'host' | 'vhosts'>): OperationKind => ({
  kind: DOMAIN_SITE,
  settle: 'undo',
  steps: ({ data, steps }: OperationRow) => [
    {
      name: 'row',
      run: () =>
        deps.store.putSiteSettings(
          Number(data['domain_id']),
          data['before'] as SiteSettings | null,
        ),
    },
    {
      name: 'site',
      async run() {
        const account = await deps.store.accountById(Number(data['account_id']))
        if (account === null || !steps.includes('row')) return
        await applySite(deps, account, String(data['domain']))
      },
    },
  ],
})

/** Throws 400 for settings that contradict one another. */
const assertTogether = (settings: SiteSettings, name: string): void => {
  const circle = circlesOf(settings.redirects, name)
  if (circle !== null) throw invalid('redirects', `redirects ${circle}`)
  const folder = settings.folders.find(({ path }) =>
    settings.backends.some((one) => one.path === path),
  )
  if (folder !== undefined)
    throw invalid('path', `path ${folder.path} is one of a folder and of a backend. Remove one.`)
}

export const createRewriteSite = (deps: Deps): RewriteSite => {
  const { store, journal } = deps
  const domainOf = async (id: number) => {
    const domain = await store.domainById(id)
    if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
    return domain
  }
  return async (id, make) => {
    const { username } = await domainOf(id)
    return journal.exclusively(username, async () => {
      const domain = await domainOf(id)
      if (domain.domain_type === 'alias')
        throw conflict(
          `${domain.domain_name} is an alias and has no settings of its own. Change those of its site.`,
        )
      const account = await requireActiveAccount(store, domain.account_id)
      const before = await store.siteSettings(id)
      const after = tidySettings(await make(before ?? usualSiteSettings(), account))
      assertTogether(after, domain.domain_name)
      const operation = journal.newOperation(DOMAIN_SITE, username, {
        account_id: account.id,
        domain_id: id,
        domain: domain.domain_name,
        before,
      })
      await store.openOperation(operation)
      await journal.create(operation, [
        { name: 'row', run: () => store.putSiteSettings(id, after) },
        { name: 'site', run: () => applySite(deps, account, domain.domain_name) },
      ])
      return after
    })
  }
}
