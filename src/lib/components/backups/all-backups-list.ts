import type { ListShape } from '$lib/state/lists/list-address'

/** The list of the backups of all accounts. */
export const ALL_BACKUPS_LIST: ListShape = {
  path: '/backups/all',
  sorts: ['created_at', 'username', 'size_bytes', 'location'],
  sort: 'created_at',
  order: 'desc',
  filters: ['location'],
  columns: ['account', 'size', 'location', 'state'],
}
