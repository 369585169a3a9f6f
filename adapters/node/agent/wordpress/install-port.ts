import { join } from 'node:path'
import { z } from 'zod'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { AppError, invalid } from '#handlers/errors.ts'
import type { WordpressInstallPort } from '#handlers/ports/host/wordpress/wordpress-install.ts'
import { activeAccount } from '../registry/active-account.ts'
import { knownAccount } from '../registry/known-account.ts'
import type { OperationKey, RegisteredAccount } from '../registry/types.ts'
import { runOperation } from '../run-operation.ts'
import { besideOf } from './places/beside-of.ts'
import { siteShowing } from './places/open-place.ts'
import { createPurgeSites } from './places/purge-sites.ts'
import type { CoreSources } from './sources/core-sources.ts'
import { createSiteFolder } from './places/site-folder.ts'
import type { SiteWorkDeps } from './site-work-deps.ts'
import { sizeOfTree } from './size-of-tree.ts'

const INSTALL_TIMEOUT_MS = 180_000

/** What the port is made of. */
export interface InstallPortDeps extends Omit<SiteWorkDeps, 'log'> {
  sources: CoreSources
}

/** `WordpressInstallPort`; all in the home is done by the account's own processes. */
export const createWordpressInstallPort = (deps: InstallPortDeps): WordpressInstallPort => {
  const { registry, lock, files, usage } = deps
  const folders = createSiteFolder(files)
  const { namesIn, remove } = folders
  const purge = createPurgeSites(deps)

  /** 409 where something is in the way; answers whether the placeholder page is there. */
  const judge = (account: RegisteredAccount, path: string): Promise<boolean> =>
    folders.judge(account.username, path, siteShowing(registry, account, path))
  const keyOf = (username: string, installId: string): OperationKey => ({
    ...{ id: installId, kind: 'wordpress.install', subject: username },
  })

  /** Takes back what was moved: what is still in the staging folder was not. */
  const undo = async (account: RegisteredAccount, path: string, key: OperationKey) => {
    const { username } = account
    const known = registry.operation(key)
    if (known === null || known.state === 'undone') return
    const staging = besideOf(key.id)
    const names = Array.isArray(known.data['names']) ? known.data['names'].map(String) : []
    if (known.steps.includes('moving')) {
      const left = new Set((await namesIn(username, `${staging}/site`)) ?? [])
      for (const name of names) if (!left.has(name)) await remove(username, `${path}/${name}`)
      if (known.data['hadPage'] === true) {
        await folders.putPage(username, path, siteShowing(registry, account, path))
      }
      await purge(account, path)
      const rest = await namesIn(username, path)
      if (known.data['existed'] === false && rest?.length === 0) await remove(username, path)
    }
    await remove(username, staging)
    usage.forget(username)
  }

  return {
    async assertFree({ username, path }) {
      await judge(knownAccount(registry, username), parsePathBelowHome(path))
    },
    async install(order) {
      const { username, url, database, site } = order
      const path = parsePathBelowHome(order.path)
      // Before anything waits for this account: it may have to be fetched.
      const source = await deps.sources.forInstall({ version: order.version, locale: site.locale })
      if (source === null)
        throw invalid(
          'version',
          `No source on this server has WordPress ${order.version} in ${site.locale}.`,
        )
      return lock(username, async () => {
        const account = activeAccount(registry, username)
        const key = keyOf(username, order.operationId)
        const staging = besideOf(key.id)
        const folder = `${staging}/site`
        const known = registry.operation(key)
        // An agent that died in the middle may have moved some of it.
        if (known?.state === 'open') await undo(account, path, key)
        const isDone = known !== null && known.state !== 'open'
        const hadPage = !isDone && (await judge(account, path))
        const { bytes, names: copied } = await sizeOfTree(source.directory)
        const available = await usage.availableBytes(account)
        if (!isDone && available !== null && bytes > available)
          throw new AppError(
            413,
            `WordPress needs ${inMegabytes(bytes, Math.ceil)}, which the account's disk quota does not have left.`,
          )
        const names = [...new Set([...copied, 'wp-config.php', '.htaccess'])]
        const existed = (await namesIn(username, path)) !== null
        const data = { path, names, hadPage, existed }
        return runOperation(
          registry,
          key,
          data,
          async (step) => {
            const shownBy = siteShowing(registry, account, path)
            await remove(username, staging)
            await files.mkdir({ username, path: staging })
            await files.chmod({ username, path: staging, mode: '0700' })
            const { version } = await deps.runInSite(
              account,
              registry.vhost(shownBy.domain)?.php?.version ?? account.phpVersion,
              {
                ...{ op: 'install', folder: join(account.home, folder), source: source.directory },
                ...{ url, database, site },
              },
              z.object({ version: z.string().max(100) }),
              { timeoutMs: INSTALL_TIMEOUT_MS },
            )
            usage.forget(username)
            if (!existed) await files.mkdir({ username, path })
            const made = (await namesIn(username, folder)) ?? []
            step('moving')
            if (hadPage) await folders.removePage(username, path)
            // The front controller last: until then visitors find nothing, not half of it.
            const inOrder = made
              .filter((name) => names.includes(name))
              .sort((a, b) => Number(a === 'index.php') - Number(b === 'index.php'))
            for (const name of inOrder)
              await files.move({ username, path: `${folder}/${name}`, to: `${path}/${name}` })
            await remove(username, staging)
            await purge(account, path)
            return { version }
          },
          () => undo(account, path, key),
        )
      })
    },
    async uninstall({ username, path, installId }) {
      await lock(username, async () => {
        const account = registry.account(username)
        if (account !== null)
          await undo(account, parsePathBelowHome(path), keyOf(username, installId))
      })
    },
  }
}
