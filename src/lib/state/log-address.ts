import type { LogSource } from '$lib/api/types'
import type { AppPath } from './app-path'

export const LOG_RANGES = ['15m', '1h', '24h', '7d', 'custom'] as const
export type LogRange = (typeof LOG_RANGES)[number]

/** Which lines the Logs screen shows, as it stands in the address; '' is no restriction. */
export interface LogAddress {
  source: LogSource['source']
  /** Name of the machine whose log it is; '' is that of the domain, or of the panel. */
  host: string
  domain: string
  q: string
  level: string
  status: string
  range: string
  /** `YYYY-MM-DDTHH:MM` in UTC, only with the range `custom`. */
  from: string
  to: string
}

const FIELDS = ['host', 'domain', 'q', 'level', 'status', 'range', 'from', 'to'] as const
const MINUTES: Readonly<Record<string, number>> = { '15m': 15, '1h': 60, '24h': 1440, '7d': 10_080 }

export const readLogAddress = (search: URLSearchParams): LogAddress => {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, search.get(name) ?? '']))
  return {
    ...(fields as Omit<LogAddress, 'source'>),
    source: (search.get('source') ?? 'access') as LogAddress['source'],
  }
}

/** The page's address with these filters. */
export const logsPath = (address: LogAddress, view: { live: boolean; wrap: boolean }): AppPath => {
  const query = new URLSearchParams({ source: address.source })
  for (const name of FIELDS) {
    const isSpare = (name === 'from' || name === 'to') && address.range !== 'custom'
    if (address[name] !== '' && !isSpare) query.set(name, address[name])
  }
  if (view.live) query.set('live', '1')
  if (view.wrap) query.set('wrap', '1')
  return `/logs?${query}`
}

const apiMoment = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
const typedMoment = (text: string): string => `${text.replace('T', ' ')}:00`
const TYPED = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** The same for the API, with times in place of a range. */
export const logApiQuery = (address: LogAddress, nowMs = Date.now()): URLSearchParams => {
  const query = new URLSearchParams()
  for (const name of ['host', 'domain', 'q', 'level', 'status'] as const) {
    if (address[name] !== '') query.set(name, address[name])
  }
  const minutes = MINUTES[address.range]
  if (minutes !== undefined) query.set('from', apiMoment(nowMs - minutes * 60_000))
  if (address.range === 'custom') {
    if (TYPED.test(address.from)) query.set('from', typedMoment(address.from))
    if (TYPED.test(address.to)) query.set('to', typedMoment(address.to))
  }
  return query
}

/** Whether any filter is set. */
export const isFiltered = (address: LogAddress): boolean =>
  FIELDS.some((name) => name !== 'host' && address[name] !== '')
