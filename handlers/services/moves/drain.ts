import { isAppError, notFound } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { Hosts } from '../hosts/hosts.ts'
import { createPlacement } from '../on-hosts/placement.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Moves } from './moves.ts'

/** Moves that are under way at once. */
const AT_ONCE = 2

/** How draining a host went. */
export interface DrainedHost {
  host: string
  moved: string[]
  /** Those that are still there, each with the reason. */
  failed: { username: string; error: string }[]
}

/** Closes a host and moves all accounts off it, two at a time. 404; one that cannot be moved stays, and is told. */
export type Drain = (hostName: string, report?: Report) => Promise<DrainedHost>

export const createDrain = (
  deps: ServiceDeps & { moves: Pick<Moves, 'move'>; hosts: Pick<Hosts, 'close'> },
): Drain => {
  const { store, moves, hosts } = deps
  const placement = createPlacement(deps)
  return async (hostName, report) => {
    const drained = (await store.listHosts()).find((one) => one.name === hostName)
    if (drained === undefined) throw notFound('No such host.')
    await hosts.close(hostName)
    const { rows } = await store.listAccounts({ filters: { host: hostName } })
    const waiting = [...rows]
    const result: DrainedHost = { host: hostName, moved: [], failed: [] }
    const one = async (): Promise<void> => {
      for (let account = waiting.shift(); account; account = waiting.shift()) {
        const { id, username } = account
        const ended = result.moved.length + result.failed.length
        report?.(`Moving ${username}`, `${ended + 1}/${rows.length}`, (100 * ended) / rows.length)
        try {
          // The drained one is closed, so it is none of those with room.
          const { hostId } = await placement({})
          const to = (await store.hostById(hostId))?.name ?? 'local'
          await moves.move(id, to)
          result.moved.push(username)
        } catch (error) {
          const told = isAppError(error) ? error.message : 'An unexpected error; see the panel log.'
          if (!isAppError(error))
            deps.log.error('an account was not moved', { username, error: String(error) })
          result.failed.push({ username, error: told })
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    return result
  }
}
