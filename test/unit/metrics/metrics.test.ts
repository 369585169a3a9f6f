import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { describe, expect, it } from 'vitest'
import type { MetricRow, MetricStep } from '#handlers/ports/store/metrics.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { createHistory } from '#handlers/services/host/history.ts'
import { createMetrics } from '#handlers/services/host/metrics.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** Noon; a multiple of every period. */
const START = 1_800_000_000 - (1_800_000_000 % 600)

const subject = () => {
  const rows = new Map<string, MetricRow & { step: MetricStep }>()
  const rolled: [number, number][] = []
  let storeFails = false
  const store = {
    async putMetric(step: MetricStep, row: MetricRow) {
      if (storeFails) throw new Error('the disk is full')
      const key = `${step}/${row.at_secs}`
      if (!rows.has(key)) rows.set(key, { ...row, step })
    },
    metrics: async (step: MetricStep, from: number, until: number) =>
      [...rows.values()].filter(
        (row) => row.step === step && row.at_secs >= from && row.at_secs < until,
      ),
    async rollMetrics(from: number, until: number) {
      rolled.push([from, until])
    },
    pruneMetrics: async () => undefined,
  } as unknown as Store
  const host = createFakeHost()
  const log = createRecordingLog()
  let secs = START
  const deps = { store, host: aloneHost(host.ports), log, clock: { nowMs: () => secs * 1000 } }
  const start = () => {
    const metrics = createMetrics(deps)
    return { metrics, history: createHistory({ ...deps, metrics }) }
  }
  return {
    host,
    log,
    rows,
    rolled,
    start,
    setTime: (at: number) => (secs = at),
    breakStore: (broken: boolean) => (storeFails = broken),
  }
}

describe('samples of the host', () => {
  it('become rates, and gaps where the web server began anew', async () => {
    const { host, start, setTime } = subject()
    const { metrics, history } = start()
    const readings = [
      { run: 'a', requests: 1000, hits: 10, misses: 10 },
      { run: 'a', requests: 1100, hits: 40, misses: 20 },
      { run: 'b', requests: 7, hits: 0, misses: 0 },
      null,
      { run: 'b', requests: 900, hits: 0, misses: 0 },
      { run: 'b', requests: 910, hits: 0, misses: 0 },
    ]
    for (const [index, counted] of readings.entries()) {
      setTime(START + index * 10)
      host.webServer.counted = counted
      await metrics.sample()
    }
    const { times, series, step_secs } = await history.read('15m')
    expect(step_secs).toBe(10)
    expect(times).toHaveLength(90)
    expect(times.slice(-6)).toEqual(readings.map((_, index) => START + index * 10))
    expect(series.requests_per_sec.slice(-7)).toEqual([null, null, 10, null, null, null, 1])
    expect(series.cache_hit_percent.slice(-7)).toEqual([null, null, 75, null, null, null, null])
    expect(series.cpu_percent.slice(-7)).toEqual([null, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5])
  })

  it('leave a gap while the host is away, told once in the log', async () => {
    const { host, log, start, setTime } = subject()
    const { metrics, history } = start()
    await metrics.sample()
    host.inject({ method: 'system.info', when: 'before', error: new Error('away'), times: 2 })
    for (const at of [10, 20, 30]) {
      setTime(START + at)
      await metrics.sample()
    }
    const { series } = await history.read('15m')
    expect(series.cpu_percent.slice(-4)).toEqual([12.5, null, null, 12.5])
    expect(log.lines).toHaveLength(1)
  })

  it('stay on their times though timers are late, and show times nobody measured as gaps', async () => {
    const { start, setTime } = subject()
    const { metrics, history } = start()
    for (const at of [0, 10.4, 19.8, 50.1]) {
      setTime(START + at)
      await metrics.sample()
    }
    const { series, times } = await history.read('15m')
    expect(times.at(-1)).toBe(START + 50)
    expect(series.cpu_percent.slice(-6)).toEqual([12.5, 12.5, 12.5, null, null, 12.5])
  })

  it('are stored by the minute; a restart shows them where single samples are gone', async () => {
    const { rows, start, setTime } = subject()
    const { metrics } = start()
    for (let at = 0; at <= 90; at += 10) {
      setTime(START + at)
      await metrics.sample()
    }
    expect([...rows.keys()]).toEqual([`60/${START}`])
    await metrics.flush()
    expect([...rows.keys()]).toEqual([`60/${START}`, `60/${START + 60}`])

    setTime(START + 200)
    const again = start()
    await again.metrics.sample()
    const { times, series } = await again.history.read('1h')
    const value = (at: number) => series.cpu_percent[times.indexOf(START + at)]
    expect([0, 50, 60, 110].map(value)).toEqual([12.5, 12.5, 12.5, 12.5])
    expect([120, 190].map(value)).toEqual([null, null])
    expect(value(200)).toBe(12.5)
    const day = await again.history.read('24h')
    expect(day.series.cpu_percent[day.times.indexOf(START + 60)]).toBe(12.5)
  })

  it('are rolled up once in ten minutes, after a start for the whole day', async () => {
    const { rolled, start, setTime } = subject()
    const { metrics } = start()
    for (const at of [590, 600, 610, 1200]) {
      setTime(START + at)
      await metrics.sample()
    }
    expect(rolled).toEqual([
      [START - 86_400, START],
      [START - 3000, START + 600],
      [START - 2400, START + 1200],
    ])
  })

  it('go on when the store fails, and when the clock is set back', async () => {
    const { start, setTime, breakStore, log } = subject()
    const { metrics } = start()
    breakStore(true)
    for (const at of [0, 60, 120]) {
      setTime(START + at)
      await metrics.sample()
    }
    expect(log.lines).toHaveLength(1)
    setTime(START - 600)
    await metrics.sample()
    expect(metrics.samples().map(({ at_secs }) => at_secs)).toEqual([START - 600])
  })

  it('are no more than an hour, whatever the time', async () => {
    const { start, setTime } = subject()
    const { metrics } = start()
    for (let at = 0; at <= 7200; at += 10) {
      setTime(START + at)
      await metrics.sample()
    }
    expect(metrics.samples()).toHaveLength(361)
  })

  it('answer what came since, each time once', async () => {
    const { start, setTime } = subject()
    const { metrics, history } = start()
    await metrics.sample()
    const first = await history.read('15m')
    expect((await history.read('15m', first.to)).times).toEqual([])
    setTime(START + 10)
    expect((await history.read('15m', first.to)).times).toEqual([])
    await metrics.sample()
    const next = await history.read('15m', first.to)
    expect([next.times, next.series.cpu_percent]).toEqual([[START + 10], [12.5]])
    expect((await history.read('15m', 1)).times).toHaveLength(90)
  })

  it('are taken for a reader where nobody takes them', async () => {
    const { start, setTime, host } = subject()
    const { history } = start()
    await history.read('15m')
    await history.read('15m')
    expect(host.calls.filter((call) => call === 'system.info')).toHaveLength(1)
    setTime(START + 30)
    await history.read('15m')
    expect(host.calls.filter((call) => call === 'system.info')).toHaveLength(2)
  })
})
