import type { ServiceDeps } from '../service-deps.ts'
import type { Notify } from '../notify/notify.ts'
import { findBackups } from './troubles/find-backups.ts'
import { findCertificates } from './troubles/find-certificates.ts'
import { findCron } from './troubles/find-cron.ts'
import { findMail } from './troubles/find-mail.ts'
import { findMachine } from './troubles/find-machine.ts'
import { findMemory } from './troubles/find-memory.ts'
import { findQuotas } from './troubles/find-quotas.ts'

/** Looks for what is wrong, and has people told. */
export interface Look {
  /** At what the panel's records say. */
  atRecords(): Promise<void>
  /** At the machine, which takes a second or two. */
  atMachine(): Promise<void>
}

/**
 * Troubles are found by looking, not by remembering what happened: so they are told once,
 * are over when they are over, and neither a restart nor a lost event matters.
 */
export const createLook = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'backupsConfig'> & { stuck: () => string[] },
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
    ]
    await notify.reconcile(
      found.flatMap(({ scopes }) => scopes),
      found.flatMap(({ troubles }) => troubles),
    )
  },
  async atMachine() {
    const found = [
      findMachine(await deps.host.local.machine.facts()),
      await findMail(deps.host.local.mailQueue),
      await findMemory((await deps.store.listAccounts()).rows, deps.host.local.accountUse),
    ]
    await notify.reconcile(
      found.flatMap(({ scopes }) => scopes),
      found.flatMap(({ troubles }) => troubles),
    )
  },
})
