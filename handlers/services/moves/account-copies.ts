import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError, notFound } from '../../errors.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

const HOUR_SECS = 3600

/** What a move left on a host. */
export interface AccountCopy {
  username: string
  /** Null: of a move that failed; it goes as soon as the host answers. */
  until: string | null
}

/** What moves have left. */
export interface AccountCopies {
  /** Copies that moves have left on a host. 404 */
  copies(hostName: string): Promise<AccountCopy[]>
  /** Removes one before its time. 404 */
  removeCopy(hostName: string, username: string): Promise<void>
  /** Removes copies whose time is over, or whose account is gone. */
  removeDueCopies(): Promise<void>
}

export const createAccountCopies = (deps: ServiceDeps & { journal: Journal }): AccountCopies => {
  const { store, host, journal, clock, log } = deps
  const nowSecs = (): number => Math.floor(clock.nowMs() / 1000)

  const hostNamed = async (name: string): Promise<HostRow> => {
    const found = (await store.listHosts()).find((one) => one.name === name)
    if (found === undefined) throw notFound('No such host.')
    return found
  }

  /** In the account's turn; never where the account is now. */
  const removeCopyAt = async (username: string, hostId: number): Promise<void> =>
    journal.exclusively(username, async () => {
      const account = await store.accountByName(username)
      if (account?.host_id !== hostId)
        try {
          const operationId = `copy.${crypto.randomUUID()}`
          await host.of(hostId).users.remove({ operationId, username })
        } catch (error) {
          if (!isAppError(error) || error.status !== 404) throw error
        }
      await store.deleteAccountCopy({ username, host_id: hostId })
    })

  return {
    async copies(hostName) {
      const { id } = await hostNamed(hostName)
      return (await store.listAccountCopies())
        .filter(({ host_id }) => host_id === id)
        .map(({ username, until_secs }) => ({
          username,
          until: until_secs === 0 ? null : timestamp(until_secs * 1000),
        }))
    },
    async removeCopy(hostName, username) {
      const { id } = await hostNamed(hostName)
      const copies = await store.listAccountCopies()
      if (!copies.some((one) => one.username === username && one.host_id === id))
        throw notFound(`No copy of ${username} is on the host ${hostName}.`)
      await removeCopyAt(username, id)
    },
    async removeDueCopies() {
      for (const { username, host_id, until_secs } of await store.listAccountCopies()) {
        const isOver = until_secs <= nowSecs() || (await store.accountByName(username)) === null
        if (!isOver || (await host.isAway(host_id))) continue
        await removeCopyAt(username, host_id).catch(async (error: unknown) => {
          log.warn('a copy of an account that was moved is not removed yet', {
            ...{ username, host: host_id, error: String(error) },
          })
          const [row] = (await store.listAccountCopies()).filter(
            (one) => one.username === username && one.host_id === host_id,
          )
          if (row !== undefined)
            await store.putAccountCopy({ ...row, until_secs: nowSecs() + HOUR_SECS })
        })
      }
    },
  }
}
