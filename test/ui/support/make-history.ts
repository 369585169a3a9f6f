import { NO_VALUES } from '#handlers/services/host/average-values.ts'
import type { MetricStore } from '#handlers/ports/store/metrics.ts'
import type { WebServerCounters } from '#handlers/ports/host/web-server.ts'

const wave = (minute: number, length: number): number => 0.5 + 0.5 * Math.sin(minute / length)

/** A day of a host with some traffic, and ten minutes of it, half an hour ago, in which nobody measured. */
export const makeHistory = async (store: MetricStore, nowMs: number): Promise<void> => {
  const now = Math.floor(nowMs / 60_000)
  const weekAgo = Math.floor(now / 10 - 1008) * 600
  await store.putMetric(600, { ...NO_VALUES, at_secs: weekAgo, disk_used_mb: 8874 })
  for (let minute = now - 1440; minute < now; minute += 1) {
    if (minute > now - 40 && minute < now - 30) continue
    const requests = 180 + 900 * wave(minute, 4) * wave(minute, 37)
    const lookups = requests * 0.8
    await store.putMetric(60, {
      at_secs: minute * 60,
      cpu_percent: 8 + 55 * wave(minute, 5) * wave(minute, 23),
      memory_used_mb: 1200 + 700 * wave(minute, 90),
      memory_total_mb: 4096,
      disk_used_mb: 9000,
      load_1: 0.2 + 1.6 * wave(minute, 5),
      load_5: 0.3 + 1.1 * wave(minute, 9),
      load_15: 0.5 + 0.6 * wave(minute, 20),
      requests_per_sec: requests,
      hits_per_sec: lookups * (0.86 + 0.1 * wave(minute, 7)),
      lookups_per_sec: lookups,
    })
  }
}

/** What the counters say after ten more seconds of that traffic, of which no two are alike. */
export const busier = (counted: WebServerCounters): Partial<WebServerCounters> => ({
  requests: counted.requests + 4000 + (counted.requests % 977),
  hits: counted.hits + 2700,
  misses: counted.misses + 300,
})
