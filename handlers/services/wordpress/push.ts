import { wwwAlias } from '../../domain/domains/domain-name.ts'
import { answersTo } from '../../domain/domains/wildcard-name.ts'
import { withBound as allBound } from '../../domain/wordpress/bound-tables.ts'
import { conflict, invalid, isAppError, notFound } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { WordpressSurvey } from '../../ports/host/wordpress/wordpress-copy.ts'
import type { WordpressPlace } from '../../ports/host/wordpress/wordpress-login.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createBackUp } from './back-up.ts'
import type { BackUpDeps } from './back-up.ts'
import { WORDPRESS_PUSH, installIdOf } from './operations.ts'
import type { PlaceOf } from './place-of.ts'

/** What of a staging copy goes back. */
export interface WantedPush {
  files: boolean
  /** Which tables; null is all of them, empty none. */
  tables: string[] | null
  /** Whether those go along that foreign keys bind to them; else 400 where there are such. */
  withBound: boolean
  /** 403 where the account has as many backups as its plan allows. */
  bounded: boolean
}

/** What went back. */
export interface PushedWordpress {
  /** Of the site that it went to. */
  path: string
  url: string
  files: boolean
  /** Names of the tables. */
  tables: string[]
  /** What was made before: a snapshot's id or an archive's name. */
  backup: string
  /** Names of sites of a network for which the account has no domain, e.g. of those that were added in the copy. */
  without_domain: string[]
}

/** What a copy can be asked for before it goes back. */
export type WordpressTables = Pick<WordpressSurvey, 'database' | 'prefix' | 'tables'>

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { journal: Journal } & BackUpDeps

/** Tables of a WordPress, as its database has them. */
export const createWordpressTables =
  ({ host }: Pick<Deps, 'host'>, placeOf: PlaceOf) =>
  async (accountId: number, path: string): Promise<WordpressTables> => {
    const { database, prefix, tables } = await host.wordpressCopy.survey(
      await placeOf(accountId, path),
    )
    return { database, prefix, tables }
  }

/**
 * Brings a staging copy back into the site that it was made of, with a backup of the account
 * before. Where the site fails after it, all of it is put back. 400 for a table that the copy has
 * not, 404 where the site is gone, 409 where it is no staging copy or a site fails.
 */
export const createPushWordpress = (deps: Deps, placeOf: PlaceOf) => {
  const { store, host, journal } = deps
  const backUp = createBackUp(deps)

  const originOf = async (accountId: number, username: string, path: string) => {
    const found = await host.wordpress.find({ username })
    const origin = found.find((one) => one.path === path)?.staging_of ?? null
    if (origin === null) throw conflict(`The WordPress in "${path}" is no staging copy.`)
    if (!found.some((one) => one.path === origin))
      throw notFound(`The WordPress in "${origin}", of which it is a copy, is not there any more.`)
    if (origin === path) throw conflict(`The WordPress in "${path}" says that it is its own copy.`)
    return placeOf(accountId, origin)
  }

  /** What is pushed is at the site already, so nothing of this may fail it. */
  const withoutDomain = async (accountId: number, place: WordpressPlace): Promise<string[]> => {
    const { rows } = await store.listDomains({ accountId })
    const own = rows.map((row) => row.domain_name)
    try {
      const { network } = await host.wordpressCopy.survey(place)
      const names = network === null ? [] : [network.domain, ...network.names]
      return names.filter(
        (name) => !answersTo(own, name) && !own.some((one) => wwwAlias(one) === name),
      )
    } catch (error) {
      if (isAppError(error)) return []
      throw error
    }
  }

  return async (
    accountId: number,
    path: string,
    { files, tables: asked, withBound, bounded }: WantedPush,
    report: Report,
  ): Promise<PushedWordpress> => {
    const { username, ...from } = await placeOf(accountId, path)
    const { username: owner, ...to } = await originOf(accountId, username, path)
    report('Looking at both sites')
    const copy = await host.wordpressCopy.survey({ username, ...from })
    const live = await host.wordpressCopy.survey({ username: owner, ...to })
    const names = copy.tables.map(({ name }) => name)
    const missing = asked?.find((name) => !names.includes(name))
    if (missing !== undefined) throw invalid('tables', `tables: the copy has no table ${missing}.`)
    const tables = asked === null ? names : allBound(asked, copy.tables)
    const unasked = tables.filter((name) => asked !== null && !asked.includes(name))
    if (unasked.length > 0 && !withBound)
      throw invalid(
        'tables',
        `tables: foreign keys bind ${unasked.join(', ')} to what was chosen, and such tables go together. Choose ${unasked.length === 1 ? 'it' : 'them'} as well (with_bound), or leave out what is bound to ${unasked.length === 1 ? 'it' : 'them'}.`,
      )
    const isKnown = (await store.listDatabases(accountId)).some(
      (one) => one.database_name === live.database && one.engine !== 'postgresql',
    )
    if (!isKnown)
      throw conflict(`The database "${live.database}" of the site is not one of the account's.`)
    const kept = await backUp(accountId, report, bounded)
    try {
      await journal.exclusively(username, async () => {
        await requireActiveAccount(store, accountId)
        const operation = journal.newOperation(
          WORDPRESS_PUSH,
          username,
          { account_id: accountId, ...to },
          report,
        )
        await store.openOperation(operation)
        const pushed = { username, to, pushId: installIdOf(operation) }
        await journal.create(
          operation,
          [
            {
              name: 'site',
              text: 'Bringing the copy into the site',
              run: () => host.wordpressCopy.push({ ...pushed, from, files, tables }),
            },
            {
              name: 'settle',
              text: 'Letting go what was before',
              run: () => host.wordpressCopy.settle(pushed),
            },
          ],
          report,
        )
      })
    } catch (error) {
      if (isAppError(error) && error.status === 409)
        throw conflict(`The site is as it was. ${error.message}`)
      throw error
    }
    const changesSites = live.network !== null && tables.includes(`${live.prefix}blogs`)
    return {
      ...{ ...to, files, tables, backup: kept.name },
      without_domain: changesSites
        ? await withoutDomain(accountId, { username: owner, ...to })
        : [],
    }
  }
}
