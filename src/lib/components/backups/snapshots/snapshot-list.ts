import type { ListShape } from '$lib/state/lists/list-address'

/** The list of an account's snapshots. */
export const SNAPSHOT_LIST: ListShape = {
  path: '/backups/snapshots',
  sorts: ['created_at', 'size_bytes', 'added_bytes', 'location'],
  sort: 'created_at',
  order: 'desc',
  filters: ['location'],
  columns: ['size', 'added', 'databases', 'location', 'state'],
}
