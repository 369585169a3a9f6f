import { join } from 'node:path'
import { z } from 'zod'
import { forSite } from '#handlers/domain/wordpress/choose-source.ts'
import { conflict } from '#handlers/errors.ts'
import type { PageCachePort } from '#handlers/ports/host/cache/page-cache.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { WordpressCarePort } from '#handlers/ports/host/wordpress/wordpress-care.ts'
import type { AccountLock, RegisteredAccount, Registry } from '../registry/types.ts'
import { compareCores, compareSums } from './compare-core.ts'
import { openPlace } from './places/open-place.ts'
import { createPurgeSites } from './places/purge-sites.ts'
import type { CoreSources } from './sources/core-sources.ts'
import type { RunInSite } from './run-in-site.ts'
import { versionOf } from './places/version-of.ts'

/** A large shop's database takes its time. */
const REPLACE_TIMEOUT_MS = 600_000
const HASH_TIMEOUT_MS = 120_000

const settingsSchema = z.object({ debug: z.boolean(), withoutCron: z.boolean() })
const doneSchema = z.object({})
const countsSchema = z.object({
  rows: z.number().int().nonnegative(),
  values: z.number().int().nonnegative(),
  skipped: z.array(z.string().max(100)).max(50),
})
const hashesSchema = z.object({
  files: z.array(z.tuple([z.string().max(1000), z.string().max(32)])).max(20_000),
})

/** A text as it stands in PHP. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** `WordpressCarePort` over the runner. */
export const createWordpressCarePort = (deps: {
  registry: Pick<Registry, 'account' | 'vhost' | 'vhostsOf'>
  lock: AccountLock
  files: Pick<FilesPort, 'read'>
  pageCache: Pick<PageCachePort, 'purge'>
  runInSite: RunInSite
  sources: CoreSources
}): WordpressCarePort => {
  const { registry, runInSite } = deps

  const open = (input: { username: string; path: string }) => openPlace(registry, input)
  const purge = createPurgeSites(deps)
  const debugConstants = (account: RegisteredAccount, debug: boolean) => ({
    WP_DEBUG: String(debug),
    // Not in the site, where anybody could read it.
    WP_DEBUG_LOG: debug ? quoted(join(account.home, 'logs/wordpress-debug.log')) : null,
    WP_DEBUG_DISPLAY: debug ? 'false' : null,
  })

  return {
    async settings(input) {
      const { account, phpVersion, folder } = open(input)
      return runInSite(account, phpVersion, { op: 'settings', folder }, settingsSchema)
    },
    async configure({ debug, withoutCron, ...input }) {
      return deps.lock(input.username, async () => {
        const { account, phpVersion, folder, path } = open(input)
        const constants = {
          ...(debug === undefined ? {} : debugConstants(account, debug)),
          ...(withoutCron === undefined ? {} : { DISABLE_WP_CRON: withoutCron ? 'true' : null }),
        }
        const order = { op: 'configure', folder, constants }
        const now = await runInSite(account, phpVersion, order, settingsSchema)
        await purge(account, path)
        return now
      })
    },
    async setPassword({ url, user, password, ...input }) {
      const { account, phpVersion, folder } = open(input)
      const order = { op: 'password', folder, url, user, password }
      await runInSite(account, phpVersion, order, doneSchema)
    },
    async integrity(input) {
      const { account, path, phpVersion, folder } = open(input)
      const { username } = input
      const { version: found, localised } = await versionOf(deps.files, { username, path })
      const trees = (await deps.sources.trees()).filter(({ version }) => version === found)
      const sources = forSite(trees, localised)
      if (found === null) throw conflict('The files of this WordPress do not tell its version.')
      const core = { version: found, locale: localised }
      const told = sources.length === 0 ? await deps.sources.checksums(core) : null
      if (sources.length === 0 && told === null)
        throw conflict(
          `No source on this server has WordPress ${found}, so there is nothing to compare with.`,
        )
      const order = { op: 'hashes', folder }
      const options = { timeoutMs: HASH_TIMEOUT_MS }
      const { files } = await runInSite(account, phpVersion, order, hashesSchema, options)
      if (told !== null) return compareSums(told, new Map(files))
      return compareCores(
        sources.map(({ directory }) => directory),
        new Map(files),
      )
    },
    async replaceAddress({ url, from, to, dryRun, ...input }) {
      return deps.lock(input.username, async () => {
        const { account, phpVersion, folder, path } = open(input)
        const order = { op: 'replace', folder, url, from, to, dryRun }
        const options = { timeoutMs: REPLACE_TIMEOUT_MS }
        const counts = await runInSite(account, phpVersion, order, countsSchema, options)
        if (!dryRun) await purge(account, path)
        return counts
      })
    },
  }
}
