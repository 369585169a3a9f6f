import { join } from 'node:path'
import { z } from 'zod'
import { forSite } from '#handlers/domain/wordpress/choose-source.ts'
import { invalid } from '#handlers/errors.ts'
import type { WordpressUpdatePort } from '#handlers/ports/host/wordpress/wordpress-update.ts'
import { coreNames } from './compare-core.ts'
import { createExchange } from './exchange-names.ts'
import type { CoreSources } from './sources/core-sources.ts'
import type { SiteWorkDeps } from './site-work-deps.ts'
import { versionOf } from './places/version-of.ts'
import { sizeOfTree } from './size-of-tree.ts'

const COPY_TIMEOUT_MS = 180_000
const UPGRADE_TIMEOUT_MS = 600_000

const upgradedSchema = z.object({ version: z.string().max(100) })

/** `WordpressUpdatePort`; files are moved by the account's own helper. */
export const createWordpressUpdatePort = (
  deps: SiteWorkDeps & { sources: CoreSources },
): WordpressUpdatePort => {
  const { lock, runInSite } = deps
  const { open, check, purge, ...parts } = createExchange(deps)

  return {
    check,
    exchange: async (order) =>
      lock(order.username, async () => {
        const { username, url, version } = order
        const site = open(order)
        const { account, path, phpVersion } = site
        const { localised } = await versionOf(deps.files, { username, path })
        const trees = (await deps.sources.trees()).filter((one) => one.version === version)
        const [source] = forSite(trees, localised)
        if (source === undefined)
          throw invalid(
            'version',
            trees.length === 0
              ? `No source on this server has WordPress ${version}.`
              : `WordPress ${version} is here for ${trees.map((one) => one.localised).join(', ')} alone, and the site is not of that language.`,
          )
        const { bytes } = await sizeOfTree(source.directory)
        const names = await coreNames(source.directory)
        await parts.exchange({
          ...{ updateId: order.updateId, site, path, names, bytes },
          fill: (staging) =>
            runInSite(
              account,
              phpVersion,
              {
                ...{ op: 'copy', source: source.directory, names },
                folder: join(account.home, staging, 'new'),
              },
              z.object({}),
              { timeoutMs: COPY_TIMEOUT_MS },
            ),
          check: () => check({ username, path, url }),
        })
      }),
    upgrade: async (input) =>
      lock(input.username, async () => {
        const { account, phpVersion, folder, domain } = open(input)
        const order = { op: 'upgrade', folder, url: input.url }
        const options = { timeoutMs: UPGRADE_TIMEOUT_MS }
        const upgraded = await runInSite(account, phpVersion, order, upgradedSchema, options)
        await check(input)
        await purge(domain)
        return upgraded
      }),
    revert: async ({ username, updateId, path }) =>
      lock(username, () => parts.revert(username, updateId, path)),
    settle: async ({ username, updateId }) =>
      lock(username, () => parts.settle(username, updateId)),
  }
}
