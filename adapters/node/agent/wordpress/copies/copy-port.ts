import { join } from 'node:path'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { AppError, conflict } from '#handlers/errors.ts'
import type { WordpressCopyPort } from '#handlers/ports/host/wordpress/wordpress-copy.ts'
import type { OperationKey, RegisteredAccount } from '../../registry/types.ts'
import { runOperation } from '../../run-operation.ts'
import { besideOf } from '../places/beside-of.ts'
import { assertFound } from './assert-found.ts'
import { bondsOf } from './foreign-keys.ts'
import { handOn } from './hand-on.ts'
import { createPush } from './push.ts'
import { createPurgeSites } from '../places/purge-sites.ts'
import { createSiteFolder } from '../places/site-folder.ts'
import { moveOf, namesBeside, networkOf, placesOf } from './network-of-copy.ts'
import type { Network, NetworkMove } from './network-of-copy.ts'
import { addressPairs, assertOneAddress, createOpenSite, rootsBelow } from './site-of-copy.ts'
import type { OpenSite } from './site-of-copy.ts'
import { placeOf, sitesOf } from '../places/sites-of.ts'
import type { SiteWorkDeps } from '../site-work-deps.ts'

/** What the configuration of a network's copy says of its place. */
const newPlace = (network: Network, { names, from, to, hosts }: NetworkMove) => ({
  ...{ names, hosts, domain: names[networkOf(network).domain], path: to, fromPath: from },
  several: network.networks.length > 1,
})

