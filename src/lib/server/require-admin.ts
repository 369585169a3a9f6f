import { error } from '@sveltejs/kit'
import type { Me } from '$lib/api/types'

/** Ends a page's `load` with 403 for whoever is no administrator, so that the screen says so once instead of in each of its cards. */
export const requireAdmin = async (event: { parent(): Promise<{ me: Me }> }): Promise<void> => {
  const { me } = await event.parent()
  if (me.role !== 'admin') error(403, 'administrators only')
}
