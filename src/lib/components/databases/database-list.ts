import type { ListShape } from '$lib/state/lists/list-address'

/** The list of an account's databases. */
export const DATABASE_LIST: ListShape = {
  path: '/databases',
  sorts: ['database', 'user', 'size_bytes', 'tables', 'created_at'],
  sort: 'database',
  order: 'asc',
  filters: ['engine'],
  columns: ['user', 'host', 'size', 'tables', 'created'],
}
