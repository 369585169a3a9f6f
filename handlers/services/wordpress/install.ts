import type { AccountRow } from '../../ports/store/records.ts'
import { randomSecret } from '../../domain/access/random-secret.ts'
import { hasLocale, localesOf } from '../../domain/wordpress/choose-source.ts'
import { prefixedDatabaseName } from '../../domain/databases/database-name.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { DomainRow } from '../../ports/store/records.ts'
import { insertDatabase } from '../databases/databases.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { freeDatabaseName } from './free-database-name.ts'
import { installIdOf, WORDPRESS_INSTALL } from './operations.ts'
import { wordpressUrl } from './wordpress-view.ts'

/** What a WordPress is to be made of. */
export interface WantedWordpress {
  /** A site of the account. */
  domain: string
  /** Below its document root; empty: the document root itself. */
  directory: string
  /** Default: the newest of the sources. */
  version: string | undefined
  title: string
  locale: string
  user: string
  email: string
  password: string
  /** Without prefix. Default: a free one, from `wp` on. */
  dbName: string | undefined
  /** Whether an administrator asks, who may exceed the plan. */
  byAdministrator: boolean
}

/** What came of it. */
export interface InstalledWordpress {
  domain: string
  path: string
  directory: string
  url: string
  version: string
  database: string
  /** The administrator of the site. */
  user: string
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'homeBase'> & { journal: Journal }

const listed = (names: readonly string[]): string => [...new Set(names)].join(', ')

/**
 * Makes a WordPress: its database, its files, its first administrator, all or nothing. 400
 * for a version or language that no source has, 403 at the plan's limit of databases, 404
 * for a site that is not the account's, 409 where the folder is not free.
 */
export const createInstallWordpress = ({ store, host, clock, homeBase, journal }: Deps) => {
  const siteOf = async (accountId: number, name: string): Promise<DomainRow> => {
    const { rows } = await store.listDomains({ accountId })
    const site = rows.find((row) => row.domain_name === name.toLowerCase())
    if (site === undefined) throw notFound(`${name} is no site of this account.`)
    if (site.domain_type === 'alias')
      throw conflict(`${name} is an alias. Install into the site that it leads to.`)
    return site
  }
  const versionOf = async (
    { host_id }: AccountRow,
    { version, locale }: WantedWordpress,
  ): Promise<string> => {
    const sources = await host.of(host_id).wordpress.sources()
    const meant = sources.filter((one) => version === undefined || one.version === version)
    if (meant.length === 0)
      throw version === undefined
        ? conflict(
            'There is no WordPress on this server to install from. Place one: apt-get install wordpress, or berth wordpress core add',
          )
        : invalid('version', `version must be one of ${listed(sources.map((one) => one.version))}.`)
    const source = meant.find((one) => hasLocale(one, locale))
    if (source === undefined)
      throw invalid('locale', `locale must be one of ${listed(meant.flatMap(localesOf))}.`)
    return source.version
  }

  return async (
    accountId: number,
    wanted: WantedWordpress,
    report: Report,
  ): Promise<InstalledWordpress> => {
    const { username } = await requireSettledAccount(store, accountId)
    const asked =
      wanted.dbName === undefined
        ? undefined
        : prefixedDatabaseName(username, wanted.dbName, 'db_name')
    return journal.exclusively(username, async () => {
      const account = await requireActiveAccount(store, accountId)
      const site = await siteOf(accountId, wanted.domain)
      const version = await versionOf(account, wanted)
      const { directory, byAdministrator } = wanted
      const { domain_name: domain, document_root: root } = site
      const base = root.slice(`${homeBase}/${username}/`.length)
      const path = directory === '' ? base : `${base}/${directory}`
      await host.wordpressInstall.assertFree({ username, path })
      const name = asked ?? (await freeDatabaseName(store, account, 'wp'))
      const url = wordpressUrl(domain, directory, site)
      const { row, operation } = await insertDatabase(
        { store, host, clock },
        { account, engine: 'mysql', database: name, user: name, byAdministrator },
        ({ engine }) =>
          journal.newOperation(
            WORDPRESS_INSTALL,
            username,
            { account_id: accountId, engine, database: name, user: name, path },
            report,
          ),
      )
      // Known to the database and to wp-config.php, and to nobody here.
      const password = randomSecret()
      await journal.create(
        operation,
        [
          {
            name: 'database',
            text: 'Making its database',
            async run() {
              const { engine } = row
              await host.databases.create({
                ...{ operationId: operation.id, username },
                engine,
                database: name,
                user: name,
                password,
              })
            },
          },
          {
            name: 'files',
            text: 'Installing WordPress',
            async run() {
              await host.wordpressInstall.install({
                ...{ username, path, url, version },
                operationId: installIdOf(operation),
                database: { name, user: name, password, host: row.host },
                site: {
                  ...{ title: wanted.title, locale: wanted.locale, user: wanted.user },
                  ...{ email: wanted.email, password: wanted.password },
                },
              })
            },
          },
        ],
        report,
      )
      return { domain, path, directory, url, version, database: name, user: wanted.user }
    })
  }
}
