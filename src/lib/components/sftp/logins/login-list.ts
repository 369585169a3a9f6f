import type { ListShape } from '$lib/state/lists/list-address'

/** The list of log-ins over SFTP and SSH, of one account or of all. */
export const LOGIN_LIST: ListShape = {
  path: '/logs/sftp',
  sorts: ['began_at', 'ended_at', 'login', 'address'],
  sort: 'began_at',
  order: 'desc',
  filters: ['way', 'kind', 'outcome'],
  columns: ['account', 'address', 'way', 'kind', 'ended', 'work'],
}
