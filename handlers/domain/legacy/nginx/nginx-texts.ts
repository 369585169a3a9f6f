import { lookup } from 'mrmime'
import { TEXT_SCHEME } from '../../config/site/site-texts.ts'
import type { SiteText } from '../../config/virtual-host-config.ts'
import type { LegacySite } from '../types.ts'
import type { Location } from './nginx-locations.ts'
import { nearest, own, type Scope } from './nginx-scope.ts'

/** A text of `return`, which may hold no variables; null: it does. */
export const nginxText = (text: string): string | null => (/\$\w|\$\{/.test(text) ? null : text)

/** Names of a site's texts by what they say. */
const namesOf = new WeakMap<LegacySite['texts'], Map<string, string>>()

/** The target of a rule that answers with a text, which joins the site's. */
export const nameText = ({ texts }: LegacySite, text: SiteText): string => {
  const known = namesOf.get(texts) ?? new Map<string, string>()
  namesOf.set(texts, known)
  const whole = JSON.stringify(text)
  const name = known.get(whole) ?? `text-${known.size + 1}`
  known.set(whole, name)
  texts[name] = text
  return `${TEXT_SCHEME}${name}`
}

/** The `Content-Type` that texts of a block have: by the ending of its path, else as `default_type` says. */
export const textTypeOf = (
  scope: Scope,
  location: Pick<Location, 'kind' | 'text'> | null,
): string => {
  const header = own(scope, 'add_header').find(({ args }) => /^content-type$/i.test(args[0] ?? ''))
  const given = header?.args[1] ?? ''
  if (given !== '' && !given.includes('$')) return given
  const usual = nearest(scope, 'default_type')?.args[0] || 'text/plain'
  const ending = location?.kind === 'exact' ? /\.\w{1,10}$/.exec(location.text) : null
  return (ending && lookup(ending[0])) || usual
}
