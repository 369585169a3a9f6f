import { within } from '../within.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What all machines have together. */
export interface HostSums {
  machines: number
  accounts: number
  sites: number
  cpu_count: number
  memory: { total_mb: number; used_mb: number }
  disk: { total_mb: number; used_mb: number }
  /** Names of those that do not answer: their processors, memory and disks are not in it. */
  not_counted: string[]
}

/** Sums over the machines that accounts live on. */
export interface Sums {
  /** Accounts and sites are the records', the rest is asked of all machines at once. */
  sums(): Promise<HostSums>
}

const PATIENCE_MS = 5000

export const createSums = ({ store, host }: Pick<ServiceDeps, 'store' | 'host'>): Sums => ({
  async sums() {
    const [rows, accounts, sites] = await Promise.all([
      store.listHosts(),
      store.countAccounts(),
      store.countDomains(),
    ])
    const machines = rows.filter(({ role, state }) => role === 'host' && state !== 'joining')
    const asked = await Promise.all(
      machines.map(async ({ id, name }) => ({
        name,
        info: await within(PATIENCE_MS, host.of(id).system.info()).catch(() => null),
      })),
    )
    const sums: HostSums = {
      ...{ machines: machines.length, accounts, sites, cpu_count: 0, not_counted: [] },
      memory: { total_mb: 0, used_mb: 0 },
      disk: { total_mb: 0, used_mb: 0 },
    }
    for (const { name, info } of asked) {
      if (info === null) {
        sums.not_counted.push(name)
        continue
      }
      sums.cpu_count += info.cpu_count
      sums.memory.total_mb += info.memory_total_mb
      sums.memory.used_mb += info.memory_used_mb
      sums.disk.total_mb += info.disk_total_mb
      sums.disk.used_mb += info.disk_used_mb
    }
    return sums
  },
})
