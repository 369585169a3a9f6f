import { usualSiteSettings } from '../../../domain/site-settings/usual-settings.ts'
import type { ArchivedDomain } from '../../../ports/host/backups/archived-records.ts'
import type { DomainRow } from '../../../ports/store/records.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import type { Domains, SiteSettingsService } from '../../domains/domains.ts'
import { archivedDomain } from '../account-record.ts'
import { cacheOf } from '../import/cache-of.ts'
import type { SettingsRecord } from './settings-record.ts'
import type { Told } from './told.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & {
  domains: Pick<Domains, 'change'>
  siteSettings: Pick<SiteSettingsService, 'replace'>
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Gives the account's domains the settings of the record. Domains that are gone are told and
 * not made anew; those that the record does not have stay as they are.
 */
export const applyDomains = async (
  deps: Deps,
  { id: accountId, home, host_id }: { id: number; home: string; host_id: number },
  record: SettingsRecord,
  told: Told,
): Promise<void> => {
  const { store } = deps
  const { rows } = await store.listDomains({ accountId })
  const sites = await store.listSiteSettings({ accountId })
  const installed = (await deps.host.of(host_id).php.versions()).map(({ version }) => version)
  // Archives that do not tell the schedule are from before sites had settings.
  const tellsSites = record.backup_schedule !== undefined

  const options = (row: DomainRow, wanted: ArchivedDomain, now: ArchivedDomain) => {
    const { domain_name: name, document_root, php_version } = wanted
    const root =
      document_root === now.document_root ? {} : { document_root: `${home}/${document_root}` }
    if (row.domain_type === 'alias') return root
    const lacks = php_version !== null && !installed.includes(php_version)
    if (lacks)
      told.note(`PHP ${php_version} of ${name} is not installed here; what it runs now stays.`)
    return {
      ...root,
      ...(equal(cacheOf(wanted), cacheOf(now)) ? {} : cacheOf(wanted)),
      ...(lacks || php_version === now.php_version ? {} : { php_version }),
    }
  }

  const https = (row: DomainRow, wanted: ArchivedDomain, now: ArchivedDomain) => {
    const { redirect_https, hsts } = wanted
    if (redirect_https === now.redirect_https && hsts === now.hsts) return {}
    if (row.ssl_status === 'active' || (!redirect_https && !hsts)) return { redirect_https, hsts }
    told.note(`${row.domain_name} has no certificate, so http does not lead to https.`)
    return {}
  }

  for (const wanted of record.domains) {
    const { domain_name: name } = wanted
    const row = rows.find((one) => one.domain_name === name)
    if (row === undefined) {
      told.note(`The domain ${name} is not there any more. Add it, then restore its settings.`)
      continue
    }
    if ((row.domain_type === 'alias') !== (wanted.domain_type === 'alias')) {
      told.note(`${name} is ${row.domain_type} now and was ${wanted.domain_type}; it stays so.`)
      continue
    }
    const now = archivedDomain(row, home, sites.get(row.id))
    // One that is refused, e.g. a folder that is another's now, must not keep the rest away.
    const { document_root, ...rest } = options(row, wanted, now) as Record<string, unknown>
    if (typeof document_root === 'string')
      await told.tried(`The document root of ${name}`, () =>
        deps.domains.change(row.id, { document_root }),
      )
    for (const change of [rest, https(row, wanted, now)])
      if (Object.keys(change).length > 0)
        await told.tried(name, () => deps.domains.change(row.id, change))
    if (!tellsSites || row.domain_type === 'alias') continue
    const site = wanted.site ?? usualSiteSettings()
    if (!equal(site, now.site ?? usualSiteSettings()))
      await told.tried(`What ${name} does before its own rules`, () =>
        deps.siteSettings.replace(row.id, site),
      )
  }
  for (const { domain_name: name } of rows)
    if (!record.domains.some((one) => one.domain_name === name))
      told.note(`The domain ${name} is not in the backup and stays as it is.`)
}
