import type { ListShape } from '$lib/state/lists/list-address'

/** The list of applications, of one account or of all. */
export const APPLICATION_LIST: ListShape = {
  path: '/applications',
  sorts: ['name', 'username', 'created_at', 'deployment_at'],
  sort: 'name',
  order: 'asc',
  filters: ['runtime', 'desired'],
  columns: ['runtime', 'account', 'state', 'deployed'],
}
