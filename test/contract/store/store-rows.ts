import type { AccountRow, DomainRow, OperationRow } from '#handlers/ports/store/records.ts'

/** When rows were made. */
export const NOW = '2026-11-01 12:00:00'
/** Of a licence. */
export const UNLIMITED = { accounts: -1, domains: -1 }
let serial = 0

/** An open operation with an id of its own. */
export const operation = (subject: string, change: Partial<OperationRow> = {}): OperationRow => ({
  id: `operation-${(serial += 1)}`,
  kind: 'test',
  subject,
  state: 'open',
  steps: [],
  data: { note: 'x' },
  created_at: NOW,
  ...change,
})

/** An account that is being made. */
export const account = (
  username: string,
  change: Partial<AccountRow> = {},
): Omit<AccountRow, 'id'> => ({
  username,
  primary_domain: `${username}.example`,
  email: `${username}@mail.example`,
  plan: 'free',
  status: 'creating',
  suspend_reason: null,
  disk_quota_mb: 500,
  bandwidth_quota_mb: 10_000,
  disk_used_mb: 0,
  bandwidth_used_bytes: 0,
  bandwidth_month: '',
  bandwidth_state: 'open',
  password_hash: 'hash',
  uid: null,
  home: null,
  php_version: null,
  php_mode: 'fpm',
  not_before_secs: 0,
  reseller_id: null,
  suspended_with_reseller: 0,
  host_id: 0,
  created_at: NOW,
  updated_at: NOW,
  ...change,
})

/** A primary domain whose cache has rules of its own. */
export const domain = (name: string): Omit<DomainRow, 'id' | 'account_id'> => ({
  domain_name: name,
  domain_type: 'primary',
  document_root: '/home/x/web',
  ssl_status: 'none',
  ssl_expires_at: null,
  redirect_https: false,
  hsts: false,
  default_host: false,
  php_version: null,
  cache_enabled: true,
  cache_ttl: null,
  cache_exclude: ['/a', "/it's*"],
  cache_bypass_cookies: null,
  cache_ignore_params: ['utm_*'],
  cache_mobile_variant: null,
  cache_harmless_cookies: ['theme'],
  cache_session_cookies: [],
  cache_application: null,
  cache_fills: 'auto',
  application_id: null,
  application_paths: null,
  created_at: NOW,
  updated_at: NOW,
})
