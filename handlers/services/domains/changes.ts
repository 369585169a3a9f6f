import { parseDocumentRoot } from '../../domain/domains/document-root.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, isAppError, notFound } from '../../errors.ts'
import type { AccountRow, DomainRow, OperationRow } from '../../ports/store/records.ts'
import type { Journal, OperationKind } from '../journal/journal.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { siteOfRoot, type VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** What of a domain may be changed; absent stays. */
export interface DomainSettings {
  /** Seconds; null: the server's. */
  cache_ttl?: number | null | undefined
  cache_enabled?: boolean | undefined
  cache_exclude?: string[] | undefined
  /** Null: sessions of usual software. */
  cache_bypass_cookies?: string[] | null | undefined
  /** Null: the server's. */
  cache_ignore_params?: string[] | null | undefined
  /** Null: as the server has it. */
  cache_mobile_variant?: boolean | null | undefined
  cache_harmless_cookies?: string[] | undefined
  cache_session_cookies?: string[] | undefined
  /** Null: recognised. */
  cache_application?: string | null | undefined
  cache_fills?: 'auto' | 'visitor' | 'neutral' | undefined
  /** Null: the account's. */
  php_version?: string | null | undefined
  redirect_https?: boolean | undefined
  /** Strict-Transport-Security of https responses (RFC 6797), with `max-age` of half a year. */
  hsts?: boolean | undefined
  /** Answers at names that no site has; for administrators to say. */
  default_host?: boolean | undefined
  /** Application that requests are passed on to; null: none. */
  application_id?: number | null | undefined
  /** Paths that it gets; null: all. */
  application_paths?: string[] | null | undefined
}

export type DomainChange = DomainSettings & { document_root?: string | undefined }

export const DOMAIN_CHANGE = 'domain.change'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock'> & {
  journal: Journal
  vhosts: VirtualHosts
}

/** Throws 400 for a PHP version that is not installed. */
export const assertPhpInstalled = async (
  { host }: Pick<Deps, 'host'>,
  { host_id }: Pick<AccountRow, 'host_id'>,
  version: string | null | undefined,
): Promise<void> => {
  if (version === null || version === undefined) return
  const versions = (await host.of(host_id).php.versions()).map((one) => one.version)
  if (versions.includes(version)) return
  throw invalid(
    'php_version',
    `php_version ${version} is not installed. Installed: ${versions.join(', ') || 'none'}.`,
  )
}

/** Throws 409 for what needs a certificate where there is none. */
const assertCertified = (domain: DomainRow, change: DomainChange): void => {
  for (const field of ['redirect_https', 'hsts'] as const) {
    if (change[field] !== true || domain.ssl_status === 'active') continue
    throw conflict(
      `${field} needs a certificate, and ${domain.domain_name} has none. Provision one first.`,
      field,
    )
  }
}

/** Throws 409 where another domain answers at unknown names already. */
const assertOnlyDefault = async (
  { store }: Pick<Deps, 'store'>,
  domain: DomainRow,
  change: DomainSettings,
): Promise<void> => {
  if (change.default_host !== true) return
  const { rows } = await store.listDomains()
  const other = rows.find((row) => row.default_host && row.id !== domain.id)
  if (other === undefined) return
  throw conflict(
    `${other.domain_name} answers at unknown names already. Switch that off first.`,
    'default_host',
  )
}

/** Throws 404 for an application that is not the account's. */
const assertOwnApplication = async (
  { store }: Pick<Deps, 'store'>,
  domain: DomainRow,
  { application_id }: DomainSettings,
): Promise<void> => {
  if (application_id === null || application_id === undefined) return
  const application = await store.applicationById(application_id)
  if (application?.account_id !== domain.account_id) throw notFound('No such application.')
}

/** Throws 409 for settings of an alias, which has no site of its own. */
const assertOwnSite = (domain: DomainRow, settings: DomainSettings): void => {
  if (domain.domain_type !== 'alias') return
  const [field] = Object.entries(settings).find(([, value]) => value !== undefined) ?? []
  if (field === undefined) return
  throw conflict(
    `${domain.domain_name} is an alias and has no settings of its own. Change those of its site.`,
    field,
  )
}

