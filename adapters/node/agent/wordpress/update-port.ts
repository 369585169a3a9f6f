import { join } from 'node:path'
import { z } from 'zod'
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
    async exchange(order) {
      const { username, url, version } = order
      const { localised } = await versionOf(deps.files, { username, path: open(order).path })
      // Before anything waits for this account: it may have to be fetched.
      const source = await deps.sources.forSite(version, localised)
      if (source === null)
        throw invalid(
          'version',
          `No source on this server has WordPress ${version}${localised === null ? '' : ` for all, or for ${localised}`}.`,
        )
      await lock(username, async () => {
        const site = open(order)
        const { account, path, phpVersion } = site
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
      })
    },
    upgrade: async (input) =>
      lock(input.username, async () => {
        const { account, phpVersion, folder, path } = open(input)
        const order = { op: 'upgrade', folder, url: input.url }
        const options = { timeoutMs: UPGRADE_TIMEOUT_MS }
        const upgraded = await runInSite(account, phpVersion, order, upgradedSchema, options)
        await check(input)
        await purge(account, path)
        return upgraded
      }),
    revert: async ({ username, updateId, path }) =>
      lock(username, () => parts.revert(username, updateId, path)),
    settle: async ({ username, updateId }) =>
      lock(username, () => parts.settle(username, updateId)),
  }
}
