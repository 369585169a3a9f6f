import type { ListAddress, ListShape } from '$lib/state/lists/list-address'

/** The list of accounts. */
export const ACCOUNT_LIST: ListShape = {
  path: '/accounts',
  sorts: [
    'username',
    'primary_domain',
    'email',
    'disk_quota_mb',
    'status',
    'reseller_id',
    'disk_used_mb',
    'bandwidth_used_mb',
    'created_at',
  ],
  sort: 'username',
  order: 'asc',
  filters: ['status', 'plan', 'reseller', 'host'],
  columns: ['domain', 'email', 'plan', 'status', 'reseller', 'host', 'disk', 'traffic', 'created'],
}

/** The built-in plans as the form calls them, and how the API filters by them; others go by their names. */
const PLAN_FILTERS: Readonly<Record<string, Record<string, string>>> = {
  basic: { plan: 'free' },
  standard: { plan: 'pro' },
  premium: { plan: 'business', above_plan: 'false' },
  enterprise: { plan: 'business', above_plan: 'true' },
}

/** The API's filters for those of the address. */
export const accountFilters = ({
  plan,
  ...rest
}: ListAddress['filters']): Record<string, string> => ({
  ...rest,
  ...(plan === undefined ? {} : (PLAN_FILTERS[plan] ?? { plan })),
})
