import { join } from 'node:path'
import { z } from 'zod'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { AppError, conflict, isAppError } from '#handlers/errors.ts'
import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import type { PageCachePort } from '#handlers/ports/host/cache/page-cache.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { WordpressPlace } from '#handlers/ports/host/wordpress/wordpress-login.ts'
import type { DiskUsage } from '../files/disk-usage-cache.ts'
import { runOperation } from '../run-operation.ts'
import type { AccountLock, OperationKey, RegisteredAccount, Registry } from '../registry/types.ts'
import type { RunInSite } from './run-in-site.ts'
import { knownAccount, placeOf, sitesOf } from './sites-of.ts'

/** What exchanges parts of sites. */
export interface ExchangeDeps {
  registry: Registry
  lock: AccountLock
  files: FilesPort
  usage: Pick<DiskUsage, 'availableBytes' | 'forget'>
  pageCache: Pick<PageCachePort, 'purge'>
  runInSite: RunInSite
  log: Log
}

/** A site's folder that is worked in. */
export interface OpenSite {
  account: RegisteredAccount
  /** Relative to the home. */
  path: string
  domain: string
  phpVersion: string | null
  /** Absolute. */
  folder: string
}

/** What is exchanged, and how the new ones come. */
export interface NamesExchange<T> {
  updateId: string
  site: OpenSite
  /** Where the names stand, relative to the home. */
  path: string
  names: readonly string[]
  /** For a while; null: what is fetched is not known before. */
  bytes: number | null
  /** Brings the new ones into `${staging}/new`, relative to the home, which is there. */
  fill(staging: string): Promise<T>
  /** Whether the site does with them; a failure puts the old ones back. */
  check(): Promise<unknown>
}

const checkedSchema = z.object({ database: z.string().max(64) })

/** Where what was there before is kept, and the new one made; no document root has it. */
const stagingOf = (updateId: string): string =>
  `.berth-wordpress-${updateId.replaceAll(/[^A-Za-z0-9-]/g, '')}`

/** Exchanges names in folders of sites by moving; what was there is kept until it is let go. By the account's own helper. */
export const createExchange = (deps: ExchangeDeps) => {
  const { registry, files, usage, runInSite, log } = deps

  /** 409 where the account is suspended, or no site shows the folder. */
  const open = (input: { username: string; path: string }): OpenSite => {
    const account = knownAccount(registry, input.username)
    if (account.suspended) throw conflict(`Account ${input.username} is suspended.`)
    const path = parsePathBelowHome(input.path)
    const place = placeOf(sitesOf(registry, account), path)
    if (place === null) throw conflict(`No site of the account shows the folder "${path}".`)
    const { domain } = place.site
    const phpVersion = registry.vhost(domain)?.php?.version ?? account.phpVersion
    return { account, path, domain, phpVersion, folder: join(account.home, path) }
  }
  const namesIn = async (username: string, path: string): Promise<Set<string>> => {
    try {
      return new Set((await files.list({ username, path })).map(({ name }) => name))
    } catch (error) {
      if (isAppError(error) && error.status === 404) return new Set()
      throw error
    }
  }
  const remove = async (username: string, path: string): Promise<void> => {
    try {
      await files.delete({ username, path })
    } catch (error) {
      if (!isAppError(error) || error.status !== 404) throw error
    }
  }
  const purge = (domain: string) =>
    deps.pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' })
  const keyOf = (username: string, updateId: string): OperationKey => ({
    ...{ id: updateId, kind: 'wordpress.exchange', subject: username },
  })
  /** Every name is either still as it was, or its old one is kept. */
  const putBack = async (account: RegisteredAccount, path: string, key: OperationKey) => {
    const { username } = account
    const known = registry.operation(key)
    const staging = stagingOf(key.id)
    if (known?.steps.includes('moving') === true && (await namesIn(username, '')).has(staging)) {
      const [kept, waiting, there] = await Promise.all(
        [`${staging}/old`, `${staging}/new`, path].map((at) => namesIn(username, at)),
      )
      const names = Array.isArray(known.data['names']) ? known.data['names'].map(String) : []
      for (const name of names) {
        const isNew = waiting?.has(name) !== true
        // Beside the others, not away: what is put back already is then told from what is not.
        if (isNew && there?.has(name) === true)
          await files.move({ username, path: `${path}/${name}`, to: `${staging}/new/${name}` })
        if (kept?.has(name) === true)
          await files.move({ username, path: `${staging}/old/${name}`, to: `${path}/${name}` })
      }
    }
    await remove(username, staging)
    usage.forget(username)
  }

  return {
    open,
    purge,
    /** Has the front page made as a request to it would; see `WordpressUpdatePort`. */
    async check({ url, ...input }: WordpressPlace) {
      const { account, phpVersion, folder } = open(input)
      return runInSite(account, phpVersion, { op: 'check', folder, url }, checkedSchema)
    },
    /** Call it inside the account's lock. */
    async exchange<T>(order: NamesExchange<T>): Promise<T> {
      const { site, path, names, bytes } = order
      const { account, domain } = site
      const { username } = account
      const available = await usage.availableBytes(account)
      if (bytes !== null && available !== null && bytes > available)
        throw new AppError(
          413,
          `The update needs ${inMegabytes(bytes, Math.ceil)} for a while, which the account's disk quota does not have left.`,
        )
      const key = keyOf(username, order.updateId)
      const staging = stagingOf(order.updateId)
      // An agent that died in the middle may have moved some of it.
      if (registry.operation(key)?.state === 'open') await putBack(account, path, key)
      return runOperation(
        registry,
        key,
        { path, names },
        async (step) => {
          await remove(username, staging)
          await files.mkdir({ username, path: `${staging}/old` })
          await files.chmod({ username, path: staging, mode: '0700' })
          await files.mkdir({ username, path: `${staging}/new` })
          const filled = await order.fill(staging)
          usage.forget(username)
          const there = await namesIn(username, path)
          step('moving')
          for (const name of names) {
            const at = `${path}/${name}`
            if (there.has(name))
              await files.move({ username, path: at, to: `${staging}/old/${name}` })
            await files.move({ username, path: `${staging}/new/${name}`, to: at })
          }
          await order.check()
          await purge(domain)
          return filled
        },
        async () => {
          await putBack(account, path, key)
          await purge(domain)
        },
      )
    },
    /** Brings back what was at `path`; nothing where none is kept. Inside of the account's lock. */
    async revert(username: string, updateId: string, asked: string): Promise<void> {
      const account = registry.account(username)
      if (account === null) return
      const path = parsePathBelowHome(asked)
      await putBack(account, path, keyOf(username, updateId))
      const place = placeOf(sitesOf(registry, account), path)
      if (place !== null) await purge(place.site.domain)
    },
    /** Lets go what is kept. Inside of the account's lock. */
    async settle(username: string, updateId: string): Promise<void> {
      if (registry.account(username) === null) return
      // In one step no more to be put back from; of what is left there nothing depends.
      const gone = `${stagingOf(updateId)}-gone`
      const staging = stagingOf(updateId)
      if ((await namesIn(username, '')).has(staging))
        await files.move({ username, path: staging, to: gone })
      await remove(username, gone).catch((error: unknown) => {
        log.warn('what was exchanged was left', { username, folder: gone, error: String(error) })
      })
      usage.forget(username)
    },
  }
}
