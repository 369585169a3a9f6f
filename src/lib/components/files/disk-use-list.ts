import type { ListShape } from '$lib/state/lists/list-address'

/** The list of what the files of each account take of the disk. */
export const DISK_USE_LIST: ListShape = {
  path: '/files/all',
  sorts: ['username', 'disk_used_mb', 'disk_quota_mb'],
  sort: 'disk_used_mb',
  order: 'desc',
  filters: [],
  columns: ['disk', 'quota', 'status'],
}
