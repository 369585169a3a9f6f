import type { ListShape } from '$lib/state/lists/list-address'

/** The list of domains. */
export const DOMAIN_LIST: ListShape = {
  path: '/domains',
  sorts: ['domain_name', 'domain_type', 'username', 'ssl_status', 'document_root', 'created_at'],
  sort: 'domain_name',
  order: 'asc',
  filters: ['domain_type', 'ssl_status', 'cache_enabled'],
  columns: ['type', 'account', 'ssl', 'root', 'cache', 'created'],
}
