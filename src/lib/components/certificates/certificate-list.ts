import type { ListShape } from '$lib/state/lists/list-address'

/** The list of certificates. */
export const CERTIFICATE_LIST: ListShape = {
  path: '/ssl',
  sorts: ['domain', 'issuer', 'issued_at', 'expires_at'],
  sort: 'domain',
  order: 'asc',
  filters: ['status'],
  columns: ['issuer', 'issued', 'expires', 'status'],
}
