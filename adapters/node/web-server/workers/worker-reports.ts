import type { WorkerCache } from '../cache/worker-cache.ts'
import type { ConnectionGate } from '../connections/connection-gate.ts'
import type { CpuMeter } from '../cpu/cpu-meter.ts'
import type { FiguresMeter } from '../figures/figures-meter.ts'
import type { Http1Engine } from '../http1/http1-engine.ts'
import type { TrafficMeter } from '../traffic/traffic-meter.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import type { ProcessChannel } from './process-channel.ts'
import { createCounterReports } from './report-counters.ts'
import { reportTaken } from './report-taken.ts'

/** Tells the primary all that a worker counts, every few seconds and whenever `now` is called. */
export const createWorkerReports = (
  primary: ProcessChannel<ToPrimary, ToWorker>,
  counted: {
    engine: Pick<Http1Engine, 'counters'>
    gate: Pick<ConnectionGate, 'refused'>
    /** Null: the page cache is off. */
    cache: Pick<WorkerCache, 'pageCache' | 'takeObservations'> | null
    traffic: Pick<TrafficMeter, 'take'>
    cpu: Pick<CpuMeter, 'take'>
    figures: Pick<FiguresMeter, 'take'>
  },
): { now(): Promise<void> } => {
  const { engine, gate, cache, traffic, cpu, figures } = counted
  const reports = [
    createCounterReports(
      () => ({
        requests: engine.counters().requests,
        refused: gate.refused(),
        cache: cache?.pageCache.counters() ?? null,
      }),
      (counters) => primary.ask({ type: 'counters', counters }),
    ),
    reportTaken(
      () => traffic.take(),
      (bytes) => primary.ask({ type: 'traffic', bytes }),
    ),
    reportTaken(
      () => figures.take(),
      (parts) => primary.ask({ type: 'figures', parts }),
    ),
    reportTaken(
      () => cpu.take(),
      (times) => primary.ask({ type: 'cpu', times }),
    ),
    // As often as counters, so that one look at a site fits together.
    reportTaken(
      () => cache?.takeObservations() ?? {},
      (sites) => primary.ask({ type: 'observations', sites }),
    ),
  ]
  return {
    now: async () => {
      await Promise.all(reports.map((report) => report.now()))
    },
  }
}
