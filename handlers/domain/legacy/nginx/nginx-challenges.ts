import { resolvePath } from '../../config/paths.ts'
import type { Report } from '../report.ts'
import type { Location } from './nginx-locations.ts'
import { own } from './nginx-scope.ts'

const CHALLENGES = '/.well-known/acme-challenge'
const ACTIONS = ['return', 'rewrite', 'if', 'try_files']
const PASSES = ['proxy_pass', 'fastcgi_pass']

/**
 * Locations that are there for certificate authorities alone (RFC 8555, 8.3), as certbot has
 * them written: those requests Berth answers before everything else, redirects too, and what
 * it does not know itself is looked for below the root of the site. They are told in the report.
 */
export const isForAuthorities = (
  { kind, text, scope }: Location,
  root: string | null,
  report: Report,
): boolean => {
  if (kind === 'named' || kind === 'pattern') return false
  if (!/^\/\.well-known(?:\/|$)/.test(text) || own(scope, ...PASSES).length > 0) return false
  // One that says more than who may see it is about other paths too.
  if (!text.startsWith(CHALLENGES) && own(scope, ...ACTIONS).length > 0) return false
  if (!text.startsWith(CHALLENGES) && text.replace(/\/$/, '') !== '/.well-known') return false
  const other = own(scope, 'root', 'alias').at(-1)
  const place = resolvePath('/', other?.args[0] ?? root ?? '/')
  const below = other?.name === 'alias' ? place : resolvePath('/', `${place}${CHALLENGES}`)
  if (other !== undefined && below !== resolvePath('/', `${root ?? ''}${CHALLENGES}`))
    report.changed(
      other,
      'Berth gets certificates itself. A program that proves the name by files must write them below the root of the site.',
    )
  else report.unneeded(scope.at, 'Requests of certificate authorities are answered first.')
  return true
}
