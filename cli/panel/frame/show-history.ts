import { z } from 'zod'
import { printTable } from '../../terminal/print-table.ts'

const values = z.array(z.number().nullable())
const historySchema = z.object({
  times: z.array(z.number()),
  series: z.object({
    cpu_percent: values,
    memory_percent: values,
    load_1: values,
    requests_per_sec: values,
    cache_hit_percent: values,
  }),
})
/** So that a screen holds them. */
const ROWS = 30

const shown = (value: number | null | undefined): string | null => value?.toFixed(1) ?? null

/** Prints the course of the host: at most 30 moments, evenly spread. */
export const showHistory = (data: unknown): void => {
  const { times, series } = historySchema.parse(data)
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
