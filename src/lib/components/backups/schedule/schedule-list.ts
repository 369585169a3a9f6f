import type { ListShape } from '$lib/state/lists/list-address'

/** The list of accounts with their schedules. */
export const SCHEDULE_LIST: ListShape = {
  path: '/backups/schedule',
  sorts: ['username'],
  sort: 'username',
  order: 'asc',
  filters: [],
  columns: ['schedule', 'source', 'next', 'last'],
}
