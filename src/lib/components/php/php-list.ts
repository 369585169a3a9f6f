import type { ListShape } from '$lib/state/lists/list-address'

/** The list of what accounts run. */
export const PHP_LIST: ListShape = {
  path: '/php',
  sorts: ['username', 'primary_domain', 'status'],
  sort: 'username',
  order: 'asc',
  filters: [],
  columns: [],
}
