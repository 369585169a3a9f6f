import { eachHost } from '../on-hosts/each-host.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import type { Report } from '../../ports/jobs.ts'
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
            await host.of(account.host_id).webServer.apply(await vhosts.ofAccount(account))
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

  const ofHost = async (
    hostId: number,
    { webServer }: HostPorts,
    report?: Report,
  ): Promise<{ written: number; removed: number }> => {
    const since = await webServer.edition()
    const busy = new Set([
      ...(await journal.busy()),
      ...(await store.openOperations()).map(({ subject }) => subject),
    ])
    const all = await vhosts.all(hostId)
    const accounts = (await store.listAccounts()).rows
      .filter(({ host_id }) => host_id === hostId)
      .map(({ username }) => username)
    const leave = accounts.filter((username) => busy.has(username))
    const hosts = all.filter(({ username }) => !busy.has(username))
    report?.('Writing and loading the virtual hosts', `${hosts.length} hosts`, 20)
    const counts = await webServer.regenerate({ hosts, since, leave })
    for (const username of leave) writeInTurn(username)
    return counts
  }

  return async (report) => {
    report?.('Reading the records', undefined, 0)
    const sum = { written: 0, removed: 0 }
    await eachHost(deps, 'virtual hosts of a host were not written anew', async (id, ports) => {
      const { written, removed } = await ofHost(id, ports, report)
      sum.written += written
      sum.removed += removed
    })
    return sum
  }
}
