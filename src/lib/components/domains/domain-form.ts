import type { Domain } from '$lib/api/types'

/** What a domain's settings look like in the form: all as one types it. */
export interface DomainForm {
  root: string
  /** A version, or `OF_ACCOUNT`. */
  php: string
  redirect: boolean
  hsts: boolean
  cache: boolean
  /** Seconds; '' is the server's. */
  ttl: string
  /** One path a line. */
  exclude: string
}

export const OF_ACCOUNT = 'account'

/** Names of the fields as the API gives them. */
export const DOMAIN_FIELDS = [
  'document_root',
  'php_version',
  'redirect_https',
  'hsts',
  'cache_enabled',
  'cache_ttl',
  'cache_exclude',
] as const

export const emptyDomainForm = (): DomainForm => ({
  root: '',
  php: OF_ACCOUNT,
  redirect: false,
  hsts: false,
  cache: false,
  ttl: '',
  exclude: '',
})

export const domainForm = (domain: Domain): DomainForm => ({
  root: domain.document_root,
  php: domain.php_version ?? OF_ACCOUNT,
  redirect: domain.redirect_https,
  hsts: domain.hsts,
  cache: domain.cache_enabled,
  ttl: domain.cache_ttl === null ? '' : String(domain.cache_ttl),
  exclude: domain.cache_exclude.join('\n'),
})

/** Whether it can be sent: a whole number, or nothing. */
export const isTtl = (text: string): boolean => /^\d*$/.test(text.trim())

const pathsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What the form changes, as `PATCH /api/domains/:id` takes it; nothing else is sent. */
export const changedSettings = (domain: Domain, form: DomainForm): Partial<Domain> => {
  const ttl = form.ttl.trim()
  const wanted = {
    document_root: form.root.trim(),
    php_version: form.php === OF_ACCOUNT ? null : form.php,
    redirect_https: form.redirect,
    hsts: form.hsts,
    cache_enabled: form.cache,
    cache_ttl: ttl === '' ? null : Number(ttl),
    cache_exclude: pathsOf(form.exclude),
  }
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(domain[name as keyof Domain]),
    ),
  )
}
