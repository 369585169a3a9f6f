import type { Selectable } from 'kysely'
import type { AccountRow, DomainRow, OperationRow } from '#handlers/ports/store/records.ts'
import type { Tables } from './schema.ts'

/** `com.example.` for `example.com`; what lies below a name begins with it. */
export const reversedName = (name: string): string => `${name.split('.').reverse().join('.')}.`

const parseNames = (text: string | null): string[] | null =>
  text === null ? null : (JSON.parse(text) as string[])

type CacheRules = Pick<
  DomainRow,
  | 'cache_bypass_cookies'
  | 'cache_ignore_params'
  | 'cache_mobile_variant'
  | 'cache_harmless_cookies'
  | 'cache_session_cookies'
>

/** Column values of those rules that are given. */
export const fromCacheRules = (rules: Partial<CacheRules>) => {
  const { cache_bypass_cookies, cache_ignore_params, cache_mobile_variant } = rules
  const { cache_harmless_cookies, cache_session_cookies } = rules
  const names = (list: string[] | null): string | null => list && JSON.stringify(list)
  return {
    ...(cache_bypass_cookies === undefined
      ? {}
      : { cache_bypass_cookies: names(cache_bypass_cookies) }),
    ...(cache_ignore_params === undefined
      ? {}
      : { cache_ignore_params: names(cache_ignore_params) }),
    ...(cache_harmless_cookies === undefined
      ? {}
      : { cache_harmless_cookies: JSON.stringify(cache_harmless_cookies) }),
    ...(cache_session_cookies === undefined
      ? {}
      : { cache_session_cookies: JSON.stringify(cache_session_cookies) }),
    ...(cache_mobile_variant === undefined
      ? {}
      : {
          cache_mobile_variant: cache_mobile_variant === null ? null : Number(cache_mobile_variant),
        }),
  }
}

/** Almost always empty. */
const toList = (text: string): string[] => (text === '[]' ? [] : (JSON.parse(text) as string[]))

/** Written out field by field: lists have ten thousand of these. */
export const toDomain = (row: Selectable<Tables['domains']>): DomainRow => ({
  id: row.id,
  account_id: row.account_id,
  domain_name: row.domain_name,
  domain_type: row.domain_type,
  document_root: row.document_root,
  ssl_status: row.ssl_status,
  ssl_expires_at: row.ssl_expires_at,
  redirect_https: row.redirect_https === 1,
  hsts: row.hsts === 1,
  default_host: row.default_host === 1,
  php_version: row.php_version,
  cache_enabled: row.cache_enabled === 1,
  cache_ttl: row.cache_ttl,
  cache_exclude: toList(row.cache_exclude),
  cache_bypass_cookies: parseNames(row.cache_bypass_cookies),
  cache_ignore_params: parseNames(row.cache_ignore_params),
  cache_mobile_variant: row.cache_mobile_variant === null ? null : row.cache_mobile_variant === 1,
  cache_harmless_cookies: toList(row.cache_harmless_cookies),
  cache_session_cookies: toList(row.cache_session_cookies),
  cache_application: row.cache_application,
  cache_fills: row.cache_fills,
  application_id: row.application_id,
  application_paths: parseNames(row.application_paths),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Column values of a domain that is inserted; `account_id` comes from elsewhere. */
export const fromDomain = (row: Omit<DomainRow, 'id' | 'account_id'>) => ({
  domain_name: row.domain_name,
  reversed_name: reversedName(row.domain_name),
  domain_type: row.domain_type,
  document_root: row.document_root,
  ssl_status: row.ssl_status,
  ssl_expires_at: row.ssl_expires_at,
  redirect_https: row.redirect_https ? 1 : 0,
  hsts: row.hsts ? 1 : 0,
  default_host: row.default_host ? 1 : 0,
  php_version: row.php_version,
  cache_enabled: row.cache_enabled ? 1 : 0,
  cache_ttl: row.cache_ttl,
  cache_exclude: JSON.stringify(row.cache_exclude),
  ...fromCacheRules(row),
  cache_application: row.cache_application,
  cache_fills: row.cache_fills,
  application_id: row.application_id,
  application_paths: row.application_paths && JSON.stringify(row.application_paths),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Column values of an account, in the order of the table. */
export const fromAccount = (row: Omit<AccountRow, 'id'>) => ({
  username: row.username,
  primary_domain: row.primary_domain,
  email: row.email,
  plan: row.plan,
  status: row.status,
  suspend_reason: row.suspend_reason,
  disk_quota_mb: row.disk_quota_mb,
  bandwidth_quota_mb: row.bandwidth_quota_mb,
  disk_used_mb: row.disk_used_mb,
  bandwidth_used_bytes: row.bandwidth_used_bytes,
  bandwidth_month: row.bandwidth_month,
  bandwidth_state: row.bandwidth_state,
  password_hash: row.password_hash,
  uid: row.uid,
  home: row.home,
  php_version: row.php_version,
  php_mode: row.php_mode,
  not_before_secs: row.not_before_secs,
  reseller_id: row.reseller_id,
  suspended_with_reseller: row.suspended_with_reseller,
  host_id: row.host_id,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const toOperation = (row: Selectable<Tables['operations']>): OperationRow => ({
  ...row,
  steps: JSON.parse(row.steps) as string[],
  data: JSON.parse(row.data) as Record<string, unknown>,
})

export const fromOperation = (row: OperationRow) => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  state: row.state,
  steps: JSON.stringify(row.steps),
  data: JSON.stringify(row.data),
  created_at: row.created_at,
})
