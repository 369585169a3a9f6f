import { trimEndOf } from '../../../edge-cache/index.ts'
import { isFor } from '../../domain/site-settings/redirect-rules.ts'
import { encodePath } from '../paths/request-path.ts'
import type { GuardedRequest } from './guard-types.ts'

type Asked = Pick<GuardedRequest, 'vhost' | 'guard' | 'host' | 'port' | 'secure' | 'path' | 'query'>

const originOf = ({ port, secure }: Asked, host: string): string =>
  `${secure ? 'https' : 'http'}://${host}${port === null ? '' : `:${port}`}`

const whole = ({ path, query }: Asked): string =>
  `${encodePath(path)}${query === null ? '' : `?${query}`}`

/** Where the name of the request leads; null: it stays. Only names of the site itself are led to. */
export const wwwLocation = (asked: Asked): string | null => {
  const { vhost, guard, host } = asked
  if (guard.www === 'both') return null
  const isWww = host.startsWith('www.')
  if (isWww === (guard.www === 'with')) return null
  const other = isWww ? host.slice(4) : `www.${host}`
  if (other !== vhost.domain && !vhost.aliases.includes(other)) return null
  return `${originOf(asked, other)}${whole(asked)}`
}

const joined = (to: string, rest: string): string => {
  if (rest === '') return to
  const end = to.search(/[?#]/)
  const base = end === -1 ? to : to.slice(0, end)
  const tail = end === -1 ? '' : to.slice(end)
  return `${trimEndOf(base, '/')}/${rest.replace(/^\/+/, '')}${tail}`
}

/** The first rule for the path, and where it leads; a rule that leads to the request itself is none. */
export const findSiteRedirect = (asked: Asked): { status: number; location: string } | null => {
  const { guard, path, query, host } = asked
  for (const rule of guard.redirects) {
    if (!isFor(rule, path)) continue
    const rest = rule.match === 'prefix' ? encodePath(path.slice(rule.from.length)) : ''
    const target = joined(rule.to, rest)
    const [bare = target, fragment] = target.split('#', 2)
    const asks = query === null || bare.includes('?') ? bare : `${bare}?${query}`
    const location = fragment === undefined ? asks : `${asks}#${fragment}`
    const own = `${originOf(asked, host)}${whole(asked)}`
    if (location !== own && location !== whole(asked)) return { status: rule.status, location }
  }
  return null
}
