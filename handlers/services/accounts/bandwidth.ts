import { eachHost } from '../on-hosts/each-host.ts'
import { isOverBandwidth, trafficMonth } from '../../domain/accounts/bandwidth.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** Keeps the books of what the accounts' sites have sent. */
export interface Bandwidth {
  /**
   * Takes what the web server has counted since the last call, and closes (509)
   * or opens the sites of accounts whose month's traffic is, or is no longer,
   * above their quota. To be called about twice a minute; calls follow each other.
   */
  collect(): Promise<void>
}

type Deps = ServiceDeps & { journal: Journal; vhosts: VirtualHosts }

export const createBandwidth = (deps: Deps): Bandwidth => {
  const { store, host, clock, journal, vhosts, log } = deps
  let turn: Promise<void> = Promise.resolve()

  const take = async (month: string): Promise<void> => {
    await eachHost(deps, 'the traffic of a host was not taken', async (hostId, { webServer }) => {
      const stored = await store.trafficBatch(hostId)
      const taken = await webServer.takeTraffic({ acknowledged: stored })
      if (taken !== null && taken.batch !== stored)
        await store.addTraffic(taken.batch, month, taken.bytes, hostId)
    })
  }

  const isOutdated = (account: AccountRow, month: string): boolean =>
    (account.status === 'active' || account.status === 'suspended') &&
    isOverBandwidth(account, month) !== (account.bandwidth_state === 'exceeded')

  /** Tells the web server first: after a crash in between it is told again. */
  const settle = async (id: number, month: string): Promise<void> => {
    const account = await store.accountById(id)
    if (account === null || !isOutdated(account, month)) return
    const bandwidth_state = isOverBandwidth(account, month) ? 'exceeded' : 'open'
    await host
      .of(account.host_id)
      .webServer.apply(await vhosts.ofAccount({ ...account, bandwidth_state }))
    await store.updateAccount(id, { bandwidth_state })
    log.info(
      bandwidth_state === 'exceeded'
        ? 'bandwidth used up, sites answer 509'
        : 'sites of the account are open again',
      { username: account.username, month },
    )
  }

  const collect = async (): Promise<void> => {
    const month = trafficMonth(clock.nowMs())
    await take(month)
    const { rows } = await store.listAccounts()
    for (const { id, username } of rows.filter((account) => isOutdated(account, month))) {
      try {
        await journal.exclusively(username, () => settle(id, month))
      } catch (error) {
        log.warn('bandwidth limit not applied yet', { username, error: String(error) })
      }
    }
  }

  return {
    collect() {
      turn = turn.catch(() => undefined).then(collect)
      return turn
    },
  }
}
