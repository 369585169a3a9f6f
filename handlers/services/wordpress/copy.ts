import { randomSecret } from '../../domain/access/random-secret.ts'
import { prefixedDatabaseName } from '../../domain/databases/database-name.ts'
import { parseDocumentRoot } from '../../domain/domains/document-root.ts'
import { wildcardBase } from '../../domain/domains/wildcard-name.ts'
import { parseSiteName } from '../../domain/domains/site-name.ts'
import { conflict, invalid } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { AccountRow, DomainRow } from '../../ports/store/records.ts'
import { insertDatabase } from '../databases/databases.ts'
import type { Domains } from '../domains/domains.ts'
import type { Journal, Step } from '../journal/journal.ts'
import { requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { freeDatabaseName } from './free-database-name.ts'
import { namesOfCopy } from './names-of-copy.ts'
import { WORDPRESS_COPY, installIdOf } from './operations.ts'
import type { PlaceOf } from './place-of.ts'
import { wordpressUrl } from './wordpress-view.ts'

/** Where a copy of a WordPress is to go. */
export interface WantedCopy {
  /** Whose it becomes. */
  accountId: number
  /** A site of that account; one that is not there is made. */
  domain: string
  /** Below its document root; empty: the document root itself. */
  directory: string
  /** Of a domain that is made, absolute. Default: a folder of the home that is called as the domain. */
  documentRoot: string | undefined
  /** Without prefix. Default: a free one. */
  dbName: string | undefined
  /** Whether it is for trying things out. */
  staging: boolean
  /** Of a network whose sites have names of their own: whether one wildcard domain stands for all of them. */
  wildcard: boolean
  /** Whether an administrator asks, who may exceed the plan. */
  byAdministrator: boolean
}

/** What came of it. */
export interface CopiedWordpress {
  account_id: number
  domain: string
  path: string
  directory: string
  url: string
  database: string
  /** Whether the domain was made for it. */
  new_domain: boolean
  /** Of a network: the names of its sites, and the addresses that they have in the copy. */
  names: { from: string; to: string }[]
  /** Domains that were made for these. */
  made: string[]
}

/** What copies are made with. */
export type CopyDeps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'homeBase'> & {
  journal: Journal
  domains: Pick<Domains, 'createInTurn'>
}

/**
 * Copies a WordPress: a domain where none is there, a database, files, tables with the address
 * replaced; all or nothing. 400 where a document root is said of a domain that is there, 403 at a
 * limit of the plan, 404 where no WordPress is, 409 where the folder is not free or a site fails.
 */
export const createCopyWordpress = (deps: CopyDeps, placeOf: PlaceOf) => {
  const { store, host, clock, homeBase, journal, domains } = deps

  /** The site that is there; null: it is to be made. */
  const siteOf = async (account: AccountRow, name: string): Promise<DomainRow | null> => {
    const row = await store.domainByName(name)
    if (row === null || row.account_id !== account.id) return null
    if (row.domain_type === 'alias')
      throw conflict(`${name} is an alias. Copy into the site that it leads to.`)
    return row
  }
  const rootOf = (
    { home }: { home: string },
    name: string,
    site: DomainRow | null,
    asked: string | undefined,
  ): string => {
    if (site !== null && asked !== undefined)
      throw invalid('document_root', `document_root: ${name} is there and has one.`)
    return site?.document_root ?? parseDocumentRoot(asked ?? `${home}/${name}`, home).absolute
  }

  return async (
    fromAccountId: number,
    path: string,
    wanted: WantedCopy,
    report: Report,
  ): Promise<CopiedWordpress> => {
    const from = await placeOf(fromAccountId, path)
    const domain = parseSiteName(wanted.domain)
    if (wildcardBase(domain) !== null)
      throw invalid('domain', 'domain must be one name: that of the copy.')
    const { username } = await requireSettledAccount(store, wanted.accountId)
    const { directory, staging, wildcard, byAdministrator, documentRoot } = wanted
    const { network } = await host.wordpressCopy.survey(from)
    const asked =
      wanted.dbName === undefined
        ? undefined
        : prefixedDatabaseName(username, wanted.dbName, 'db_name')
    return journal.exclusively(username, async () => {
      const account = await requireActiveAccount(store, wanted.accountId)
      const site = await siteOf(account, domain)
      const root = rootOf(account, domain, site, documentRoot)
      const base = root.slice(`${homeBase}/${username}/`.length)
      const to = {
        username,
        path: directory === '' ? base : `${base}/${directory}`,
        url: wordpressUrl(domain, directory, site ?? undefined),
      }
      const { names, missing } = namesOfCopy(network, {
        ...{ domain, root, directory, wildcard, accountId: account.id },
        related: await store.domainsRelatedTo(domain),
      })
      if (site !== null) await host.wordpressInstall.assertFree({ username, path: to.path })
      const name = asked ?? (await freeDatabaseName(store, account, staging ? 'stage' : 'wp'))
      const { row, operation } = await insertDatabase(
        { store, host, clock },
        { account, engine: 'mysql', database: name, user: name, byAdministrator },
        ({ engine }) =>
          journal.newOperation(
            WORDPRESS_COPY,
            username,
            {
              ...{ account_id: account.id, engine, database: name, user: name, path: to.path },
              ...(site === null ? { domain } : {}),
              ...(missing.length > 0 ? { names: missing } : {}),
            },
            report,
          ),
      )
      const makeDomain: Step = {
        name: 'domain',
        text: `Making ${domain}`,
        async run() {
          const related = await store.domainsRelatedTo(domain)
          const isBelow = related.some(
            (one) => one.account_id === account.id && domain.endsWith(`.${one.domain_name}`),
          )
          await domains.createInTurn({
            ...{ accountId: account.id, domainName: domain, documentRoot: root },
            ...{ domainType: isBelow ? 'subdomain' : 'addon', byAdministrator },
          })
        },
      }
      const makeNames = missing.map((name): Step => ({
        name: `name ${name}`,
        text: `Making ${name}`,
        async run() {
          await domains.createInTurn({
            ...{ accountId: account.id, domainName: name, documentRoot: root },
            ...{ domainType: 'alias', byAdministrator },
          })
        },
      }))
      // Known to the database and to wp-config.php, and to nobody here.
      const password = randomSecret()
      await journal.create(
        operation,
        [
          ...(site === null ? [makeDomain] : []),
          ...makeNames,
          {
            name: 'database',
            text: 'Making its database',
            async run() {
              await host.databases.create({
                ...{ operationId: operation.id, username, engine: row.engine },
                ...{ database: name, user: name, password },
              })
            },
          },
          {
            name: 'files',
            text: 'Copying files and tables',
            run: () =>
              host.ofAccount(username).wordpressCopy.copy({
                ...{ copyId: installIdOf(operation), from, to, staging, names },
                database: { name, user: name, password, host: row.host },
              }),
          },
        ],
        report,
      )
      return {
        ...{ account_id: account.id, domain, path: to.path, directory, url: to.url },
        ...{ database: name, new_domain: site === null, made: missing },
        names: names.map(({ name, url }) => ({ from: name, to: `${url}/` })),
      }
    })
  }
}
