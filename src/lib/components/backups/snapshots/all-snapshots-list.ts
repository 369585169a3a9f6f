import type { ListShape } from '$lib/state/lists/list-address'

/** The list of the snapshots of all accounts. */
export const ALL_SNAPSHOTS_LIST: ListShape = {
  path: '/backups/snapshots/all',
  sorts: ['created_at', 'username', 'size_bytes', 'added_bytes', 'location'],
  sort: 'created_at',
  order: 'desc',
  filters: ['location'],
  columns: ['account', 'size', 'added', 'location', 'state'],
}
