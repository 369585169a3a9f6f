import { conflict, notFound } from '#handlers/errors.ts'
import type { CronPort, CronRunOrder, CronRunState } from '#handlers/ports/host/cron.ts'

export interface FakeCron extends CronPort {
  /** What was begun, in order. */
  started: CronRunOrder[]
  /** Ends a run that lasts. */
  finish(runId: string, end: { code: number | null; output?: string }): void
  /** Forgets all, as a host that was started anew. */
  restart(): void
}

/** How long a question for a run waits. Not for its end: that may come with another request, which workerd keeps apart. */
const WAIT_MS = 5

interface Run {
  state: CronRunState
  end(change: Partial<CronRunState>): void
}

/**
 * Runs nothing: `write OUTPUT CODE` as argv ends at once, `last` goes on until its time
 * is up or somebody ends it. Every repository is there but those with `missing` in their address.
 */
export const createFakeCron = (
  stateOf: (username: string) => 'active' | 'suspended' | null,
  /** Called for a repository that was fetched for an application. */
  fetched: (order: CronRunOrder) => void = () => undefined,
): FakeCron => {
  const runs = new Map<string, Run>()
  const started: CronRunOrder[] = []
  const make = (): Run => {
    const run: Run = {
      state: { state: 'running', code: null, ended: null, output: '' },
      end(change) {
        if (run.state.state !== 'ended') Object.assign(run.state, { state: 'ended' }, change)
      },
    }
    return run
  }
  return {
    started,
    finish: (runId, { code, output = '' }) => runs.get(runId)?.end({ code, output }),
    restart: () => runs.clear(),
    async start(order) {
      if (runs.has(order.runId)) return
      const state = stateOf(order.username)
      if (state === null) throw notFound(`There is no account "${order.username}" on this host.`)
      if (state === 'suspended') throw conflict(`Account ${order.username} is suspended.`)
      started.push(order)
      const run = make()
      runs.set(order.runId, run)
      const { program } = order
      if (program.kind === 'source') {
        const isThere = program.url?.includes('missing') !== true
        if (isThere) fetched(order)
        run.end({ code: isThere ? 0 : 128, output: isThere ? 'fetched' : 'not found' })
        return
      }
      const [verb, output = '', code = '0'] =
        program.kind === 'command' ? program.argv : program.line.split(' ')
      if (verb === 'write') run.end({ code: Number(code), output })
      else setTimeout(() => run.end({ ended: 'timeout' }), order.timeLimitSecs * 1000).unref()
    },
    async wait({ runId }) {
      const run = runs.get(runId)
      if (run === undefined) return { state: 'unknown', code: null, ended: null, output: '' }
      if (run.state.state === 'running') await new Promise((go) => setTimeout(go, WAIT_MS))
      return { ...run.state }
    },
    async stop({ runId }) {
      runs.get(runId)?.end({ ended: 'stopped' })
    },
  }
}
