import type { ListShape } from '$lib/state/lists/list-address'

/** The list of what one is told. */
export const NOTIFICATION_LIST: ListShape = {
  path: '/notifications',
  sorts: ['created_at', 'kind', 'severity'],
  sort: 'created_at',
  order: 'desc',
  filters: ['kind', 'unread', 'standing'],
  columns: ['kind', 'state', 'when'],
}
