import { forSite } from '#handlers/domain/wordpress/choose-source.ts'
import { newestVersion } from '#handlers/domain/wordpress/compare-versions.ts'
import type { NamedExtension } from '#handlers/domain/wordpress/extensions-of.ts'
import type { ExtensionKind } from '#handlers/ports/host/wordpress/wordpress-extensions.ts'
import type { WordpressExtension, WordpressPort } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { HelperPool } from '../files/helper-pool.ts'
import { knownAccount } from '../registry/known-account.ts'
import type { Registry } from '../registry/types.ts'
import type { ReadPackage } from './extensions/read-packages.ts'
import type { CoreSources } from './sources/core-sources.ts'
import type { SourceTree } from './sources/read-source.ts'
import { placeOf, sitesOf } from './places/sites-of.ts'

/** What the port is made of. */
export interface WordpressPortDeps {
  registry: Pick<Registry, 'account' | 'vhostsOf'>
  helpers: Pick<HelperPool, 'ask'>
  sources: CoreSources
  /** Archives that he placed. */
  packages: () => Promise<ReadPackage[]>
}

/** All that is placed on this host. */
interface Placed {
  sources: readonly SourceTree[]
  packages: readonly ReadPackage[]
}

const newestOf = ({ sources, packages }: Placed, kind: ExtensionKind, slug: string) =>
  newestVersion([
    ...sources.flatMap((source) =>
      source[`${kind}s`].flatMap((one) => (one.slug === slug ? (one.version ?? []) : [])),
    ),
    ...packages.flatMap(({ holds }) =>
      holds?.kind === kind && holds.slug === slug ? [holds.version] : [],
    ),
  ])

/** `WordpressPort`; files are read by the account's own helper. */
export const createWordpressPort = (deps: WordpressPortDeps): WordpressPort => {
  const { registry, helpers } = deps

  const withNewest = (
    placed: Placed,
    kind: ExtensionKind,
    extensions: readonly NamedExtension[],
  ): WordpressExtension[] =>
    extensions.map((one) => ({ ...one, newest: newestOf(placed, kind, one.slug) }))

  return {
    async find({ username }) {
      const account = knownAccount(registry, username)
      const sites = sitesOf(registry, account)
      if (sites.length === 0) return []
      const roots = [...new Set(sites.map(({ root }) => root))].sort()
      const { data } = await helpers.ask(account, { op: 'wordpress', roots })
      const [sources, cores] = [await deps.sources.trees(), await deps.sources.all(false)]
      const placed = { sources, packages: await deps.packages() }
      return data.flatMap((one) => {
        const place = placeOf(sites, one.path)
        if (place === null) return []
        return {
          domain: place.site.domain,
          path: one.path,
          directory: place.directory,
          version: one.version,
          newest: newestVersion(forSite(cores, one.localised).map(({ version }) => version)),
          staging_of: one.stagingOf,
          plugins: withNewest(placed, 'plugin', one.plugins),
          themes: withNewest(placed, 'theme', one.themes),
        }
      })
    },
    sources: () => deps.sources.all(true),
  }
}
