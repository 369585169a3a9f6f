import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Makes the pages of sites new whose files the panel has changed. */
export type PurgeTouched = (accountId: number, paths: readonly string[]) => Promise<void>

/** Whether one of two paths is the other or lies in it. */
const meet = (one: string, other: string): boolean =>
  one === other ||
  one === '' ||
  other === '' ||
  one.startsWith(`${other}/`) ||
  other.startsWith(`${one}/`)

/**
 * `paths` are relative to the account's home and normalised. Resolves when no visitor
 * gets a page from before any more; purges that come while one is under way for the
 * same site go together in the next. Never rejects: the files are changed already,
 * and a web server that does not answer has its pages checked when it starts.
 */
export const createPurgeTouched = ({
  store,
  host,
  log,
  homeBase,
}: Pick<ServiceDeps, 'store' | 'host' | 'log' | 'homeBase'>): PurgeTouched => {
  const running = new Map<string, Promise<void>>()
  const following = new Map<string, Promise<void>>()

  const purge = async (domain: string): Promise<void> => {
    try {
      await host.pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' })
    } catch (error) {
      log.warn('pages from before a change of files were not purged', {
        domain,
        error: String(error),
      })
    }
  }
  const start = (domain: string): Promise<void> => {
    following.delete(domain)
    const work = purge(domain).finally(() => {
      if (running.get(domain) === work) running.delete(domain)
    })
    running.set(domain, work)
    return work
  }
  const inTurn = (domain: string): Promise<void> => {
    const current = running.get(domain)
    if (current === undefined) return start(domain)
    const waiting = following.get(domain) ?? current.then(() => start(domain))
    following.set(domain, waiting)
    return waiting
  }

  return async (accountId, paths) => {
    const { rows } = await store.listDomains({ accountId })
    const touched = rows.filter(({ username, document_root: root, domain_type: type }) => {
      const home = `${homeBase}/${username}/`
      const below = root.startsWith(home) ? trimEndOf(root.slice(home.length), '/') : root
      return type !== 'alias' && paths.some((path) => meet(below, path))
    })
    await Promise.all(touched.map((row) => inTurn(row.domain_name)))
  }
}