/** Has the site served as the records are now, without a page from before. */
export const applySite = async (
  { host, vhosts }: Pick<Deps, 'host' | 'vhosts'>,
  account: AccountRow,
  name: string,
): Promise<void> => {
  await host.of(account.host_id).webServer.apply(await vhosts.around(account, name))
  await host.of(account.host_id).webServer.purge({ domains: [name] })
}

/** Puts back what the domain was before, record first. */
export const domainChangeKind = (deps: Deps): OperationKind => ({
  kind: DOMAIN_CHANGE,
  settle: 'undo',
  steps: ({ data, steps }: OperationRow) => [
    {
      name: 'row',
      run: () =>
        deps.store.updateDomain(Number(data['domain_id']), data['before'] as Partial<DomainRow>),
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

/** Changes a domain's settings; its site is served with them when this resolves, and its pages are purged. */
export const createChangeDomain = (deps: Deps) => {
  const { store, host, clock, journal } = deps

  const makeRoot = async (username: string, path: string): Promise<void> => {
    try {
      await host.files.mkdir({ username, path })
    } catch (error) {
      if (!isAppError(error) || error.status !== 409) throw error
      // Something is there: it must be a directory.
      await host.files.list({ username, path })
    }
  }

  /** 409 where aliases would lose their site, 400 where an alias would have none. */
  const assertAliases = async (domain: DomainRow, root: string): Promise<void> => {
    const { rows } = await store.listDomains({ accountId: domain.account_id })
    const others = rows.filter(({ id }) => id !== domain.id)
    if (domain.domain_type === 'alias') {
      if (siteOfRoot(others, domain.account_id, root) !== null) return
      throw invalid(
        'document_root',
        `document_root ${root} is not that of another domain, and ${domain.domain_name} is an alias.`,
      )
    }
    if (siteOfRoot(others, domain.account_id, domain.document_root) !== null) return
    const alias = others.find(
      (row) => row.domain_type === 'alias' && row.document_root === domain.document_root,
    )
    if (alias === undefined) return
    throw conflict(
      `${alias.domain_name} is an alias of ${domain.domain_name} and would lose its site. Delete it first.`,
      'document_root',
    )
  }

  return async (id: number, change: DomainChange): Promise<void> => {
    const found = await store.domainById(id)
    if (found === null) return
    await journal.exclusively(found.username, async () => {
      const domain = await store.domainById(id)
      if (domain === null) return
      const account = await requireActiveAccount(store, domain.account_id)
      const { document_root: wanted, ...settings } = change
      assertOwnSite(domain, settings)
      assertCertified(domain, change)
      await assertPhpInstalled(deps, account, change.php_version)
      await assertOnlyDefault(deps, domain, settings)
      await assertOwnApplication(deps, domain, settings)
      const after: Partial<DomainRow> = Object.fromEntries(
        Object.entries(settings).filter(([, value]) => value !== undefined),
      )
      if (wanted !== undefined) {
        const root = parseDocumentRoot(wanted, account.home)
        if (root.absolute !== domain.document_root) {
          await assertAliases(domain, root.absolute)
          await makeRoot(account.username, root.relative)
          after.document_root = root.absolute
        }
      }
      const before = Object.fromEntries(
        Object.keys(after).map((key) => [key, domain[key as keyof DomainRow]]),
      )
      const operation = journal.newOperation(DOMAIN_CHANGE, account.username, {
        account_id: account.id,
        domain_id: id,
        domain: domain.domain_name,
        before,
      })
      await store.openOperation(operation)
      const updated_at = timestamp(clock.nowMs())
      await journal.create(operation, [
        { name: 'row', run: () => store.updateDomain(id, { ...after, updated_at }) },
        { name: 'site', run: () => applySite(deps, account, domain.domain_name) },
      ])
    })
  }
}
