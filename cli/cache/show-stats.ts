import { z } from 'zod'
import { formatBytes, formatShare } from '../terminal/format.ts'
import { printTable } from '../terminal/print-table.ts'

const counters = z.object({
  hits: z.number(),
  stale_hits: z.number(),
  misses: z.number(),
  hit_ratio: z.number(),
  /** How many for which reason. */
  bypasses: z.record(z.string(), z.number()),
  stores: z.number(),
  bytes_served: z.number(),
})
const layer = z.object({
  entries: z.number(),
  bytes: z.number(),
  limit_bytes: z.number().nullable(),
  evictions: z.number(),
})
const statsSchema = counters.extend({
  purges: z.number(),
  l1: layer.nullable(),
  l2: layer.nullable(),
  l2_state: z.string(),
  l2_fault: z.string().nullable(),
  virtual_hosts: z.record(z.string(), counters),
  warm: z
    .object({
      queue_size: z.number(),
      running: z.number(),
      done: z.number(),
      failed: z.number(),
      skipped: z.number(),
    })
    .optional(),
})
type Layer = z.infer<typeof layer>

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0)

/** Prints the response of `GET /api/v1/cache/stats`: a table of sites, one of layers, and the warm queue. */
export const showCacheStats = (data: unknown): void => {
  const stats = statsSchema.parse(data)
  const sites = Object.entries(stats.virtual_hosts).sort(([a], [b]) => a.localeCompare(b))
  printTable(
    [...sites, ['all sites', stats] as const],
    [
      { title: 'DOMAIN', value: ([domain]) => domain },
      { title: 'HITS', value: ([, one]) => one.hits, right: true },
      { title: 'STALE', value: ([, one]) => one.stale_hits, right: true },
      { title: 'MISSES', value: ([, one]) => one.misses, right: true },
      { title: 'HIT RATE', value: ([, one]) => formatShare(one.hit_ratio), right: true },
      { title: 'BYPASSED', value: ([, one]) => sum(one.bypasses), right: true },
      { title: 'STORED', value: ([, one]) => one.stores, right: true },
      { title: 'SERVED', value: ([, one]) => formatBytes(one.bytes_served), right: true },
    ],
    '',
  )
  const layers = [
    ['L1 memory', stats.l1, stats.l1 === null ? 'off' : 'on'],
    ['L2', stats.l2, stats.l2_state],
  ] as const
  console.log('')
  printTable<readonly [string, Layer | null, string]>(
    layers,
    [
      { title: 'LAYER', value: ([name]) => name },
      { title: 'STATE', value: ([, , state]) => state },
      { title: 'ENTRIES', value: ([, one]) => one?.entries, right: true },
      { title: 'SIZE', value: ([, one]) => one && formatBytes(one.bytes), right: true },
      { title: 'LIMIT', value: ([, one]) => one && formatBytes(one.limit_bytes), right: true },
      { title: 'EVICTED', value: ([, one]) => one?.evictions, right: true },
    ],
    '',
  )
  if (stats.l2_fault !== null) console.log(`L2 is off: ${stats.l2_fault}`)
  const reasons = Object.entries(stats.bypasses).filter(([, times]) => times > 0)
  if (reasons.length > 0)
    console.log(
      `\nbypassed for: ${reasons
        .sort(([, a], [, b]) => b - a)
        .map(([reason, times]) => `${reason} ${times}`)
        .join(', ')}`,
    )
  console.log(`\npurges  ${stats.purges}`)
  if (stats.warm === undefined) return
  const { queue_size: waiting, running, done, failed, skipped } = stats.warm
  console.log(
    `warm    ${waiting} waiting, ${running} running, ${done} done, ${skipped} skipped, ${failed} failed`,
  )
}
