import type { Mail } from '$lib/api/types'
import type { ListShape } from '$lib/state/lists/list-address'

/** The list of messages, of one account or of all. */
export const MAIL_LIST: ListShape = {
  path: '/mail',
  sorts: ['created_at', 'subject', 'state', 'size_bytes'],
  sort: 'created_at',
  order: 'desc',
  filters: ['state', 'host'],
  columns: ['to', 'account', 'time'],
}

/** Whom a message goes to, in a few words. */
export const recipientsText = ({ recipients }: Mail): string => {
  const [first, ...others] = recipients
  if (first === undefined) return '–'
  return others.length === 0 ? first.address : `${first.address} +${others.length}`
}
