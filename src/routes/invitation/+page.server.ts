import { redirect } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'
import type { Me } from '$lib/api/types'
import type { PageServerLoad } from './$types'

/**
 * Who opens an invitation; nobody who is logged in belongs here too. The secret in the link
 * never reaches the server with the page.
 */
export const load: PageServerLoad = async (event) => {
  if (await event.locals.panel.setupOpen()) redirect(303, '/setup')
  const me = await parseResult<Me>(await event.fetch('/api/auth/me'))
  return { me: me.ok ? me.data : null }
}
