import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AppLog } from './app-log.ts'
import { keepInstance, preparePlace, SETTLE_MS } from './instance.ts'
import type { InstanceState } from './instance.ts'
import type { KeeperAnswer, KeeperPlan } from './keeper-messages.ts'
import { accepts } from './readiness.ts'

/** Keeps one start of an application running, in all its instances. */
export interface Keeper {
  /**
   * While it starts it runs once all instances answered, and fails with the first that does not;
   * later it runs while one does.
   */
  state(): KeeperAnswer
  /** As `state`, once it is neither starting nor about to within 15 s; after these as it is then. */
  settled(): Promise<KeeperAnswer>
  /** Makes this start the one that visitors get. Throws where it does not run. */
  take(): void
  /** Lets no more visitors come, and ends it when the requests of those who are there are done. Resolves when it is gone. */
  end(graceMs: number): Promise<void>
}

/** In the order in which one tells how all are, once they began well. */
const FIRST_TOLD = ['running', 'starting', 'waiting', 'failed'] as const

/** The instance that tells how the application is. */
const teller = (all: readonly InstanceState[], began: boolean): InstanceState | undefined => {
  const order = began ? FIRST_TOLD : FIRST_TOLD.toReversed()
  const state = order.find((one) => all.some((instance) => instance.state === one))
  return all.find((instance) => instance.state === state)
}

/** Starts an application and keeps it running as its plan says. */
export const keepApplication = (plan: KeeperPlan, log: AppLog): Keeper => {
  const waiters = new Set<() => void>()
  const wake = (): void => {
    if (answer().state !== 'starting') for (const one of [...waiters]) one()
  }
  const instances = Array.from({ length: plan.instances }, (_, index) =>
    keepInstance(plan, index + 1, log, wake),
  )
  let began = false

  const answer = (): KeeperAnswer => {
    const all = instances.map((instance) => instance.state())
    began ||= all.every(({ wasReady }) => wasReady)
    const told = teller(all, began)
    if (told === undefined) throw new Error('It has no instance.')
    const { isUnderWay: _, wasReady: _ready, ...rest } = told
    const ill = all.findIndex(({ problem }) => problem !== null)
    const why = all[ill]?.problem ?? null
    return {
      ...rest,
      problem: why === null || all.length === 1 ? why : `Instance ${ill + 1}: ${why}`.slice(0, 300),
      restarts: all.reduce((sum, { restarts }) => sum + restarts, 0),
      runningInstances: all.filter(({ state }) => state === 'running').length,
      tail: log.tail(),
      busy: all.some(({ busy }) => busy),
    }
  }
  const isUnderWay = (): boolean => {
    const { state } = answer()
    if (state === 'running' || state === 'failed') return false
    return instances.some((instance) => instance.state().isUnderWay)
  }

  return {
    state: answer,
    async settled() {
      if (isUnderWay())
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer)
            waiters.delete(done)
            resolve()
          }
          const timer = setTimeout(done, SETTLE_MS)
          waiters.add(done)
        })
      return answer()
    },
    take() {
      if (answer().state !== 'running') throw new Error('It does not run.')
      for (const instance of instances) instance.take()
    },
    async end(graceMs) {
      await Promise.all(instances.map((instance) => instance.end(graceMs)))
    },
  }
}

/** Removes sockets of starts before this one at which nobody listens any more. */
export const sweepSockets = async (directory: string): Promise<void> => {
  preparePlace(directory)
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (/^[0-9a-f]{8}(?:-\d{1,2})?\.sock$/.test(name) && !(await accepts(path)))
      rmSync(path, { force: true })
  }
}
