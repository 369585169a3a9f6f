import type { ListShape } from '$lib/state/lists/list-address'

/** The list of cron jobs, of one account or of all. */
export const CRON_LIST: ListShape = {
  path: '/cron',
  sorts: ['name', 'schedule', 'next_at', 'last_started_at', 'created_at'],
  sort: 'name',
  order: 'asc',
  filters: ['enabled', 'outcome'],
  columns: ['schedule', 'account', 'next', 'last'],
}
