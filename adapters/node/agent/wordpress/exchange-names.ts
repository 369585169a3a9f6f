import { z } from 'zod'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { AppError } from '#handlers/errors.ts'
import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import type { WordpressPlace } from '#handlers/ports/host/wordpress/wordpress-login.ts'
import { runOperation } from '../run-operation.ts'
import type { OperationKey, RegisteredAccount } from '../registry/types.ts'
import { besideOf } from './places/beside-of.ts'
import { openPlace } from './places/open-place.ts'
import type { OpenPlace } from './places/open-place.ts'
import { createSiteFolder } from './places/site-folder.ts'
import type { SiteWorkDeps } from './site-work-deps.ts'
import { createPurgeSites } from './places/purge-sites.ts'

/** What is exchanged, and how the new ones come. */
export interface NamesExchange<T> {
  updateId: string
  site: OpenPlace
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

/** Exchanges names in folders of sites by moving; what was there is kept until it is let go. By the account's own helper. */
export const createExchange = (deps: SiteWorkDeps) => {
  const { registry, files, usage, runInSite, log } = deps

  const { namesIn, remove } = createSiteFolder(files)

  const open = (input: { username: string; path: string }): OpenPlace => openPlace(registry, input)
  const namesOf = async (username: string, path: string): Promise<Set<string>> =>
    new Set((await namesIn(username, path)) ?? [])
  const purge = createPurgeSites(deps)
  const keyOf = (username: string, updateId: string): OperationKey => ({
    ...{ id: updateId, kind: 'wordpress.exchange', subject: username },
  })
  /** Every name is either still as it was, or its old one is kept. */
  const putBack = async (account: RegisteredAccount, path: string, key: OperationKey) => {
    const { username } = account
    const known = registry.operation(key)
    const staging = besideOf(key.id)
    if (known?.steps.includes('moving') === true && (await namesOf(username, '')).has(staging)) {
      const [kept, waiting, there] = await Promise.all(
        [`${staging}/old`, `${staging}/new`, path].map((at) => namesOf(username, at)),
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
      const { account } = site
      const { username } = account
      const available = await usage.availableBytes(account)
      if (bytes !== null && available !== null && bytes > available)
        throw new AppError(
          413,
          `The update needs ${inMegabytes(bytes, Math.ceil)} for a while, which the account's disk quota does not have left.`,
        )
      const key = keyOf(username, order.updateId)
      const staging = besideOf(order.updateId)
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
          const there = await namesOf(username, path)
          step('moving')
          for (const name of names) {
            const at = `${path}/${name}`
            if (there.has(name))
              await files.move({ username, path: at, to: `${staging}/old/${name}` })
            await files.move({ username, path: `${staging}/new/${name}`, to: at })
          }
          await order.check()
          await purge(account, path)
          return filled
        },
        async () => {
          await putBack(account, path, key)
          await purge(account, path)
        },
      )
    },
    /** Brings back what was at `path`; nothing where none is kept. Inside of the account's lock. */
    async revert(username: string, updateId: string, asked: string): Promise<void> {
      const account = registry.account(username)
      if (account === null) return
      const path = parsePathBelowHome(asked)
      await putBack(account, path, keyOf(username, updateId))
      await purge(account, path)
    },
    /** Lets go what is kept. Inside of the account's lock. */
    async settle(username: string, updateId: string): Promise<void> {
      if (registry.account(username) === null) return
      // In one step no more to be put back from; of what is left there nothing depends.
      const gone = `${besideOf(updateId)}-gone`
      const staging = besideOf(updateId)
      if ((await namesOf(username, '')).has(staging))
        await files.move({ username, path: staging, to: gone })
      await remove(username, gone).catch((error: unknown) => {
        log.warn('what was exchanged was left', { username, folder: gone, error: String(error) })
      })
      usage.forget(username)
    },
  }
}
