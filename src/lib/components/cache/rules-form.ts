import type { CacheRules } from '$lib/api/types'
import { linesOf } from '$lib/format/lines'
import { changedValues } from '$lib/state/forms/changed-values'
import { ttlOf } from '../domains/domain-form'

/** The rules as one types them: the time as a number or '' for the server's, of lists one entry a line. */
export const rulesForm = (rules: CacheRules) => ({
  enabled: rules.enabled,
  ttl: String(rules.ttl ?? ''),
  exclude: rules.exclude.join('\n'),
  ownParams: rules.ignore_params !== null,
  ignore_params: (rules.ignore_params ?? []).join('\n'),
  ownCookies: rules.bypass_cookies !== null,
  bypass_cookies: (rules.bypass_cookies ?? []).join('\n'),
  harmless_cookies: rules.harmless_cookies.join('\n'),
  session_cookies: rules.session_cookies.join('\n'),
  fills: rules.fills,
  mobile_variant:
    rules.mobile_variant === null ? 'server' : rules.mobile_variant ? ('on' as const) : 'off',
})

/** What the form changes, as `PATCH /api/cache/:domain` takes it; nothing else is sent. */
export const changedRules = (
  rules: CacheRules,
  form: ReturnType<typeof rulesForm>,
): Partial<CacheRules> =>
  changedValues(rules, {
    enabled: form.enabled,
    ttl: ttlOf(form.ttl),
    exclude: linesOf(form.exclude),
    ignore_params: form.ownParams ? linesOf(form.ignore_params) : null,
    bypass_cookies: form.ownCookies ? linesOf(form.bypass_cookies) : null,
    harmless_cookies: linesOf(form.harmless_cookies),
    session_cookies: linesOf(form.session_cookies),
    fills: form.fills,
    mobile_variant: form.mobile_variant === 'server' ? null : form.mobile_variant === 'on',
  })
