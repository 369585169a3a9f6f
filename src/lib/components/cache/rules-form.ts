import type { CacheRules } from '$lib/api/types'
import { linesOf } from './lines'

/** The rules as one types them. */
export interface RulesForm {
  enabled: boolean
  /** Seconds; '' is the server's. */
  ttl: string
  /** Lists: one entry a line. */
  exclude: string
  ownParams: boolean
  params: string
  ownCookies: boolean
  cookies: string
  harmless: string
  session: string
  mobile: 'server' | 'on' | 'off'
  fills: CacheRules['fills']
}

export const rulesForm = (rules: CacheRules): RulesForm => ({
  enabled: rules.enabled,
  ttl: rules.ttl === null ? '' : String(rules.ttl),
  exclude: rules.exclude.join('\n'),
  ownParams: rules.ignore_params !== null,
  params: (rules.ignore_params ?? []).join('\n'),
  ownCookies: rules.bypass_cookies !== null,
  cookies: (rules.bypass_cookies ?? []).join('\n'),
  harmless: rules.harmless_cookies.join('\n'),
  session: rules.session_cookies.join('\n'),
  fills: rules.fills,
  mobile: rules.mobile_variant === null ? 'server' : rules.mobile_variant ? 'on' : 'off',
})

/** What the form changes, as `PATCH /api/cache/:domain` takes it; nothing else is sent. */
export const changedRules = (rules: CacheRules, form: RulesForm): Partial<CacheRules> => {
  const ttl = form.ttl.trim()
  const wanted: Omit<CacheRules, 'application'> = {
    enabled: form.enabled,
    ttl: ttl === '' ? null : Number(ttl),
    exclude: linesOf(form.exclude),
    ignore_params: form.ownParams ? linesOf(form.params) : null,
    bypass_cookies: form.ownCookies ? linesOf(form.cookies) : null,
    harmless_cookies: linesOf(form.harmless),
    session_cookies: linesOf(form.session),
    fills: form.fills,
    mobile_variant: form.mobile === 'server' ? null : form.mobile === 'on',
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(rules[name as keyof CacheRules]),
    ),
  )
}
