import type { Account, DatabaseUser } from '$lib/api/types'

/** Address of a further user in the API. */
export const userPath = ({ id }: Account, { user, engine }: DatabaseUser): string =>
  `/api/database-users/${id}/${encodeURIComponent(user)}?engine=${engine}`
