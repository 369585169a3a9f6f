import { join } from 'node:path'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { AppError, conflict, invalid } from '#handlers/errors.ts'
import type {
  WordpressCopyPort,
  WordpressPushed,
} from '#handlers/ports/host/wordpress/wordpress-copy.ts'
import type { OperationKey, RegisteredOperation } from '../../registry/types.ts'
import { runOperation } from '../../run-operation.ts'
import { assertUnbound, foreignKeysSchema, keysWithin, knownAs } from './foreign-keys.ts'
import type { ForeignKey } from './foreign-keys.ts'
import { assertFound } from './assert-found.ts'
import { placesOf } from './network-of-copy.ts'
import { besideOf } from '../places/beside-of.ts'
import { handOn } from './hand-on.ts'
import type { SiteFolder } from '../places/site-folder.ts'
import { bringTables, exchangedOf } from './push-tables.ts'
import { addressPairs, assertOneAddress, rootsBelow } from './site-of-copy.ts'
import type { createOpenSite, OpenSite } from './site-of-copy.ts'
import type { SiteWorkDeps } from '../site-work-deps.ts'
import { wayBack } from './way-back.ts'

/** What a site keeps of its own, whatever is brought. */
const KEPT = new Set(['wp-config.php', '.htaccess', '.user.ini', 'php.ini', '.well-known'])

const textsIn = (known: RegisteredOperation | null, name: string): string[] => {
  const list = known?.data[name]
  return Array.isArray(list) ? list.map(String) : []
}
const keysIn = (known: RegisteredOperation): ForeignKey[] =>
  foreignKeysSchema.safeParse(known.data['keys']).data ?? []

