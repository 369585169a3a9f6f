import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Regenerate, VirtualHosts } from './virtual-hosts.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log' | 'background'> & {
  journal: Journal
  vhosts: VirtualHosts
}

/**
 * The records of all accounts cannot be read in the turns of all accounts, which
 * may take minutes. So whatever changes a site meanwhile goes before what was
 * read: the host keeps what was applied since the edition that was asked for
 * first, and leaves accounts alone that were being changed when the records were
 * read, whose sites and records may differ until that is done. Those get theirs
 * in a turn of their own, for which nobody waits.
 */
export const createRegenerate = (deps: Deps): Regenerate => {
  const { store, host, journal, vhosts, background, log } = deps
  /** Accounts that wait for their turn. */
  const waiting = new Set<string>()

  const writeInTurn = (username: string): void => {
    if (waiting.has(username)) return
    waiting.add(username)
    background.run(`virtual hosts of ${username}`, async () => {
      try {
        await journal.exclusively(
          username,
          async () => {
            // What is asked for from here on may see records that are read too early.
            waiting.delete(username)
            const account = await store.accountByName(username)
            if (account?.status !== 'active' && account?.status !== 'suspended') return
            await host.webServer.apply(await vhosts.ofAccount(account))
          },
          () => 'leave',
        )
      } catch (error) {
        log.warn('virtual hosts not written anew', { username, error: String(error) })
      } finally {
        waiting.delete(username)
      }
    })
  }

  return async (report) => {
    report?.('Reading the records', undefined, 0)
    const since = await host.webServer.edition()
    const busy = new Set([
      ...(await journal.busy()),
      ...(await store.openOperations()).map(({ subject }) => subject),
    ])
    const all = await vhosts.all()
    const accounts = (await store.listAccounts()).rows.map(({ username }) => username)
    const leave = accounts.filter((username) => busy.has(username))
    const hosts = all.filter(({ username }) => !busy.has(username))
    report?.('Writing and loading the virtual hosts', `${hosts.length} hosts`, 20)
    const counts = await host.webServer.regenerate({ hosts, since, leave })
    for (const username of leave) writeInTurn(username)
    return counts
  }
}
