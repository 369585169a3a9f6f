import { redirect } from '@sveltejs/kit'
import type { Me } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

/** Who opens an invitation; the secret in the link never reaches the server with the page. */
export const load: PageServerLoad = async (event) => {
  if (await event.locals.panel.setupOpen()) redirect(303, '/setup')
  const me = await readApi<Me>(event, '/api/auth/me')
  return { me: me.ok ? me.data : null }
}