/** The part of the port that brings a copy back into its site. */
export const createPush = (
  deps: SiteWorkDeps & {
    openSite: ReturnType<typeof createOpenSite>
    folders: SiteFolder
    /** Of the pages of whatever shows its folder. */
    purge: (site: OpenSite) => Promise<unknown>
  },
): Pick<WordpressCopyPort, 'push' | 'revert' | 'settle'> => {
  const { registry, lock, files, usage, openSite, folders, purge, log } = deps
  const { namesIn, remove } = folders

  const keyOf = ({ username, pushId }: WordpressPushed): OperationKey => ({
    ...{ id: pushId, kind: 'wordpress.push', subject: username },
  })
  const namesOf = async (username: string, path: string): Promise<Set<string>> =>
    new Set((await namesIn(username, path)) ?? [])

  /** Files before tables: the site that is asked for these is then as it was. */
  const putBack = async (to: OpenSite, key: OperationKey): Promise<void> => {
    const { username, path } = to
    const known = registry.operation(key)
    if (known === null || known.state === 'undone' || known.steps.includes('settling')) return
    const beside = besideOf(key.id)
    const isMoved = known.steps.includes('moving')
    if (isMoved && (await namesIn(username, beside)) !== null) {
      const [kept, waiting, there] = await Promise.all([
        namesOf(username, `${beside}/old`),
        namesOf(username, `${beside}/new`),
        namesOf(username, path),
      ])
      for (const name of textsIn(known, 'names')) {
        const at = `${path}/${name}`
        // Beside the others, not away: what is put back already is then told from what is not.
        if (!waiting.has(name) && there.has(name))
          await files.move({ username, path: at, to: `${beside}/new/${name}` })
        if (kept.has(name)) await files.move({ username, path: `${beside}/old/${name}`, to: at })
      }
    }
    const tables = exchangedOf(key.id, textsIn(known, 'tables'))
    if (tables.length > 0) {
      if (isMoved && !known.steps.includes('returned')) {
        await to.run({ op: 'return-tables', tables })
        registry.recordStep(key, 'returned')
      }
      await to.run({ op: 'drop-tables', tables: tables.map(([fresh]) => fresh) })
    }
    await remove(username, beside)
    usage.forget(username)
  }

  const bringFiles = async (from: OpenSite, to: OpenSite, beside: string) => {
    const fresh = join(to.account.home, beside, 'new')
    const without = rootsBelow(registry, from.account, from.path)
    await handOn(
      (send) => from.run({ op: 'pack-files', without }, { send }),
      (take) => to.run({ op: 'unpack-files', folder: fresh }, { take }),
    )
    await to.run({ op: 'keep-live', live: to.folder, fresh })
    usage.forget(to.username)
  }
  const moveNames = async (to: OpenSite, beside: string, names: readonly string[]) => {
    const { username, path } = to
    const [waiting, there] = await Promise.all([
      namesOf(username, `${beside}/new`),
      namesOf(username, path),
    ])
    for (const name of names) {
      if (!waiting.has(name)) continue
      const at = `${path}/${name}`
      if (there.has(name)) await files.move({ username, path: at, to: `${beside}/old/${name}` })
      await files.move({ username, path: `${beside}/new/${name}`, to: at })
    }
  }

  return {
    push: async (order) =>
      lock(order.username, async () => {
        const { username } = order
        const from = openSite({ username, ...order.from })
        const to = openSite({ username, ...order.to })
        const key = keyOf(order)
        if (registry.operation(key)?.state === 'open') await putBack(to, key)
        const [copy, live] = [await from.survey(), await to.survey()]
        const has = new Set(copy.tables.map(({ name }) => name))
        const { tables } = order
        if (tables.length > 0) for (const one of [copy, live]) assertOneAddress(one)
        const move = tables.length > 0 ? wayBack(copy, live, tables, from.url) : null
        assertUnbound(copy.keys, live.keys, tables)
        const keys = keysWithin(copy.keys, tables)
        const missing = tables.find((name) => !has.has(name))
        if (missing !== undefined)
          throw invalid('tables', `tables: the copy has no table ${missing}.`)
        if (tables.length > 0 && copy.prefix !== live.prefix)
          throw conflict(
            `The tables of the copy begin with ${copy.prefix}, those of the site with ${live.prefix}.`,
          )
        const available = await usage.availableBytes(to.account)
        if (order.files && available !== null && copy.files.bytes > available)
          throw new AppError(
            413,
            `This needs ${inMegabytes(copy.files.bytes, Math.ceil)} for a while, which the account's disk quota does not have left.`,
          )
        const names = order.files
          ? ((await namesIn(username, from.path)) ?? []).filter((name) => !KEPT.has(name))
          : []
        const exchanged = exchangedOf(order.pushId, tables)
        const beside = besideOf(order.pushId)
        await runOperation(
          registry,
          key,
          { names, tables, keys },
          async (step) => {
            await remove(username, beside)
            await files.mkdir({ username, path: `${beside}/old` })
            await files.chmod({ username, path: beside, mode: '0700' })
            if (order.files) await bringFiles(from, to, beside)
            if (tables.length > 0)
              await bringTables(order.pushId, from, to, {
                ...addressPairs(from, copy, { ...to, url: live.home }, move),
                ...{ exchanged, keys, move, prefix: live.prefix },
              })
            step('moving')
            await moveNames(to, beside, names)
            if (tables.length > 0) await to.run({ op: 'exchange-tables', tables: exchanged })
            await to.run({ op: 'check' }, { timeoutMs: 60_000 })
            if (copy.network && move) await assertFound(to, placesOf(copy.network, move))
            await purge(to)
          },
          async () => {
            await putBack(to, key)
            await purge(to)
          },
        )
      }),
    revert: async (order) =>
      lock(order.username, async () => {
        const { username } = order
        if (registry.account(username) === null) return
        parsePathBelowHome(order.to.path)
        const key = keyOf(order)
        if (registry.operation(key) === null) return
        const to = openSite({ username, ...order.to }, { whileSuspended: true })
        await putBack(to, key)
        await purge(to)
      }),
    settle: async (order) =>
      lock(order.username, async () => {
        const { username } = order
        const key = keyOf(order)
        const known = registry.operation(key)
        if (registry.account(username) === null || known === null) return
        // From here on nothing is put back any more; of what is left nothing depends.
        registry.recordStep(key, 'settling')
        const to = openSite({ username, ...order.to }, { whileSuspended: true })
        const old = exchangedOf(key.id, textsIn(known, 'tables')).map(([, , kept]) => kept)
        try {
          if (old.length > 0) await to.run({ op: 'drop-tables', tables: old })
          await remove(username, besideOf(key.id))
          const keys = keysIn(known).map((one, index) => ({
            ...one,
            known: knownAs(key.id, index),
          }))
          if (keys.length > 0) await to.run({ op: 'name-keys', keys })
        } catch (error) {
          log.warn('what was before a push was left', { username, error: String(error) })
        }
        usage.forget(username)
      }),
  }
}
