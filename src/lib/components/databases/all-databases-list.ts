import type { ListShape } from '$lib/state/lists/list-address'

/** The list of the databases of all accounts. */
export const ALL_DATABASES_LIST: ListShape = {
  path: '/databases/all',
  sorts: ['database', 'username', 'user', 'size_bytes', 'created_at'],
  sort: 'database',
  order: 'asc',
  filters: ['engine'],
  columns: ['account', 'user', 'size', 'created'],
}
