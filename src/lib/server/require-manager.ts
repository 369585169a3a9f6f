import { error } from '@sveltejs/kit'
import type { Me } from '$lib/api/types'
import { managesAccounts } from '$lib/state/manages'

/** Ends a page's `load` with 403 for whoever manages no accounts. */
export const requireManager = async (event: { parent(): Promise<{ me: Me }> }): Promise<Me> => {
  const { me } = await event.parent()
  if (!managesAccounts(me.role)) error(403, 'administrators and resellers only')
  return me
}
