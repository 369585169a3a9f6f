import type { PanelApp } from '#handlers/panel/deps.ts'
import type { InstanceFacts } from '#handlers/ports/store/lease-store.ts'
import type { ServiceDeps } from '#handlers/services/service-deps.ts'
import { createDuties } from '#handlers/services/journal/duties.ts'
import type { Duties } from './held-duties.ts'

const BEAT_MS = 10_000
const SETTLE_MS = 15_000

/** What is done over and over, each by one of all panels that share the store. */
export interface SharedDuties extends Duties {
  /** Runs `work` in the one panel whose duty it is. */
  inTurn(duty: string, work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** The duties of a panel that is alone: all of them. */
export const aloneDuties = (duties: Duties): SharedDuties => ({
  ...duties,
  inTurn: (_duty, work) => work(),
  stop: () => Promise.resolve(),
})

/** Those that are this panel's turn out of all that share the store; also settles what others left that ended. */
export const startSharedDuties = async (
  app: Pick<PanelApp, 'settleAbandoned' | 'takeUpCron'>,
  duties: Duties,
  deps: Pick<ServiceDeps, 'store' | 'log' | 'background' | 'turns'> & {
    instance: string
    facts: InstanceFacts
  },
): Promise<SharedDuties> => {
  const { background } = deps
  const own = createDuties(deps)
  await own.beat()
  const beating = setInterval(
    () => background.run('tell that this panel lives', () => own.beat()),
    BEAT_MS,
  ).unref()
  const settling = setInterval(
    () => background.run('settle what ended panels left', () => app.settleAbandoned()),
    SETTLE_MS,
  ).unref()
  const answered = async <T>(duty: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
    let answer = otherwise
    await own.run(duty, async () => {
      answer = await work()
    })
    return answer
  }
  return {
    inTurn: (duty, work) => own.run(duty, work),
    renewCertificates: () =>
      answered('renewal', () => duties.renewCertificates(), {
        renewed: [],
        skipped: [],
        errors: [],
      }),
    goOnWithOrders: () =>
      answered('renewal', () => duties.goOnWithOrders(), { renewed: [], errors: [] }),
    scheduledBackups: (signal) => own.run('backups', () => duties.scheduledBackups(signal)),
    tellOverdueBackups: () => own.run('backups', () => duties.tellOverdueBackups()),
    proveBackups: () => own.run('proofs', () => duties.proveBackups()),
    dispatchEvents: () => own.run('events', () => duties.dispatchEvents()),
    tellNotifications: () => own.run('notifications', () => duties.tellNotifications()),
    // Runs that the panel left which had the duty before are taken up first.
    tickCron: () =>
      own.run(
        'cron',
        () => duties.tickCron(),
        () => app.takeUpCron(),
      ),
    takePushes: () => own.run('pushes', () => duties.takePushes()),
    async stop() {
      clearInterval(beating)
      clearInterval(settling)
      await own.end()
    },
  }
}