/** `WordpressCopyPort` over the runner; whatever is read or written is so by the account whose it is. */
export const createWordpressCopyPort = (deps: SiteWorkDeps): WordpressCopyPort => {
  const { registry, lock, files, usage } = deps
  const openSite = createOpenSite(deps)
  const folders = createSiteFolder(files)
  const { namesIn, remove } = folders

  const keyOf = (username: string, copyId: string): OperationKey => ({
    ...{ id: copyId, kind: 'wordpress.copy', subject: username },
  })
  const purgeSites = createPurgeSites(deps)
  const purge = ({ account, path }: Pick<OpenSite, 'account' | 'path'>) => purgeSites(account, path)
  /** Takes back what was moved: what is still beside the site was not. */
  const undo = async (account: RegisteredAccount, path: string, key: OperationKey) => {
    const { username } = account
    const known = registry.operation(key)
    if (known === null || known.state === 'undone') return
    const beside = besideOf(key.id)
    if (known.steps.includes('moving')) {
      const left = new Set((await namesIn(username, `${beside}/site`)) ?? [])
      const names = Array.isArray(known.data['names']) ? known.data['names'].map(String) : []
      for (const name of names) if (!left.has(name)) await remove(username, `${path}/${name}`)
      const site = placeOf(sitesOf(registry, account), path)?.site
      if (known.data['hadPage'] === true && site !== undefined)
        await folders.putPage(username, path, site)
      await purge({ account, path })
      const rest = await namesIn(username, path)
      if (known.data['existed'] === false && rest?.length === 0) await remove(username, path)
    }
    await remove(username, beside)
    usage.forget(username)
  }

  return {
    async survey(input) {
      const found = await openSite(input).survey()
      const { files: size, database, prefix, tables, keys, network } = found
      const bonds = bondsOf(keys)
      return {
        ...{ bytes: size.bytes, files: size.entries, database, prefix },
        network: network && { ...networkOf(network), names: namesBeside(network) },
        tables: tables.map((one) => ({ ...one, bound_to: [...(bonds.get(one.name) ?? [])] })),
      }
    },
    copy: async ({ copyId, from, to, database, staging, names: wanted }) =>
      lock(to.username, async () => {
        const source = openSite(from)
        const target = openSite(to)
        const { account, username, path } = target
        const key = keyOf(username, copyId)
        const beside = besideOf(copyId)
        const known = registry.operation(key)
        // An agent that died in the middle may have moved some of it.
        if (known?.state === 'open') await undo(account, path, key)
        if (known !== null && known.state !== 'open') {
          await runOperation(registry, key, {}, async () => undefined)
          return
        }
        const hadPage = await folders.judge(username, path, target.site)
        const isBelow = from.username === username && path.startsWith(`${source.path}/`)
        const without = [
          ...rootsBelow(registry, source.account, source.path),
          ...(isBelow ? [path.slice(source.path.length + 1)] : []),
        ]
        const found = await source.survey(without)
        assertOneAddress(found)
        const { network } = found
        const own = [found.home, found.siteurl, source.url]
        const { pathname: folder } = new URL(target.url)
        if (network !== null && namesBeside(network).length > 0 && folder !== '/')
          throw conflict(
            'A network whose sites have names of their own is copied into the document root of a domain, not into a folder of it.',
          )
        const origins = new Map(wanted.map(({ name, url }) => [name, url]))
        const move = network && moveOf(network, own, { url: target.url, folder, origins })
        await source.run({ op: 'check' }, { timeoutMs: 60_000 })
        const available = await usage.availableBytes(account)
        if (available !== null && found.files.bytes > available)
          throw new AppError(
            413,
            `The copy needs ${inMegabytes(found.files.bytes, Math.ceil)}, which the account's disk quota does not have left.`,
          )
        const sent = (await namesIn(from.username, source.path)) ?? []
        const names = [...new Set([...sent, 'wp-config.php'])]
        const existed = (await namesIn(username, path)) !== null
        const site = join(account.home, beside, 'site')
        await runOperation(
          registry,
          key,
          { path, names, hadPage, existed },
          async (step) => {
            await remove(username, beside)
            await files.mkdir({ username, path: beside })
            await files.chmod({ username, path: beside, mode: '0700' })
            await handOn(
              (send) => source.run({ op: 'pack-files', without }, { send }),
              (take) => target.run({ op: 'unpack-files', folder: site }, { take }),
            )
            usage.forget(username)
            await target.run({
              ...{ op: 'adopt', folder: site, database, place: target.folder },
              ...{ from: source.folder, staging: staging ? source.path : null },
              network: network && move && newPlace(network, move),
            })
            await handOn(
              (send) => source.run({ op: 'pack-tables', tables: null }, { send }),
              (take) => target.run({ op: 'unpack-tables', database }, { take }),
            )
            if (move !== null)
              await target.run({ op: 'move-network', database, prefix: found.prefix, ...move })
            await target.run({
              ...{ op: 'replace-all', folder: site, tables: null, hide: staging },
              ...addressPairs(source, found, target, move),
            })
            if (!existed) await files.mkdir({ username, path })
            const made = (await namesIn(username, `${beside}/site`)) ?? []
            step('moving')
            if (hadPage) await folders.removePage(username, path)
            // The front controller last: until then visitors find nothing, not half of it.
            const inOrder = made
              .filter((name) => names.includes(name))
              .sort((a, b) => Number(a === 'index.php') - Number(b === 'index.php'))
            for (const name of inOrder)
              await files.move({
                ...{ username, path: `${beside}/site/${name}`, to: `${path}/${name}` },
              })
            await target.run({ op: 'check' }, { timeoutMs: 60_000 })
            if (network && move) await assertFound(target, placesOf(network, move))
            await remove(username, beside)
            await purge(target)
          },
          () => undo(account, path, key),
        )
      }),
    async remove({ username, path: asked, copyId, folder }) {
      await lock(username, async () => {
        const account = registry.account(username)
        if (account === null) return
        const path = parsePathBelowHome(asked)
        await undo(account, path, keyOf(username, copyId))
        const place = placeOf(sitesOf(registry, account), path)
        if (folder) await folders.removeEmpty(username, path, place?.site ?? null)
      })
    },
    ...createPush({ ...deps, openSite, folders, purge }),
  }
}
