import { parseDocumentRoot } from '../../domain/domains/document-root.ts'
import { parseSiteName } from '../../domain/domains/site-name.ts'
import { wildcardBase } from '../../domain/domains/wildcard-name.ts'
import {
  domainLimitReached,
  domainsHeldBack,
  heldBackDomains,
} from '../../domain/license/license-limits.ts'
import { planLimitReached } from '../../domain/accounts/plan.ts'
import { resellerLimitReached } from '../../domain/accounts/reseller-limits.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { AccountRow, DomainRow, DomainType } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { DomainChange, DomainSettings } from './changes.ts'
import { assertPhpInstalled, createChangeDomain } from './changes.ts'
import { DOMAIN_CREATE, DOMAIN_DELETE } from './operations.ts'
import { assertNameIsFree, assertOwnable, assertParent, assertWildcardType } from './ownership.ts'
import { newDomainOptions } from '../../domain/domains/new-domain-options.ts'
import type { Journal } from '../journal/journal.ts'
import {
  DOMAIN_NOT_FOUND,
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { assertNoAliases, assertSite } from './aliases.ts'
import { createSiteFolders } from './site-folders.ts'

export type { DomainSettings } from './changes.ts'
export type { SiteSettingsService } from './site-settings.ts'
export { assertNameIsFree } from './ownership.ts'
export { undoDomain } from './operations.ts'

/** A domain as the API returns it. */
export type DomainView = DomainRow & { username: string }

/** What a domain is made of, before anything of it was judged. */
export interface NewDomain {
  accountId: number
  domainName: string
  domainType: DomainType
  /** Absolute path inside the account's home; created when missing. */
  documentRoot: string
  settings?: DomainSettings
  /** Whether an administrator asks, who may use names around the panel's and exceed the plan. */
  byAdministrator: boolean
}

/**
 * Domains of accounts and their sites. Whatever takes an id rejects with 404 for one that
 * is not there.
 */
export interface Domains {
  /** Of all accounts; by id unless the query says otherwise. */
  list(query: ListQuery): Promise<Page<DomainView>>
  /** 404 for an unknown account. */
  listOfAccount(accountId: number, query: ListQuery): Promise<Page<DomainView>>
  /** Any type, aliases too. */
  get(id: number): Promise<DomainView>
  /** 400 bad field or alias of no site, 403 limit, 404 account, 409 duplicate, foreign parent or child, second primary. */
  create(input: NewDomain): Promise<DomainView>
  /** As `create`, for whom the account's turn is already. */
  createInTurn(input: NewDomain): Promise<DomainView>
  /** 400 bad field, 404, 409 no certificate, or the account is not active. */
  change(id: number, change: DomainChange): Promise<DomainView>
  /** 409 for the primary domain, which goes with its account only, and for one with aliases. */
  remove(id: number): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'license' | 'panelNames'> & {
  journal: Journal
  vhosts: VirtualHosts
}

export const createDomains = (deps: Deps): Domains => {
  const { store, host, clock, license, journal, vhosts } = deps
  const changeDomain = createChangeDomain(deps)
  const folders = createSiteFolders(host.files)

  const get = async (id: number): Promise<DomainView> => {
    const domain = await store.domainById(id)
    if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
    return domain
  }

  const list = (query: ListQuery): Promise<Page<DomainView>> => store.listDomains(query)

  const insert = async (account: AccountRow, input: NewDomain, name: string, root: string) => {
    const { accounts_limit, domains_limit: limit } = await license.current()
    const plan = await planOf(store, account)
    const heldBack = input.byAdministrator
      ? 0
      : heldBackDomains({ accounts: accounts_limit, domains: limit }, await store.countAccounts())
    const { settings = {} } = input
    const usual = newDomainOptions()
    const now = timestamp(clock.nowMs())
    const operation = journal.newOperation(DOMAIN_CREATE, account.username, {
      account_id: account.id,
      domain: name,
    })
    const row = await store.insertDomain(
      {
        account_id: account.id,
        domain_name: name,
        domain_type: input.domainType,
        document_root: root,
        ssl_status: 'none',
        ssl_expires_at: null,
        application_id: null,
        application_paths: null,
        ...usual,
        php_version: settings.php_version ?? null,
        cache_enabled: settings.cache_enabled ?? usual.cache_enabled,
        cache_ttl: settings.cache_ttl ?? null,
        cache_exclude: settings.cache_exclude ?? [],
        created_at: now,
        updated_at: now,
      },
      operation,
      {
        total: limit < 0 ? limit : Math.max(0, limit - heldBack),
        ofAccount: input.byAdministrator ? null : plan.domains_limit,
      },
    )
    if (row === 'duplicate') throw conflict(`domain_name ${name} exists already.`, 'domain_name')
    if (row === 'account-limit') {
      const { domains } = await store.accountUsage(account.id)
      throw planLimitReached(account, 'domains', domains, plan.domains_limit)
    }
    if (row === 'reseller-limit') throw resellerLimitReached('domains')
    if (row === 'limit') {
      const count = await store.countDomains()
      throw count < limit
        ? domainsHeldBack(count, limit, heldBack)
        : domainLimitReached(count, limit)
    }
    return { row, operation }
  }

  const createInTurn = async (input: NewDomain): Promise<DomainView> => {
    const name = parseSiteName(input.domainName)
    assertWildcardType(name, input.domainType)
    const account = await requireActiveAccount(store, input.accountId)
    const { username } = account
    const root = parseDocumentRoot(input.documentRoot, account.home)
    if (input.domainType === 'primary') {
      throw conflict(
        `Account ${username} has its primary domain ${account.primary_domain} already. Add this one as addon.`,
        'domain_type',
      )
    }
    await assertPhpInstalled(deps, account, input.settings?.php_version)
    await deps.panelNames.assertFree(name, 'domain_name', input.byAdministrator)
    assertOwnable(name, 'domain_name', input.byAdministrator)
    const related = await store.domainsRelatedTo(name)
    assertNameIsFree(name, related, account.id, 'domain_name')
    if (input.domainType === 'subdomain' || wildcardBase(name) !== null)
      assertParent(name, related, account.username)
    if (input.domainType === 'alias') await assertSite(store, account, root.absolute)
    const { row, operation } = await insert(account, input, name, root.absolute)
    await journal.create(operation, [
      {
        name: 'folder',
        run: async () => {
          if (input.domainType !== 'alias') return folders.makeSite(username, root.relative, name)
          await folders.make(username, root.relative)
        },
      },
      {
        name: 'vhost',
        run: async () =>
          host.of(account.host_id).webServer.apply(await vhosts.around(account, name)),
      },
    ])
    return get(row.id)
  }

  return {
    list,
    get,
    async listOfAccount(accountId, query) {
      await requireAccount(store, accountId)
      return list({ ...query, accountId })
    },
    async create(input) {
      assertWildcardType(parseSiteName(input.domainName), input.domainType)
      const { username } = await requireSettledAccount(store, input.accountId)
      return journal.exclusively(username, () => createInTurn(input))
    },
    createInTurn,
    async change(id, wanted) {
      await get(id)
      await changeDomain(id, wanted)
      return get(id)
    },
    async remove(id) {
      const { username } = await get(id)
      await journal.exclusively(username, async () => {
        const domain = await get(id)
        if (domain.domain_type === 'primary') {
          throw conflict(
            `${domain.domain_name} is the primary domain of ${username}. Delete the account to remove it.`,
          )
        }
        await assertNoAliases(store, domain)
        const operation = journal.newOperation(DOMAIN_DELETE, username, {
          account_id: domain.account_id,
          domain_id: id,
          domain: domain.domain_name,
        })
        await store.openOperation(operation)
        await journal.finish(operation)
      })
    },
  }
}
