import { within } from '../within.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Found, Notify } from '../notify/notify.ts'
import { findBackups } from './troubles/find-backups.ts'
import { findCertificates } from './troubles/find-certificates.ts'
import { findCron } from './troubles/find-cron.ts'
import { findMail } from './troubles/find-mail.ts'
import { findMachine } from './troubles/find-machine.ts'
import { findMemory } from './troubles/find-memory.ts'
import { onHost } from './troubles/on-host.ts'
import { findHosts } from './troubles/find-hosts.ts'
import { findQuotas } from './troubles/find-quotas.ts'

/** One slow machine keeps nobody from being told of the others. */
const PATIENCE_MS = 30_000

/** Looks for what is wrong, and has people told. */
export interface Look {
  /** At what the panel's records say. */
  atRecords(): Promise<void>
  /** At each machine that answers; what stands of others stays as it was. It takes a second or two. */
  atMachine(): Promise<void>
}

/**
 * Troubles are found by looking, not by remembering what happened: so they are told once,
 * are over when they are over, and neither a restart nor a lost event matters.
 */
export const createLook = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'hostLinks' | 'clock' | 'backupsConfig'> & {
    stuck: () => string[]
    /** For which a machine is waited, in milliseconds. */
    patienceMs?: number
  },
  notify: Pick<Notify, 'reconcile' | 'standing'>,
): Look => ({
  async atRecords() {
    const accounts = (await deps.store.listAccounts()).rows
    const stands = await notify.standing()
    const found = [
      await findCertificates(deps, accounts),
      await findBackups(deps, accounts, stands),
      findQuotas(accounts, stands, deps.clock.nowMs()),
      await findCron(deps),
      await findHosts(deps, stands),
    ]
    await notify.reconcile(
      found.flatMap(({ scopes }) => scopes),
      found.flatMap(({ troubles }) => troubles),
    )
  },
  async atMachine() {
    const { store, host } = deps
    const accounts = (await store.listAccounts()).rows
    const names = new Map((await store.listHosts()).map(({ id, name }) => [id, name]))
    const lookAt = async (hostId: number): Promise<Found[]> => {
      const { machine, mailQueue, accountUse } = host.of(hostId)
      const own = accounts.filter(({ host_id }) => host_id === hostId)
      const found = [
        findMachine(await machine.facts(), deps.clock.nowMs()),
        await findMail(mailQueue),
        await findMemory(own, accountUse),
      ]
      return found.map((one) => onHost(one, hostId, names.get(hostId) ?? ''))
    }
    const ids = await host.present()
    const looked = await Promise.allSettled(
      ids.map((id) => within(deps.patienceMs ?? PATIENCE_MS, lookAt(id))),
    )
    const found = looked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    await notify.reconcile(
      found.flatMap(({ scopes }) => scopes),
      found.flatMap(({ troubles }) => troubles),
    )
    const failed = looked.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  },
})
