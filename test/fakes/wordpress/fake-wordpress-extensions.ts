import { conflict, invalid } from '#handlers/errors.ts'
import type {
  OfferedExtension,
  PlacedPackage,
  WordpressExtensionsPort,
} from '#handlers/ports/host/wordpress/wordpress-extensions.ts'
import type { FakeWordpressUpdate } from './fake-wordpress-update.ts'
import type { FakeWordpress } from './fake-wordpress.ts'

export interface FakeWordpressExtensions extends WordpressExtensionsPort {
  placed: PlacedPackage[]
  /** What every WordPress was offered; asking anew adds the second list. */
  offered: OfferedExtension[]
  further: OfferedExtension[]
  /** Slugs that no site does with. */
  broken: Set<string>
}

/** Exchanges versions that are told, and nothing else. */
export const createFakeWordpressExtensions = (
  wordpress: FakeWordpress,
  update: Pick<FakeWordpressUpdate, 'undo'>,
): FakeWordpressExtensions => {
  const fake: FakeWordpressExtensions = {
    placed: [],
    offered: [],
    further: [],
    broken: new Set(),
    packages: async () => fake.placed,
    async offers({ username, path, ask }) {
      if (!(wordpress.installed.get(username) ?? []).some((one) => one.path === path))
        throw conflict('WordPress: No WordPress is in that folder.')
      if (ask) fake.offered = [...fake.offered, ...fake.further.splice(0)]
      return { offers: fake.offered, asked: ask }
    },
    async exchange({ username, path, updateId, kind, slug, version, origin }) {
      const site = (wordpress.installed.get(username) ?? []).find((one) => one.path === path)
      const one = site?.[`${kind}s`].find((here) => here.slug === slug)
      if (one === undefined) throw conflict('WordPress: It is not there.')
      const isThere =
        origin === 'placed'
          ? one.newest === version
          : fake.offered.some((offer) => offer.slug === slug && offer.version === version)
      if (!isThere) throw invalid('version', 'No source has it.')
      if (fake.broken.has(slug)) throw conflict('WordPress: The site fails: no.')
      const from = one.version
      if (!update.undo.has(updateId)) update.undo.set(updateId, () => (one.version = from))
      one.version = version
      return { from, to: version }
    },
  }
  return fake
}
