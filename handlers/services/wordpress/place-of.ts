import { conflict, notFound } from '../../errors.ts'
import type { FoundWordpress } from '../../ports/host/wordpress/wordpress.ts'
import type {
  WordpressAdministrator,
  WordpressPlace,
} from '../../ports/host/wordpress/wordpress-login.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { wordpressView } from './wordpress-view.ts'
import type { WordpressView } from './wordpress-view.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host'>

/** The WordPress of an active account in a folder; 404 where none is. */
export type PlaceOf = (accountId: number, path: string) => Promise<WordpressPlace>

/** One of its administrators by name, the first one where none is said; 404 where there is none of that name. */
export type AdministratorOf = (
  place: WordpressPlace,
  user: string | undefined,
) => Promise<WordpressAdministrator>

/** What was found in the sites of an account, with their addresses. */
export const viewsOf = async (
  { store }: Pick<Deps, 'store'>,
  accountId: number,
  found: readonly FoundWordpress[],
): Promise<WordpressView[]> => {
  const { rows } = await store.listDomains({ accountId })
  const sites = new Map(rows.map((row) => [row.domain_name, row]))
  return found.map((one) => wordpressView(one, sites.get(one.domain)))
}

export const createPlaceOf =
  (deps: Deps): PlaceOf =>
  async (accountId, path) => {
    const { username } = await requireActiveAccount(deps.store, accountId)
    const found = await deps.host.wordpress.find({ username })
    const here = found.filter((one) => one.path === path)
    const [view] = await viewsOf(deps, accountId, here)
    if (view === undefined) throw notFound(`No WordPress of this account is in "${path}".`)
    return { username, path, url: view.url }
  }

export const createAdministratorOf =
  ({ host }: Pick<Deps, 'host'>): AdministratorOf =>
  async (place, user) => {
    const all = await host.wordpressLogin.administrators(place)
    const chosen = user === undefined ? all[0] : all.find(({ login }) => login === user)
    if (chosen !== undefined) return chosen
    throw user === undefined
      ? conflict('This WordPress has no administrator.')
      : notFound(`This WordPress has no administrator ${user}.`)
  }
