import { callApi } from '$lib/api/call-api'
import type { HistoryRange, HostHistory } from '$lib/api/types'
import { rememberRange } from './chart-range'

/** Often enough for samples every ten seconds. */
const FINE_MS = 5000
const COARSE_MS = 30_000

/** Puts what came since behind what is there, and drops what the range has left behind. */
const continued = (before: HostHistory, news: HostHistory): HostHistory => {
  if (before.range !== news.range) return news
  const next = news.times[0] ?? Infinity
  const kept = before.times.flatMap((time, index) =>
    time >= news.from && time < next ? [index] : [],
  )
  const times = kept.map((index) => before.times[index] ?? 0)
  const join = (name: keyof HostHistory['series']): (number | null)[] => [
    ...kept.map((index) => before.series[name][index] ?? null),
    ...news.series[name],
  ]
  return {
    ...news,
    times: [...times, ...news.times],
    series: {
      cpu_percent: join('cpu_percent'),
      memory_percent: join('memory_percent'),
      memory_used_bytes: join('memory_used_bytes'),
      load_1: join('load_1'),
      load_5: join('load_5'),
      load_15: join('load_15'),
      requests_per_sec: join('requests_per_sec'),
      cache_hit_percent: join('cache_hit_percent'),
    },
  }
}

/**
 * The course of the host, going on by itself while the page is looked at: asks
 * for what came since the last answer, and rests while the tab is hidden.
 */
export class LiveHistory {
  data = $state.raw<HostHistory | null>(null)
  /** Whether the last question was not answered. */
  stale = $state(false)
  #range: HistoryRange = $state('1h')
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking = 0
  #running = false
  #host: string | null

  /** @param host name of the machine whose course it is; null: that of the panel */
  constructor(range: HistoryRange, host: string | null = null) {
    this.#range = range
    this.#host = host
  }

  /** Follows another machine from now on. */
  follow(host: string | null): void {
    if (host === this.#host) return
    this.#host = host
    this.data = null
    void this.refresh()
  }

  get range(): HistoryRange {
    return this.#range
  }

  set range(range: HistoryRange) {
    this.#range = range
    rememberRange(range)
    void this.refresh()
  }

  /** Begins, until the returned function is called. */
  start(): () => void {
    this.#running = true
    const looked = () => void this.refresh()
    document.addEventListener('visibilitychange', looked)
    void this.refresh()
    return () => {
      this.#running = false
      document.removeEventListener('visibilitychange', looked)
      clearTimeout(this.#timer)
    }
  }

  /** Asks now, and then again in a while. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    if (!this.#running || document.hidden) return
    const asking = ++this.#asking
    const range = this.#range
    const known = this.data?.range === range ? this.data : null
    const since = known?.times.at(-1)
    const query =
      (since === undefined ? '' : `&since=${since}`) +
      (this.#host === null ? '' : `&host=${encodeURIComponent(this.#host)}`)
    const result = await callApi<HostHistory>('GET', `/api/system/history?range=${range}${query}`)
    // Another question, or none any more: whose response this is nobody waits for.
    if (asking !== this.#asking || !this.#running) return
    this.stale = !result.ok
    if (result.ok) this.data = known === null ? result.data : continued(known, result.data)
    const pauseMs = result.ok && result.data.step_secs > 10 ? COARSE_MS : FINE_MS
    this.#timer = setTimeout(() => void this.refresh(), pauseMs)
  }
}
