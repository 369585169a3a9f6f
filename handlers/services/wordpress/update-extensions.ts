import { extensionFolder } from '../../domain/wordpress/extension-folder.ts'
import { conflict, invalid, isAppError } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { ExtensionKind } from '../../ports/host/wordpress/wordpress-extensions.ts'
import type { WordpressPlace } from '../../ports/host/wordpress/wordpress-login.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import { createBackUp } from './back-up.ts'
import { databaseOf } from './database-of.ts'
import { isSame } from './extension-updates.ts'
import type { createExtensionUpdates, ExtensionUpdate } from './extension-updates.ts'
import { WORDPRESS_EXTENSION, installIdOf } from './operations.ts'
import type { PlaceOf } from './place-of.ts'
import type { UpdateDeps } from './update.ts'

/** What became of one plugin or theme. */
export interface ExtensionResult {
  kind: ExtensionKind
  slug: string
  from: string | null
  /** What it was to become. */
  to: string
  outcome: 'updated' | 'failed'
  /** Why it was put back, or not begun. */
  error: string | null
}

/** What an update of plugins and themes did. */
export interface UpdatedExtensions {
  path: string
  /** What was made before: a snapshot's id or an archive's name; null where nothing was outdated. */
  backup: string | null
  results: ExtensionResult[]
}

/** Which are to be updated. Default: all that are outdated. */
export interface WantedExtensions {
  plugins: readonly string[] | undefined
  themes: readonly string[] | undefined
  /** Whether its own WordPress is to ask anew for what is newer. */
  ask: boolean
  /** 403 where the account has as many backups as its plan allows. */
  bounded: boolean
}

/** Failures that are about one of them; others end the whole. */
const ABOUT_ONE = new Set([400, 404, 409, 413])

const chosen = (all: readonly ExtensionUpdate[], wanted: WantedExtensions): ExtensionUpdate[] => {
  const { plugins, themes } = wanted
  if (plugins === undefined && themes === undefined) return [...all]
  const pick = (kind: ExtensionKind, slugs: readonly string[] = []) =>
    [...new Set(slugs)].map((slug) => {
      const one = all.find((update) => isSame(update, { kind, slug }))
      if (one === undefined)
        throw invalid(`${kind}s`, `${kind}s: there is no newer version of "${slug}".`)
      return one
    })
  return [...pick('plugin', plugins), ...pick('theme', themes)]
}

/**
 * Updates plugins and themes of a WordPress, one after the other, with a backup of the account
 * before. One with which the site fails is put back, and the others go on; where the site fails
 * with the old one too, the database is brought back and nothing more is tried. 400 for one that
 * has no newer version, 403 as `bounded` says, 409 where the site fails already.
 */
export const createUpdateExtensions = (
  deps: UpdateDeps,
  placeOf: PlaceOf,
  updatesOf: ReturnType<typeof createExtensionUpdates>,
) => {
  const { store, host, journal, log } = deps
  const backUp = createBackUp(deps)

  const updateOne = (
    accountId: number,
    place: WordpressPlace,
    { kind, slug, newest, origin }: ExtensionUpdate,
    report: Report,
  ): Promise<{ from: string | null; to: string }> => {
    const { username, path, url } = place
    return journal.exclusively(username, async () => {
      await requireActiveAccount(store, accountId)
      const operation = journal.newOperation(
        WORDPRESS_EXTENSION,
        username,
        { account_id: accountId, path: extensionFolder(path, kind), url },
        report,
      )
      await store.openOperation(operation)
      const updateId = installIdOf(operation)
      let done: { from: string | null; to: string } = { from: null, to: newest }
      await journal.create(operation, [
        {
          name: 'exchange',
          async run() {
            const order = { ...place, updateId, kind, slug, version: newest, origin }
            done = await host.wordpressExtensions.exchange(order)
          },
        },
        { name: 'settle', run: () => host.wordpressUpdate.settle({ username, updateId }) },
      ])
      return done
    })
  }

  return async (
    accountId: number,
    path: string,
    wanted: WantedExtensions,
    report: Report,
  ): Promise<UpdatedExtensions> => {
    const place = await placeOf(accountId, path)
    report('Looking for newer versions')
    const updates = chosen((await updatesOf(place, wanted.ask)).updates, wanted)
    if (updates.length === 0) return { path, backup: null, results: [] }
    report('Checking the site')
    const { database } = await host.wordpressUpdate.check(place)
    const kept = databaseOf(await store.listDatabases(accountId), database)
    const backup = await backUp(accountId, report, wanted.bounded)

    /** Whether the site does with the old one again, by itself or with its database of before. */
    const isWell = async (): Promise<boolean> => {
      const works = () =>
        host.wordpressUpdate.check(place).then(
          () => true,
          (error: unknown) => {
            if (isAppError(error) && error.status === 409) return false
            throw error
          },
        )
      if (await works()) return true
      log.warn('the database of a WordPress is brought back', { username: place.username, path })
      await backup.bringBack(kept)
      return works()
    }
    const results: ExtensionResult[] = []
    let isOver = false
    for (const [index, update] of updates.entries()) {
      const { kind, slug, version: from, newest } = update
      const result = { kind, slug, from, to: newest }
      if (isOver) {
        const error = 'It was not begun, since the site fails.'
        results.push({ ...result, outcome: 'failed', error })
        continue
      }
      report(`Updating ${update.name}`, undefined, (100 * index) / updates.length)
      try {
        const done = await updateOne(accountId, place, update, report)
        results.push({ ...result, ...done, outcome: 'updated', error: null })
      } catch (error) {
        if (!isAppError(error) || !ABOUT_ONE.has(error.status)) throw error
        results.push({ ...result, outcome: 'failed', error: error.message })
        isOver = !(await isWell())
      }
    }
    if (isOver)
      throw conflict(
        `The site fails also as it was before. Its backup is ${backup.name}. ${results.find(({ error }) => error !== null)?.error ?? ''}`,
      )
    return { path, backup: backup.name, results }
  }
}
