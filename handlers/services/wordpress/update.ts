import { compareVersions } from '../../domain/wordpress/compare-versions.ts'
import { conflict, invalid, isAppError } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createBackUp } from './back-up.ts'
import type { BackUpDeps } from './back-up.ts'
import { databaseOf } from './database-of.ts'
import { WORDPRESS_UPDATE, installIdOf } from './operations.ts'
import type { PlaceOf } from './place-of.ts'

/** What an update did. */
export interface UpdatedWordpress {
  path: string
  /** Null where its files did not tell it. */
  from: string | null
  to: string
  /** What was made before: a snapshot's id or an archive's name. */
  backup: string
}

/** What updates are made of. */
export type UpdateDeps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & {
  journal: Journal
} & BackUpDeps

/**
 * Brings a WordPress to a version of the sources, with a backup of the account before. Where the
 * site fails after it, its core is put back, and the database when its tables were changed. 400
 * for a version that is not there or older, 403 where the account has as many backups as its
 * plan allows, 409 where the site fails, before or after.
 */
export const createUpdateWordpress = (deps: UpdateDeps, placeOf: PlaceOf) => {
  const { store, host, journal, log } = deps

  const backUp = createBackUp(deps)

  return async (
    accountId: number,
    path: string,
    order: { version: string | undefined; bounded: boolean },
    report: Report,
  ): Promise<UpdatedWordpress> => {
    const place = await placeOf(accountId, path)
    const { username } = place
    const [found] = (await host.wordpress.find({ username })).filter((one) => one.path === path)
    const from = found?.version ?? null
    const versions = (await host.ofAccount(username).wordpress.sources()).map(
      ({ version }) => version,
    )
    const to = order.version ?? found?.newest ?? versions[0]
    if (to === undefined || !versions.includes(to))
      throw invalid(
        'version',
        `version must be one of ${[...new Set(versions)].join(', ') || '(none)'}.`,
      )
    if (from !== null && compareVersions(to, from) <= 0)
      throw invalid('version', `version must be newer than ${from}, which the site has.`)
    report('Checking the site')
    const { database } = await host.wordpressUpdate.check(place)
    const own = databaseOf(await store.listDatabases(accountId), database)
    const kept = await backUp(accountId, report, order.bounded)

    let upgrading = false
    try {
      await journal.exclusively(username, async () => {
        await requireActiveAccount(store, accountId)
        const operation = journal.newOperation(
          WORDPRESS_UPDATE,
          username,
          { account_id: accountId, path, url: place.url },
          report,
        )
        await store.openOperation(operation)
        const update = { ...place, updateId: installIdOf(operation) }
        await journal.create(
          operation,
          [
            {
              name: 'core',
              text: `Bringing WordPress to ${to}`,
              run: () => host.wordpressUpdate.exchange({ ...update, version: to }),
            },
            {
              name: 'tables',
              text: 'Bringing its tables to that version',
              async run() {
                upgrading = true
                await host.wordpressUpdate.upgrade(place)
                upgrading = false
              },
            },
            {
              name: 'settle',
              text: 'Letting the old core go',
              run: () => host.wordpressUpdate.settle({ username, updateId: update.updateId }),
            },
          ],
          report,
        )
      })
    } catch (error) {
      if (upgrading) {
        await kept.bringBack(own)
        log.warn('a WordPress was brought back after an update', { username, path })
      }
      if (isAppError(error) && error.status === 409)
        throw conflict(`It was put back as it was, since it failed with ${to}. ${error.message}`)
      throw error
    }
    return { path, from, to, backup: kept.name }
  }
}
