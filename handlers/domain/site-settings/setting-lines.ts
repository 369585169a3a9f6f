import type {
  RateLimit,
  SiteFolder,
  SiteHeader,
  SiteRedirect,
} from '../../ports/host/site-settings.ts'

const STATUSES: readonly number[] = [301, 302, 307, 308]

/** A redirect as one types it; `/*` at the end means all below. */
export const redirectLine = ({ from, match, to, status }: SiteRedirect): string =>
  `${status} ${match === 'prefix' ? `${from === '/' ? '' : from.replace(/\/$/, '')}/*` : from} ${to}`

/** Null for a line that is none; without a status it is for good. */
export const redirectOf = (line: string): SiteRedirect | null => {
  const words = line.trim().split(/\s+/)
  const status = /^\d+$/.test(words[0] ?? '') ? Number(words.shift()) : 301
  const [from = '', to = '', ...more] = words
  if (!STATUSES.includes(status) || !from.startsWith('/') || to === '' || more.length > 0)
    return null
  const isPrefix = from.endsWith('/*')
  return {
    from: isPrefix ? from.slice(0, -2) || '/' : from,
    match: isPrefix ? 'prefix' : 'exact',
    to,
    status: status as SiteRedirect['status'],
  }
}

/** A header as one types it. */
export const headerLine = ({ name, value }: SiteHeader): string => `${name}: ${value}`

/** Null for a line that is none. */
export const headerOf = (line: string): SiteHeader | null => {
  const colon = line.indexOf(':')
  const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
  return colon < 1 || value === '' ? null : { name, value }
}

/** Null for a line that names no status and path. */
export const errorPageOf = (line: string): [status: string, path: string] | null => {
  const [status = '', path = '', ...more] = line.trim().split(/\s+/)
  return /^[45]\d\d$/.test(status) && path.startsWith('/') && more.length === 0
    ? [status, path]
    : null
}

/** A limit of requests as one types it: path, requests / seconds. */
export const rateLimitLine = ({ path, requests, per_secs, burst, count_hits }: RateLimit): string =>
  `${path} ${requests}/${per_secs}${burst === requests ? '' : ` burst ${burst}`}${count_hits ? '' : ' nohits'}`

const LIMIT = /^(\/\S*)\s+(\d{1,7})\/(\d{1,5})(?:\s+burst\s+(\d{1,7}))?(\s+nohits)?$/

/** Null for a line that is none; as many at once as in the whole time unless it says otherwise. */
export const rateLimitOf = (line: string): RateLimit | null => {
  const words = LIMIT.exec(line.trim())
  if (words === null) return null
  const [, path = '', requests, seconds, burst = requests, nohits] = words
  return {
    path,
    requests: Number(requests),
    per_secs: Number(seconds),
    burst: Number(burst),
    count_hits: nohits === undefined,
  }
}

/** A folder of the home as one types it: path, then the folder. */
export const folderLine = ({ path, folder }: SiteFolder): string => `${path} ${folder}`

/** Null for a line that is none; the folder may hold blanks, the path does not. */
export const folderOf = (line: string): SiteFolder | null => {
  const [, path, folder] = /^(\/\S*)\s+(\S.*)$/.exec(line.trim()) ?? []
  return path === undefined || folder === undefined ? null : { path, folder }
}
