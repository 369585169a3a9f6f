import type { ListShape } from '$lib/state/lists/list-address'

/** The list of an account's WordPress installations. */
export const WORDPRESS_LIST: ListShape = {
  path: '/wordpress',
  sorts: ['domain', 'path', 'version'],
  sort: 'domain',
  order: 'asc',
  filters: ['outdated'],
  columns: ['version', 'plugins', 'themes', 'state'],
}
