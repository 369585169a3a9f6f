import type { ListShape } from '$lib/state/lists/list-address'

/** The list of an account's backups. */
export const BACKUP_LIST: ListShape = {
  path: '/backups',
  sorts: ['created_at', 'size_bytes', 'location'],
  sort: 'created_at',
  order: 'desc',
  filters: ['location'],
  columns: ['size', 'databases', 'location', 'state'],
}
