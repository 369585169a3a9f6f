import { join } from 'node:path'
import { z } from 'zod'
import { compareVersions } from '#handlers/domain/wordpress/compare-versions.ts'
import { extensionFolder } from '#handlers/domain/wordpress/extension-folder.ts'
import { isSlug } from '#handlers/domain/wordpress/extensions-of.ts'
import { readVersionText } from '#handlers/domain/wordpress/wordpress-version.ts'
import { conflict, invalid } from '#handlers/errors.ts'
import type {
  ExtensionName,
  OfferedExtension,
  WordpressExtensionsPort,
} from '#handlers/ports/host/wordpress/wordpress-extensions.ts'
import type { WordpressPlace } from '#handlers/ports/host/wordpress/wordpress-login.ts'
import { createExchange } from '../exchange-names.ts'
import type { OpenPlace } from '../places/open-place.ts'
import { handPackage } from './hand-package.ts'
import type { ReadPackage } from './read-packages.ts'
import type { CoreSources } from '../sources/core-sources.ts'
import type { SiteWorkDeps } from '../site-work-deps.ts'
import { sizeOfTree } from '../size-of-tree.ts'

/** Servers elsewhere are asked, one after the other. */
const ASK_TIMEOUT_MS = 60_000
const FETCH_TIMEOUT_MS = 300_000
const COPY_TIMEOUT_MS = 120_000
const MAX_OFFERS = 600

const offersSchema = z.object({
  asked: z.boolean(),
  offers: z
    .array(
      z.object({
        kind: z.enum(['plugin', 'theme']),
        slug: z.string().refine(isSlug),
        version: z.string().max(100),
      }),
    )
    .max(MAX_OFFERS),
})
const versionText = z.string().max(8192).nullable()
const judgedSchema = z.object({ before: versionText, after: versionText })
const doneSchema = z.object({})

/** A version on this host: in an archive, or in the tree of a source. */
type Placed = { bytes: number } & ({ archive: string } | { tree: string })

/** `WordpressExtensionsPort` over the runner and the account's own helper. */
export const createWordpressExtensionsPort = (
  deps: SiteWorkDeps & {
    sources: CoreSources
    packages: () => Promise<ReadPackage[]>
  },
): WordpressExtensionsPort => {
  const { lock, files, runInSite } = deps
  const { open, check, exchange } = createExchange(deps)

  const placed = async ({ kind, slug }: ExtensionName, version: string): Promise<Placed> => {
    for (const { file, holds, bytes } of await deps.packages())
      if (holds?.kind === kind && holds.slug === slug && holds.version === version)
        return { archive: file, bytes }
    for (const source of await deps.sources.trees()) {
      const one = source[`${kind}s`].find((here) => here.slug === slug)
      if (one?.version !== version) continue
      const tree = join(source.directory, 'wp-content', `${kind}s`)
      const isFile = slug.endsWith('.php')
      return { tree, bytes: isFile ? 0 : (await sizeOfTree(join(tree, slug))).bytes }
    }
    throw invalid('version', `No source on this server has version ${version} of ${slug}.`)
  }

  /** Brings the new one from where it is into the staging folder. */
  const bring = async (
    { account, phpVersion, folder }: OpenPlace,
    name: ExtensionName,
    url: string,
    from: Placed | null,
    staging: string,
  ): Promise<void> => {
    const { username, home } = account
    const to = `${staging}/new`
    if (from !== null && 'tree' in from) {
      const order = { op: 'copy', source: from.tree, names: [name.slug], folder: join(home, to) }
      await runInSite(account, phpVersion, order, doneSchema, { timeoutMs: COPY_TIMEOUT_MS })
      return
    }
    const path = `${staging}/package.zip`
    if (from === null) {
      const order = { op: 'fetch', folder, url, ...name, to: join(home, path) }
      await runInSite(account, phpVersion, order, doneSchema, { timeoutMs: FETCH_TIMEOUT_MS })
    } else await handPackage(files, from.archive, { username, path })
    await files.extract({ username, path, to, overwrite: false })
    await files.delete({ username, path })
  }
  /** The versions before and after, of what lies ready; 409 where it is nothing newer, or no such thing. */
  const judge = async (site: OpenPlace, name: ExtensionName, staging: string, path: string) => {
    const { account, phpVersion } = site
    const folder = join(account.home, staging, 'new')
    const order = { op: 'judge', ...name, folder, before: join(account.home, path) }
    const found = await runInSite(account, phpVersion, order, judgedSchema)
    const [from, to] = [found.before, found.after].map((text) => readVersionText(text ?? ''))
    if (to === null || to === undefined) throw conflict('What was brought tells no version.')
    if (from !== null && from !== undefined && compareVersions(to, from) <= 0)
      throw conflict(`What was brought is version ${to}, and the site has ${from}.`)
    return { from: from ?? null, to }
  }
  const isOffer = (one: OfferedExtension): boolean => readVersionText(one.version) !== null

  return {
    packages: async () =>
      (await deps.packages()).map(({ file, holds, problem }) => ({ file, holds, problem })),
    async offers({ ask, url, ...input }) {
      const { account, phpVersion, folder } = open(input)
      const order = { op: 'offers', folder, url, ask }
      const options = { timeoutMs: ASK_TIMEOUT_MS }
      const { offers, asked } = await runInSite(account, phpVersion, order, offersSchema, options)
      return { offers: offers.filter(isOffer), asked }
    },
    exchange: async ({ kind, slug, version, origin, updateId, ...place }) =>
      lock(place.username, async () => {
        const site = open(place)
        const name = { kind, slug }
        const path = extensionFolder(site.path, kind)
        const from = origin === 'placed' ? await placed(name, version) : null
        const where: WordpressPlace = { ...place, path: site.path }
        return exchange({
          ...{ updateId, site, path, names: [slug], bytes: from?.bytes ?? null },
          async fill(staging) {
            await bring(site, name, place.url, from, staging)
            return judge(site, name, staging, path)
          },
          async check() {
            await check(where)
            const { account, phpVersion, folder } = site
            const order = { op: 'updated', folder, url: place.url, ...name }
            await runInSite(account, phpVersion, order, doneSchema, { timeoutMs: ASK_TIMEOUT_MS })
          },
        })
      }),
  }
}
