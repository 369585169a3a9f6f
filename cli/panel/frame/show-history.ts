import type { z } from 'zod'
import type { hostHistorySchema } from '#handlers/panel/host/schema.ts'
import { printTable } from '../../terminal/print-table.ts'
import { known } from './known.ts'

/** So that a screen holds them. */
const ROWS = 30

const shown = (value: number | null | undefined): string | null => value?.toFixed(1) ?? null

/** Prints the course of the host: at most 30 moments, evenly spread. */
export const showHistory = (data: unknown): void => {
  const { times, series } = known<z.output<typeof hostHistorySchema>>(data, 'times', 'series')
  const step = Math.max(1, Math.ceil(times.length / ROWS))
  const rows = times.map((time, at) => ({ time, at })).filter(({ at }) => at % step === 0)
  printTable(
    rows,
    [
      {
        title: 'TIME (UTC)',
        value: ({ time }) => new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' '),
      },
      { title: 'CPU %', value: ({ at }) => shown(series.cpu_percent[at]), right: true },
      { title: 'MEMORY %', value: ({ at }) => shown(series.memory_percent[at]), right: true },
      { title: 'LOAD', value: ({ at }) => shown(series.load_1[at]), right: true },
      { title: 'REQUESTS/S', value: ({ at }) => shown(series.requests_per_sec[at]), right: true },
      { title: 'CACHE HIT %', value: ({ at }) => shown(series.cache_hit_percent[at]), right: true },
    ],
    'Nothing was measured yet.',
  )
}
