import { compareVersions } from '../../domain/wordpress/compare-versions.ts'
import type {
  ExtensionKind,
  ExtensionName,
  ExtensionOrigin,
} from '../../ports/host/wordpress/wordpress-extensions.ts'
import type { FoundWordpress } from '../../ports/host/wordpress/wordpress.ts'
import type { WordpressPlace } from '../../ports/host/wordpress/wordpress-login.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A plugin or theme that can be updated. */
export interface ExtensionUpdate {
  kind: ExtensionKind
  slug: string
  name: string
  /** What the site has; null where its files do not tell. */
  version: string | null
  newest: string
  /** Where that comes from. */
  origin: ExtensionOrigin
}

/** What can be updated of a WordPress. */
export interface ExtensionUpdates {
  updates: ExtensionUpdate[]
  /** Whether its own WordPress asked anew, and was answered. */
  asked: boolean
}

const KINDS = ['plugin', 'theme'] as const

const isNewer = (one: string, other: string | null): boolean =>
  other === null || compareVersions(one, other) > 0

/** Whether they are the same plugin or theme. */
export const isSame = (one: ExtensionName, other: ExtensionName): boolean =>
  one.kind === other.kind && one.slug === other.slug

/**
 * Looks for newer versions of what a WordPress has: on this host, and with what its own WordPress
 * was offered (`ask`: after it has asked anew). Of the same version what is placed comes first.
 * 409 where the site does not answer.
 */
export const createExtensionUpdates =
  ({ host }: Pick<ServiceDeps, 'host'>) =>
  async (place: WordpressPlace, ask: boolean): Promise<ExtensionUpdates> => {
    const { username, path } = place
    const all: FoundWordpress[] = await host.wordpress.find({ username })
    const found = all.find((one) => one.path === path)
    const { offers, asked } = await host.wordpressExtensions.offers({ ...place, ask })
    const updates = KINDS.flatMap((kind) =>
      (found?.[`${kind}s`] ?? []).flatMap(({ slug, name, version, newest }): ExtensionUpdate[] => {
        const own = { kind, slug, name, version }
        const offer = offers.find((one) => isSame(one, own))?.version ?? null
        const placed = newest !== null && isNewer(newest, version) ? newest : null
        const offered = offer !== null && isNewer(offer, version) ? offer : null
        if (offered !== null && isNewer(offered, placed))
          return [{ ...own, newest: offered, origin: 'offered' }]
        return placed === null ? [] : [{ ...own, newest: placed, origin: 'placed' }]
      }),
    )
    return { updates, asked }
  }
