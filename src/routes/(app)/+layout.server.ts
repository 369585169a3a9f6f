import { redirect } from '@sveltejs/kit'
import type { Me, Membership, Stats } from '$lib/api/types'
import { entrancePath, readApi } from '$lib/server/read-api'
import type { LayoutServerLoad } from './$types'

export const load: LayoutServerLoad = async (event) => {
  event.depends('berth:stats')
  const me = await readApi<Me>(event, '/api/auth/me')
  if (!me.ok) redirect(303, await entrancePath(event))
  const stats = me.data.role === 'admin' ? await readApi<Stats>(event, '/api/system/stats') : null
  const accounts =
    me.data.person === undefined ? null : await readApi<Membership[]>(event, '/api/auth/accounts')
  const memberships = accounts?.ok === true ? accounts.data : []
  return { me: me.data, memberships, stats, theme: event.locals.theme }
}
