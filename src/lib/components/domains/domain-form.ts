import type { Domain } from '$lib/api/types'
import { linesOf } from '$lib/format/lines'
import { changedValues } from '$lib/state/forms/changed-values'

export const OF_ACCOUNT = 'account'

/** A domain's settings as one types them: the time as a number or '' for the server's, one path a line. */
export const domainForm = (domain: Domain | null) => ({
  document_root: domain?.document_root ?? '',
  /** A version, or `OF_ACCOUNT`. */
  php_version: domain?.php_version ?? OF_ACCOUNT,
  redirect_https: domain?.redirect_https ?? false,
  hsts: domain?.hsts ?? false,
  default_host: domain?.default_host ?? false,
  cache_enabled: domain?.cache_enabled ?? false,
  cache_ttl: String(domain?.cache_ttl ?? ''),
  cache_exclude: domain?.cache_exclude.join('\n') ?? '',
})

/** Whether it can be sent: a whole number, or nothing. */
export const isTtl = (text: string): boolean => /^\d*$/.test(text.trim())

/** The same as the API takes it. */
export const ttlOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** What the form changes, as `PATCH /api/domains/:id` takes it; nothing else is sent. */
export const changedSettings = (
  domain: Domain,
  form: ReturnType<typeof domainForm>,
): Partial<Domain> =>
  changedValues(domain, {
    ...form,
    document_root: form.document_root.trim(),
    php_version: form.php_version === OF_ACCOUNT ? null : form.php_version,
    cache_ttl: ttlOf(form.cache_ttl),
    cache_exclude: linesOf(form.cache_exclude),
  })
